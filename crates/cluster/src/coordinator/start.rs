//! The starts that all nodes have in common: that of the run, and those of its later phases.

use std::thread;
use std::time::Duration;

use aiperf_clock::Mono;

use super::{Coordinator, NodeInRun};
use crate::ClusterError;
use crate::message::{NodePhase, StartOrder, encode};
use crate::names::{run_bucket, run_key};

/// From the order to the start: every node has read the order and opened its connections by then.
const LEAD: Duration = Duration::from_millis(2500);
/// From the order to the start of a phase: every node has read the order by then.
const PHASE_LEAD: Duration = Duration::from_millis(750);

impl Coordinator {
    /// Waits until all nodes are ready, and sets the start. Returns at once if the run has started.
    pub fn start(&mut self, stopped: &dyn Fn() -> bool) -> Result<StartOrder, ClusterError> {
        while self.started.is_none() {
            self.refuse_if_stopped(stopped)?;
            self.hear();
            self.read_members()?;
            let failed = self.nodes.values().find_map(|node| match &node.member.as_ref()?.phase {
                NodePhase::Failed(reason) => Some((node.view.title(), reason.clone())),
                _ => None,
            });
            if let Some((node, reason)) = failed {
                self.order_stop("another node could not get ready");
                return Err(ClusterError::NodeFailed { node, reason });
            }
            if let Some(lost) = self.newly_lost().first() {
                let node = self.nodes[lost].view.title();
                self.order_stop("a node was lost before the start");
                return Err(ClusterError::NodeFailed { node, reason: "it was lost before the start".to_owned() });
            }
            let is_ready =
                |node: &NodeInRun| node.member.as_ref().is_some_and(|member| member.phase == NodePhase::Ready);
            if self.nodes.values().all(is_ready) {
                let at_ns = self.anchor.epoch(Mono::now()).0 + LEAD.as_nanos() as u64;
                let order = StartOrder { at_ns };
                self.bus.put(&run_bucket(&self.spec.run), run_key::START, encode(&order))?;
                self.started = Some(order);
            } else {
                thread::sleep(crate::node::POLL);
            }
        }
        self.started.ok_or(ClusterError::Interrupted)
    }

    /// Sets the start of the next phase when all nodes that are left wait for it.
    pub(super) fn start_phase(&mut self) {
        let left = self.nodes.values().filter(|node| node.replica.end.is_none() && !node.view.is_lost);
        let mut phases = left.map(|node| node.view.waits_for);
        let Some(phase) = phases.next().flatten().filter(|phase| *phase > self.phases_started) else { return };
        if !phases.all(|other| other == Some(phase)) {
            return;
        }
        // Nodes know the clock of the coordinator that began the run. Another one cannot name a time: nodes start when they are told.
        let at_ns = if self.is_attached { 0 } else { self.anchor.epoch(Mono::now()).0 + PHASE_LEAD.as_nanos() as u64 };
        match self.bus.create(&run_bucket(&self.spec.run), &run_key::phase(phase), encode(&StartOrder { at_ns })) {
            Ok(_) => self.phases_started = phase,
            // The bus is away for a while: the nodes keep waiting.
            Err(error) => log::debug!("{error}"),
        }
    }
}
