//! How the client fared in one short interval.

use aiperf_clock::{Mono, Nanos};

/// Taken every few hundred milliseconds while a phase runs. Each number is about the time since the sample before.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HealthSample {
    pub at: Mono,
    /// How late a worker's loop came round when it had asked to be woken: the most over all workers.
    pub worker_lag: Nanos,
    /// How long bytes waited between their arrival and the read that fetched them, if the kernel stamps arrivals: the
    /// 99th percentile and the most over all workers.
    pub arrival_to_read_delay_p99: Nanos,
    pub arrival_to_read_delay: Nanos,
    /// CPU seconds of this process for each second of wall time and available processor: 1 is all there is.
    pub cpu_share: f64,
    /// Of the threads that give out permissions or stamp bytes, the one that ran most; `None` if this is not known.
    pub busiest_thread: Option<ThreadLoad>,
    /// Bytes of finished requests and parts of responses that wait for a record thread.
    pub record_queue_bytes: u64,
    /// Bytes that may wait in memory.
    pub record_queue_budget: u64,
    /// The most that a request was sent after its due time. What it waited for a free slot (of concurrency or prefill)
    /// is the server's doing and does not count; in closed loop it is zero.
    pub schedule_lag: Nanos,
    pub in_flight: u64,
    /// `None` if this is not known.
    pub descriptors: Option<DescriptorUse>,
    /// `None` if this is not known.
    pub machine: Option<MachineTime>,
}

/// The share of the time that a thread was on a processor: 1 is always.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreadLoad {
    pub role: ThreadRole,
    pub share: f64,
}

/// Record threads are not here: when they cannot keep up, their queue shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadRole {
    Scheduler,
    Worker,
}

/// Time of all processors of the machine, whatever ran on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MachineTime {
    pub busy: Nanos,
    /// A virtual machine's processors were wanted, and their host had given them to somebody else.
    pub stolen: Nanos,
}

impl MachineTime {
    /// Of the time that processors were wanted, the share that was taken away; `None` if none was wanted.
    pub(super) fn stolen_share<'a>(samples: impl IntoIterator<Item = &'a HealthSample>) -> Option<f64> {
        let times = samples.into_iter().filter_map(|sample| sample.machine);
        let all = times
            .fold(Self::default(), |sum, next| Self { busy: sum.busy + next.busy, stolen: sum.stolen + next.stolen });
        let wanted = all.busy + all.stolen;
        (wanted > Nanos::ZERO).then(|| all.stolen.as_secs_f64() / wanted.as_secs_f64())
    }
}

/// Files and sockets of this process, against the most it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescriptorUse {
    pub open: u64,
    pub limit: u64,
}
