//! Turns a plan into requests on the wire, each when it is due: a conductor owns the schedule, worker threads own the
//! connections, finished exchanges go to whoever reads records. Nothing is parsed or tokenized here, except that a worker
//! looks for the first content of a request while a limit on prefill waits for it.
#![forbid(unsafe_code)]

mod alarm;
mod bodies;
mod conductor;
mod control;
mod credit;
mod delay;
mod finished;
mod follow_up;
mod gate;
mod gauge;
mod in_flight;
mod job_answers;
mod phase;
mod phase_hook;
mod plan;
mod progress;
mod queue;
mod reachability;
mod rest;
mod schedule;
mod watcher;
mod worker;

pub use bodies::{Began, Bodies};
pub use conductor::run;
pub use control::{Control, ControlSource, StopReason};
pub use credit::Session;
pub use delay::{ReadDelays, SharedDelays};
pub use finished::{CutReason, Finished, Outcome};
pub use follow_up::{FollowUp, FollowUpBodies};
pub use gauge::WorkerGauge;
pub use phase::{EndReason, Outage, PhaseCounts, PhaseOutcome, ReplayEntry, ReplayOutcome};
pub use phase_hook::PhaseHook;
pub use plan::{EngineError, FixedSchedule, Plan, PreparedConversation, PreparedTurn, RequestTarget, Timing};
pub use progress::{ANNOUNCEMENTS, Progress};
pub use queue::{QueueReceiver, QueueSender, bounded};
pub use schedule::{Arrivals, RateFunction};
