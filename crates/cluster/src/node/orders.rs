//! Looks whether a node is to stop: because the coordinator says so, or because another node has taken its place. A call that waits for its
//! answer must not hold up the signs of life, so this has a thread of its own.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use aiperf_config::NodeLossPolicy;

use super::member::{NodeState, StopKind};
use crate::message::{StopOrder, decode};
use crate::names::{run_bucket, run_key};

pub(super) const THREAD: &str = "node-orders";
/// Time between two looks.
const EVERY: Duration = Duration::from_millis(500);

/// Runs until the member is done.
pub(super) fn watch(shared: &NodeState) {
    while !shared.done.load(Ordering::Relaxed) {
        if shared.sender.bus.is_connected() {
            follow_orders(shared);
        }
        thread::sleep(EVERY);
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
