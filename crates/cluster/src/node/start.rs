//! The starts that a node has in common with the others: that of the run, and those of its later phases.

use std::sync::atomic::Ordering;
use std::thread;

use aiperf_clock::{EpochNanos, Mono, WallAnchor};

use super::POLL;
use super::member::{Member, RETRY, StopKind, clock_of};
use crate::message::{NodePhase, StartOrder, decode};
use crate::names::{run_bucket, run_key};

impl Member {
    /// Says that this node is ready, and waits for the common start, which it returns on this machine's clock. `anchor` is the
    /// wall clock of the run's records. `None`: the run was stopped before.
    pub fn wait_for_start(&self, anchor: WallAnchor, stopped: &dyn Fn() -> bool) -> Option<Mono> {
        let shared = &self.shared;
        shared.clock.set_clock(clock_of(anchor));
        while shared.clock.measure().is_none() {
            if stopped() || shared.stop_reason().is_some() {
                return None;
            }
            thread::sleep(RETRY);
        }
        while let Err(error) = shared.enter(NodePhase::Ready) {
            log::debug!("{error}");
            if stopped() {
                return None;
            }
            thread::sleep(RETRY);
        }
        loop {
            if stopped() || shared.stop_reason().is_some() {
                return None;
            }
            if !shared.coordinator_alive.load(Ordering::Relaxed) {
                shared.stop("the coordinator was lost before the start", StopKind::Cut);
                return None;
            }
            if let Ok(Some(order)) = shared.sender.bus.get(&run_bucket(&shared.sender.run), run_key::START)
                && let Ok(StartOrder { at_ns }) = decode(run_key::START, &order)
            {
                // Not fatal: the state is also in the heartbeats.
                let _ = shared.enter(NodePhase::Running);
                let reading = shared.clock.latest()?;
                log::info!("The clock of the coordinator is known within {:.3} ms", reading.bound_ns as f64 / 1e6);
                return Some(anchor.mono(EpochNanos(reading.to_node(at_ns))));
            }
            thread::sleep(POLL);
        }
    }

    /// Says that this node is ready for a phase, and waits until all are. Returns the start on this machine's clock; `None`: at once,
    /// because the run was stopped or nobody is left to say when.
    pub fn wait_for_phase(&self, phase: u64, anchor: WallAnchor, stopped: &dyn Fn() -> bool) -> Option<Mono> {
        let shared = &self.shared;
        shared.set_waits_for(Some(phase));
        let start = loop {
            if stopped() || shared.stop_reason().is_some() {
                break None;
            }
            if !shared.coordinator_alive.load(Ordering::Relaxed) {
                log::warn!("The coordinator is lost: this node starts its next phase without waiting for the others");
                break None;
            }
            let order = shared.sender.bus.get(&run_bucket(&shared.sender.run), &run_key::phase(phase));
            if let Ok(Some(order)) = order
                && let Ok(StartOrder { at_ns }) = decode(run_key::START, &order)
            {
                let reading = shared.clock.latest();
                break reading.map(|reading| anchor.mono(EpochNanos(reading.to_node(at_ns))));
            }
            thread::sleep(POLL);
        };
        shared.set_waits_for(None);
        start
    }
}
