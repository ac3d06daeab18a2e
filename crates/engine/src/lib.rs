//! Turns a plan into requests on the wire, each when it is due: a conductor owns the schedule, worker threads own the
//! connections, finished exchanges go to whoever reads records. Nothing is parsed or tokenized here.
#![forbid(unsafe_code)]

mod conductor;
mod control;
mod credit;
mod finished;
mod phase;
mod plan;
mod progress;
mod schedule;
mod slots;
mod worker;

pub use conductor::run;
pub use control::{Control, ControlSource};
pub use credit::Session;
pub use finished::{CutReason, Finished, Outcome};
pub use phase::{EndReason, PhaseOutcome};
pub use plan::{EngineError, Plan, PreparedConversation, PreparedTurn, RequestTarget};
pub use progress::Progress;
pub use schedule::Arrivals;
