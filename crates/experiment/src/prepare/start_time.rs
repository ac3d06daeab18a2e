//! A start at a given time, so that nodes begin together: `--start-at` for nodes that are not connected, a barrier for others. Connected
//! nodes also begin each later phase together, unless it follows the phase before it without a pause.

use std::fmt::Debug;
use std::sync::PoisonError;
use std::thread;
use std::time::Duration;

use aiperf_clock::{EpochNanos, Mono, Nanos, WallAnchor};
use aiperf_config::PhaseConfig;
use aiperf_engine::{Control, ControlSource, PhaseHook};

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

    /// Called when this node is ready for a later phase. Returns when all nodes start it; `None`: at once.
    fn wait_for_phase(&mut self, stopped: &dyn Fn() -> bool) -> Option<Mono>;
}

/// What the phases of a run wait for.
pub(crate) struct CommonStart {
    /// The start of the first phase; `None` if that has begun or begins at once.
    due: Option<Mono>,
    is_begun: bool,
    barrier: Option<Box<dyn StartBarrier>>,
    control: Control,
}

/// Waits until shortly before the start. `None`: no phase waits for anything. Ends early if the run is told to stop.
pub(crate) fn wait(run: &mut Run, anchor: WallAnchor, control: &ControlSource) -> Option<CommonStart> {
    let mut barrier = run.barrier.get_mut().unwrap_or_else(PoisonError::into_inner).take();
    let due = match &mut barrier {
        Some(barrier) => barrier.wait(anchor, &|| control.stop_is_asked_for())?,
        None => WallAnchor::take().mono(epoch(run.config.start_at?)),
    };
    let now = Mono::now();
    let mut start = CommonStart { due: Some(due), is_begun: false, barrier, control: control.control() };
    if due < now {
        log::warn!("The time to start was {:.1} s ago: the run starts at once", now.since(due).as_secs_f64());
        start.due = None;
        return Some(start);
    }
    log::info!("Waiting {:.1} s for the time to start", due.since(now).as_secs_f64());
    while !control.stop_is_asked_for() {
        let left = (due - BEFORE).since(Mono::now());
        if left == Nanos::ZERO {
            break;
        }
        thread::sleep(Duration::from_nanos(left.min(TICK).0));
    }
    Some(start)
}

impl PhaseHook for CommonStart {
    fn before(&mut self, _: &PhaseConfig) -> Result<(), String> {
        Ok(())
    }

    fn release(&mut self, _: &PhaseConfig) -> Result<(), String> {
        let (control, is_first) = (&self.control, !std::mem::replace(&mut self.is_begun, true));
        let due = match &mut self.barrier {
            Some(barrier) if !is_first => barrier.wait_for_phase(&|| control.stop_is_asked_for()),
            _ => self.due.take(),
        };
        if let Some(due) = due {
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
