//! A start at a given time (`--start-at`), so that nodes that are not connected begin together.

use std::thread;
use std::time::Duration;

use aiperf_clock::{EpochNanos, Mono, Nanos, WallAnchor};
use aiperf_config::PhaseConfig;
use aiperf_engine::{ControlSource, PhaseHook};

/// How often a wait looks whether it was told to stop.
const TICK: Nanos = Nanos(100_000_000);
/// The last part is waited for by the scheduler, when connections are open and metrics pages are read.
const BEFORE: Nanos = Nanos(1_500_000_000);

/// Waits until shortly before the time. Ends early if the run is told to stop.
pub(crate) fn wait_for(at: Duration, control: &ControlSource) {
    let anchor = WallAnchor::take();
    let (now, due) = (Mono::now(), anchor.mono(epoch(at)));
    if due < now {
        log::warn!("--start-at is {:.1} s ago: the run starts at once", now.since(due).as_secs_f64());
        return;
    }
    log::info!("Waiting {:.1} s for --start-at", due.since(now).as_secs_f64());
    while !control.stop_is_asked_for() {
        let left = (due - BEFORE).since(Mono::now());
        if left == Nanos::ZERO {
            break;
        }
        thread::sleep(Duration::from_nanos(left.min(TICK).0));
    }
}

/// Starts the first phase at the time; later ones start as usual.
pub(crate) fn hook(at: Duration) -> Box<dyn PhaseHook> {
    Box::new(StartTime { at: Some(at) })
}

struct StartTime {
    at: Option<Duration>,
}

impl PhaseHook for StartTime {
    fn before(&mut self, _: &PhaseConfig) -> Result<(), String> {
        Ok(())
    }

    fn release(&mut self, _: &PhaseConfig) -> Result<(), String> {
        if let Some(at) = self.at.take() {
            // A run that was told to stop meanwhile has not waited, and is not worth a wait now.
            let left = WallAnchor::take().mono(epoch(at)).since(Mono::now());
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
