//! Signs of life of a node, and the orders that it gets.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use aiperf_clock::{Mono, Nanos, process_cpu};
use aiperf_config::{CoordinatorLossPolicy, NodeLossPolicy};

use super::member::{NodeState, StopKind};
use crate::message::{CoordinatorBeat, Heartbeat, StopOrder, decode, encode};
use crate::names::{self, run_bucket, run_key};

pub(super) const THREAD: &str = "node-beat";
pub(super) const ORDERS_THREAD: &str = "node-orders";
/// Time between two signs of life.
pub(crate) const BEAT: Duration = Duration::from_millis(250);
/// Time between two looks for orders.
const ORDERS_EVERY: Duration = Duration::from_millis(500);
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

/// Runs until the member is done. A call that waits for its answer must not hold up the signs of life.
pub(super) fn watch_orders(shared: &NodeState) {
    while !shared.done.load(Ordering::Relaxed) {
        if shared.sender.bus.is_connected() {
            follow_orders(shared);
        }
        thread::sleep(ORDERS_EVERY);
    }
}

fn follow_orders(shared: &NodeState) {
    let order = shared.sender.bus.get(&run_bucket(&shared.sender.run), run_key::STOP);
    if let Ok(Some(order)) = order
        && let Ok(StopOrder { reason }) = decode(run_key::STOP, &order)
    {
        shared.stop(&reason, StopKind::Cut);
    }
    if shared.loss_policy == NodeLossPolicy::Replace {
        let replaced = shared.sender.bus.get(&run_bucket(&shared.sender.run), &run_key::replaced(shared.sender.index));
        if replaced.is_ok_and(|entry| entry.is_some()) {
            shared
                .stop("the coordinator took it for lost, and another node sends the rest of its share", StopKind::Cut);
        }
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
