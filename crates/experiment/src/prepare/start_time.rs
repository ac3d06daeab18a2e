//! A start at a given time, so that nodes begin together: `--start-at` for nodes that are not connected, a barrier for others.

use std::fmt::Debug;
use std::sync::PoisonError;
use std::thread;
use std::time::Duration;

use aiperf_clock::{EpochNanos, Mono, Nanos, WallAnchor};
use aiperf_config::PhaseConfig;
use aiperf_engine::{ControlSource, PhaseHook};

use crate::run::Run;

/// How often a wait looks whether it was told to stop.
const TICK: Nanos = Nanos(100_000_000);
/// The last part is waited for by the scheduler, when connections are open and metrics pages are read.
const BEFORE: Nanos = Nanos(1_500_000_000);

/// Where the start comes from that several nodes have in common.
pub trait StartBarrier: Send + Debug {
    /// Called when this node is ready. Returns the start when all are; `None` if the run is to stop. `anchor`: the wall clock of
    /// the records.
    fn wait(&mut self, anchor: WallAnchor, stopped: &dyn Fn() -> bool) -> Option<Mono>;
}

/// Waits until shortly before the start, and returns it; `None`: at once. Ends early if the run is told to stop.
pub(crate) fn wait(run: &mut Run, anchor: WallAnchor, control: &ControlSource) -> Option<Mono> {
    let barrier = run.barrier.get_mut().unwrap_or_else(PoisonError::into_inner).take();
    let due = match barrier {
        Some(mut barrier) => barrier.wait(anchor, &|| control.stop_is_asked_for())?,
        None => WallAnchor::take().mono(epoch(run.config.start_at?)),
    };
    let now = Mono::now();
    if due < now {
        log::warn!("The time to start was {:.1} s ago: the run starts at once", now.since(due).as_secs_f64());
        return None;
    }
    log::info!("Waiting {:.1} s for the time to start", due.since(now).as_secs_f64());
    while !control.stop_is_asked_for() {
        let left = (due - BEFORE).since(Mono::now());
        if left == Nanos::ZERO {
            break;
        }
        thread::sleep(Duration::from_nanos(left.min(TICK).0));
    }
    Some(due)
}

/// Starts the first phase at the time; later ones start as usual.
pub(crate) fn hook(due: Mono) -> Box<dyn PhaseHook> {
    Box::new(StartTime { due: Some(due) })
}

struct StartTime {
    due: Option<Mono>,
}

impl PhaseHook for StartTime {
    fn before(&mut self, _: &PhaseConfig) -> Result<(), String> {
        Ok(())
    }

    fn release(&mut self, _: &PhaseConfig) -> Result<(), String> {
        if let Some(due) = self.due.take() {
            // A run that was told to stop meanwhile has not waited, and is not worth a wait now.
            let left = due.since(Mono::now());
            if left <= BEFORE {
                thread::sleep(Duration::from_nanos(left.0));
            }
        }
        Ok(())
    }

    fn after(&mut self, _: &PhaseConfig) {}

    fn between(&mut self, _: &PhaseConfig, _: &PhaseConfig) -> Result<(), String> {
        Ok(())
    }
}

fn epoch(at: Duration) -> EpochNanos {
    EpochNanos(u64::try_from(at.as_nanos()).unwrap_or(u64::MAX))
}
