//! Turns a plan into requests on the wire, each when it is due. The scheduler owns the schedule, worker threads own the
//! connections, and finished exchanges go to the record threads. Nothing is parsed or tokenized here, except that a worker
//! looks for the first content of a reply while a prefill limit waits for it.
#![forbid(unsafe_code)]

mod control;
mod phase;
mod phase_hook;
mod plan;
mod progress;
mod queue;
mod record_queue;
mod request;
mod schedule;
mod scheduler;
mod sent_journal;
mod worker;

pub use control::{Control, ControlSource};
pub use phase::{Outage, PhaseCounts, PhaseOutcome, ReplayEntry, ReplayOutcome};
pub use phase_hook::PhaseHook;
pub use plan::{EngineError, FixedSchedule, Plan, PreparedConversation, PreparedTurn, SendSettings, Timing, Workload};
pub use progress::{ANNOUNCEMENTS, LoadInForce, Progress};
pub use record_queue::{
    HeldBack, RecordQueue, RecordQueueFigures, RecordReader, RecordSender, RecordWork, SpillThread, record_queue,
};
pub use request::bodies::{Began, Bodies};
pub use request::credit::Session;
pub use request::finished::{ExchangeError, Finished};
pub use request::follow_up::{FollowUp, FollowUpBodies};
pub use request::streamed_body::ReadPart;
pub use scheduler::run;
pub use sent_journal::SentJournal;
pub use worker::{ReadDelays, SharedDelays, WorkerGauge};
