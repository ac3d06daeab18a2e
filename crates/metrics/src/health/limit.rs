//! What kept the client from being faster or more exact.

use aiperf_clock::Nanos;

use super::sample::ThreadRole;
use crate::Unit;

/// One limit of the client that a run met.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClientLimit {
    pub kind: LimitKind,
    /// The worst that was seen, in [`LimitKind::unit`].
    pub figure: f64,
    /// What it should have stayed below, in the same unit.
    pub threshold: f64,
    /// From the start of the run.
    pub since: Nanos,
    /// For how long in all.
    pub lasted: Nanos,
    /// The share of processor time that the host of a virtual machine took away meanwhile, if that is known.
    pub stolen: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitKind {
    /// Workers came round late, so that sends and user-space stamps are late.
    WorkerLag,
    /// The process used all processors that it may use.
    ProcessCpu,
    /// One thread that must not wait had no time left, however idle other processors were.
    ThreadCpu(ThreadRole),
    /// Record threads could not keep up.
    RecordQueue,
    /// Finished requests of a closed loop waited for record threads, so that the next ones were sent late.
    RecordsHeldBack,
    /// Requests were sent after their due time. `growing`: ever later, so that the rate asked for was not reached.
    ScheduleLag { growing: bool },
    /// The client stood still: stopped by a signal, a debugger, a paused machine or a limit on its processor time.
    Stalled,
    /// Nearly no descriptors left for connections.
    Descriptors,
    /// No local port left for connections.
    Ports,
}

impl LimitKind {
    /// As files spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WorkerLag => "worker_lag",
            Self::ProcessCpu => "process_cpu",
            Self::ThreadCpu(ThreadRole::Scheduler) => "conductor_cpu",
            Self::ThreadCpu(ThreadRole::Worker) => "worker_cpu",
            Self::RecordQueue => "record_queue",
            Self::RecordsHeldBack => "records_held_back",
            Self::ScheduleLag { growing: false } => "schedule_lag",
            Self::ScheduleLag { growing: true } => "schedule_lag_growing",
            Self::Stalled => "stalled",
            Self::Descriptors => "descriptors",
            Self::Ports => "ports",
        }
    }

    pub const fn unit(self) -> Unit {
        match self {
            Self::RecordsHeldBack => Unit::Requests,
            Self::WorkerLag | Self::ScheduleLag { .. } | Self::Stalled => Unit::Milliseconds,
            Self::ProcessCpu | Self::ThreadCpu(_) | Self::RecordQueue | Self::Descriptors | Self::Ports => {
                Unit::Percent
            }
        }
    }
}
