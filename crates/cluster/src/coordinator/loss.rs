//! Notices that nodes are lost: because they are silent, or because another process says that they were killed.

use aiperf_clock::Mono;
use aiperf_config::NodeLossPolicy;

use super::{Coordinator, NodeInRun};
use crate::message::{Counters, KilledNode, KnownBy, LossFacts};

impl Coordinator {
    /// Nodes that have just been found to be lost by their silence.
    pub(super) fn newly_lost(&mut self) -> Vec<u64> {
        let mut lost = Vec::new();
        for (index, silence) in self.roster.take_lost(Mono::now()) {
            let Some(node) = self.nodes.get_mut(&index) else { continue };
            if node.view.is_lost {
                log::warn!("Whoever reported that {} was killed is silent, too", node.view.title());
                continue;
            }
            node.view.is_lost = true;
            log::error!("{} is lost: nothing was heard of it for {:.1} s", node.view.title(), silence.as_secs_f64());
            lost.push(index);
        }
        lost
    }

    /// A process was killed, and another one says what it had sent. Its records follow.
    pub(super) fn note_killed(&mut self, index: u64, killed: KilledNode) {
        let node = self.node(index);
        if node.replica.end.is_some() || node.killed.is_some() {
            return;
        }
        let was_lost = std::mem::replace(&mut node.view.is_lost, true);
        node.view.counters = Counters {
            returned: node.view.counters.returned,
            failed: node.view.counters.failed,
            recorded: node.view.counters.recorded,
            ..killed.counters.clone()
        };
        if !was_lost {
            log::error!("{} is lost: {}", node.view.title(), killed.reason);
        }
        node.killed = Some(killed);
        self.roster.see(index, Mono::now());
        if !was_lost {
            self.lose(index);
        }
    }

    pub(super) fn lose(&mut self, index: u64) {
        let Some(node) = self.nodes.get(&index) else { return };
        let title = node.view.title();
        match self.spec.on_node_loss {
            NodeLossPolicy::Fail => self.order_stop(&format!("{title} is lost (--on-node-loss fail)")),
            NodeLossPolicy::Continue => {
                log::warn!("The other nodes go on with their own shares (--on-node-loss continue)");
            }
            NodeLossPolicy::Replace => self.unreplaced.push(index),
        }
    }
}

impl NodeInRun {
    /// Whether it did not end by itself.
    pub(super) fn is_lost_at_last(&self) -> bool {
        self.replica.end.as_ref().is_none_or(|end| end.is_killed)
    }

    /// What it had done when it was last heard: by its journal, by a heartbeat, or by a message of the stream.
    pub(super) fn last_word(&self) -> &Counters {
        let (heard, streamed) = (&self.view.counters, &self.replica.counters);
        match &self.killed {
            Some(killed) => &killed.counters,
            None if heard.sent_in_all() >= streamed.sent_in_all() => heard,
            None => streamed,
        }
    }

    /// How it is known what it had sent.
    pub(super) fn loss_facts(&self) -> LossFacts {
        // A replacement that began before the journal was read began where the last heartbeat said.
        let is_exact = self.killed.as_ref().is_some_and(|killed| {
            self.replacement.as_ref().is_none_or(|replacement| {
                let before = self.began_after.as_ref().map_or(0, aiperf_config::SentShare::total);
                replacement.after.total() == before + killed.counters.sent_in_all()
            })
        });
        LossFacts {
            known_by: if is_exact { KnownBy::Journal } else { KnownBy::LastHeartbeat },
            unsent_requests: self.killed.as_ref().filter(|_| is_exact).map_or(0, |killed| killed.unsent),
            last_heard_ns: self.last_word().at_ns,
        }
    }
}
