//! How many threads send requests, and how many write them down.

use std::num::NonZero;
use std::thread;

use aiperf_config::{Config, PhaseConfig};

use super::Run;

impl Run {
    pub(super) fn record_threads(&self) -> usize {
        self.config.record_processors.unwrap_or_else(|| (processors() / 4).clamp(1, 8))
    }
}

/// Half the processors by default: the other half is for record threads, the scheduler and, often, the server.
pub(super) fn workers(config: &Config, phases: &[PhaseConfig]) -> usize {
    let limits = phases.iter().map(|phase| phase.pace.session_limit().unwrap_or(usize::MAX));
    let wanted = config.workers_max.unwrap_or_else(|| (processors() / 2).clamp(1, 32));
    wanted.min(limits.max().unwrap_or(1)).max(1)
}

pub(super) fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}
