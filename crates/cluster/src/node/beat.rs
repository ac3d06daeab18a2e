//! Signs of life of a node.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use aiperf_clock::{Mono, Nanos, process_cpu};
use aiperf_config::CoordinatorLossPolicy;

use super::member::{NodeState, StopKind};
use crate::message::{CoordinatorBeat, Heartbeat, decode, encode};
use crate::names;

pub(super) const THREAD: &str = "node-beat";
/// Time between two signs of life.
pub(crate) const BEAT: Duration = Duration::from_millis(250);
/// A coordinator that is silent for so long is lost.
const COORDINATOR_SILENCE: Nanos = Nanos(10_000_000_000);

/// Runs until the member is done.
pub(super) fn beat(shared: &NodeState) {
    let (run, index) = (&shared.sender.run, shared.sender.index);
    let subject = names::heartbeat(run, index);
    let mut coordinator = shared.sender.bus.subscribe(&names::coordinator(run)).ok();
    let mut heard = Mono::now();
    let (mut cpu, mut since) = (process_cpu(), Mono::now());
    while !shared.done.load(Ordering::Relaxed) {
        let (cpu_now, now) = (process_cpu(), Mono::now());
        let spent = cpu_now.0.saturating_sub(cpu.0) as f64 / now.since(since).0.max(1) as f64;
        (cpu, since) = (cpu_now, now);
        let status = shared.status();
        if let Some(journal) = shared.journal.get() {
            journal.note_beat(status.counters.at_ns);
        }
        let heartbeat = Heartbeat {
            node: shared.sender.node.clone(),
            index,
            counters: status.counters,
            clock: status.clock,
            waits_for: shared.waits_for(),
            unshipped: shared.unshipped.load(Ordering::Relaxed),
            cpu_percent: spent * 100.0,
            sketches: shared.sketches(),
        };
        let connected = shared.sender.bus.is_connected();
        if connected {
            let _ = shared.sender.bus.publish(&subject, encode(&heartbeat));
        }
        while let Some(message) = coordinator.as_mut().and_then(|beats| beats.next(Duration::ZERO)) {
            if decode::<CoordinatorBeat>("a heartbeat", &message).is_ok() {
                heard = Mono::now();
            }
        }
        if !connected {
            // Silence of the bus says nothing about the coordinator.
            heard = Mono::now();
        }
        shared.note_coordinator(now.since(heard) < COORDINATOR_SILENCE);
        thread::sleep(BEAT);
    }
}

impl NodeState {
    fn note_coordinator(&self, is_alive: bool) {
        let was_alive = self.coordinator_alive.swap(is_alive, Ordering::Relaxed);
        if was_alive && !is_alive {
            match self.orphan_policy {
                CoordinatorLossPolicy::Finish => log::warn!(
                    "The coordinator has been silent for 10 s. This node sends its whole share; `aiperf attach {}` collects the results",
                    self.sender.run
                ),
                CoordinatorLossPolicy::Drain => {
                    self.stop("the coordinator is lost (--on-coordinator-loss drain)", StopKind::Drain);
                }
            }
        }
    }
}
