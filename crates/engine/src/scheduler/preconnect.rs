//! Opens the connections that a phase will need before it starts (`--preconnect`), so that they are not part of what it
//! measures.

use aiperf_clock::Nanos;
use aiperf_config::{Pace, PhaseConfig};

use super::Scheduler;
use crate::control::SchedulerEvent;
use crate::plan::EngineError;
use crate::queue::WaitResult;
use crate::request::preconnect::Preconnected;

/// How long a phase waits for its connections. Those that are missing then are opened by the requests that need them.
const LONGEST_WAIT: Nanos = Nanos(10_000_000_000);

impl Scheduler<'_> {
    /// Waits until the connections are open. Returns what else came in meanwhile.
    pub(super) fn preconnect(&self, phase: &PhaseConfig) -> Result<Vec<SchedulerEvent>, EngineError> {
        let mut others = Vec::new();
        let Some(sessions) = self.sessions_at_once(phase) else { return Ok(others) };
        let (clock, start) = (self.environment.clock, self.environment.clock.now());
        let mut asked = 0;
        let by_worker = self.run.connections_ahead(sessions, &phase.pace).into_iter().enumerate();
        for (worker, ahead) in by_worker.filter(|(_, ahead)| !ahead.is_empty()) {
            if !self.environment.dispatch.preconnect(worker, ahead) {
                return Err(EngineError::WorkersGone);
            }
            asked += 1;
        }
        let mut all = Preconnected::default();
        while asked > 0 {
            match self.environment.events.wait(Some(start + LONGEST_WAIT)) {
                WaitResult::Item(SchedulerEvent::Preconnected(some)) => {
                    all.add(some);
                    asked -= 1;
                }
                WaitResult::Item(stop @ SchedulerEvent::Stop(_)) => {
                    others.push(stop);
                    return Ok(others);
                }
                WaitResult::Item(other) => others.push(other),
                WaitResult::TimedOut => break,
                WaitResult::Closed => return Err(EngineError::WorkersGone),
            }
        }
        let took = clock.now().since(start).as_secs_f64();
        log::info!("Phase {}: opened {} connections ahead in {took:.3} s", phase.name, all.opened);
        if let Some(cause) = all.failure {
            log::warn!(
                "--preconnect: {} connections could not be opened ({cause}); requests open them when they start",
                all.failed
            );
        }
        if asked > 0 {
            let limit = LONGEST_WAIT.as_secs_f64();
            log::warn!(
                "--preconnect: not all connections were open after {limit} s; requests open them when they start"
            );
        }
        Ok(others)
    }

    /// How many sessions of the phase can be under way at the same time, if their connections are to be opened ahead.
    fn sessions_at_once(&self, phase: &PhaseConfig) -> Option<usize> {
        let limit = phase.pace.sessions_at_once().filter(|_| self.workload.preconnect)?;
        let requests = [phase.stop.requests, phase.stop.sessions].into_iter().flatten().min().unwrap_or(u64::MAX);
        // Users are those of all nodes; other limits are the node's own.
        let limit = match phase.pace {
            Pace::UserCentric { .. } => phase.split.share.of(phase.split.first, limit as u64) as usize,
            _ => limit,
        };
        Some(limit.min(usize::try_from(requests).unwrap_or(usize::MAX)))
    }
}
