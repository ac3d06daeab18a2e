//! Replaces a lost node: a node that waits in the pool sends what the lost one has not sent. Where it begins is fixed once and stored, so
//! that each request of the share belongs to one of the two, whatever arrives later.

use aiperf_clock::Mono;
use aiperf_config::SentShare;

use super::{Coordinator, NodeInRun};
use crate::ClusterError;
use crate::message::{Counters, ReplacementEntry, decode, encode};
use crate::names::{run_bucket, run_key};

impl Coordinator {
    /// Decides where the replacement of a lost node begins. `None`: the node has sent its whole share.
    pub(super) fn plan_replacement(&mut self, index: u64) -> Result<Option<ReplacementEntry>, ClusterError> {
        let (bucket, key) = (run_bucket(&self.spec.run), run_key::replaced(index));
        let Some(node) = self.nodes.get(&index) else { return Ok(None) };
        let (last, recorded) = (node.last_word().clone(), super::lost::recorded(node)?);
        let (share, title) = (node.share, node.view.title());
        let has_sent_all = last.phases_left == 0 && last.expected.is_some_and(|expected| last.sent >= expected);
        if has_sent_all {
            log::warn!("{title} had sent its whole share; it needs no replacement");
            return Ok(None);
        }
        let slot = self.nodes.keys().next_back().map_or(self.spec.nodes, |last| last + 1).max(self.spec.nodes);
        let entry = ReplacementEntry { slot, share, after: sent_share(&last, recorded) };
        if self.bus.create(&bucket, &key, encode(&entry))? {
            return Ok(Some(entry));
        }
        // An earlier coordinator has decided.
        self.bus.get(&bucket, &key)?.map(|entry| decode(&key, &entry)).transpose()
    }

    /// Gives shares of lost nodes to nodes that wait. Those for which there is none are tried again later.
    pub(super) fn replace_lost(&mut self) {
        for index in std::mem::take(&mut self.unreplaced) {
            match self.replace(index) {
                Ok(true) => {}
                Ok(false) => self.unreplaced.push(index),
                Err(error) => {
                    log::debug!("{error}");
                    self.unreplaced.push(index);
                }
            }
        }
    }

    fn replace(&mut self, index: u64) -> Result<bool, ClusterError> {
        let planned = self.nodes.get(&index).and_then(|node| node.replacement.clone());
        let entry = match planned {
            Some(entry) => entry,
            None => match self.plan_replacement(index)? {
                Some(entry) => entry,
                None => return Ok(true),
            },
        };
        self.node(index).replacement = Some(entry.clone());
        let has_taken_over = self.bus.get(&run_bucket(&self.spec.run), &run_key::member(entry.slot))?.is_some();
        self.node(entry.slot).share = entry.share;
        if !has_taken_over && !self.assign(entry.slot, entry.share, Some(&entry.after))? {
            return Ok(false);
        }
        self.read_members()?;
        self.roster.see(entry.slot, Mono::now());
        let title = self.node(entry.slot).view.title();
        log::warn!("{title} sends the rest of the share of node-{index} (--on-node-loss replace)");
        Ok(true)
    }
}

impl NodeInRun {
    /// What it had done when it was last heard: by a heartbeat, or by a message of the stream.
    pub(super) fn last_word(&self) -> &Counters {
        let (heard, streamed) = (&self.view.counters, &self.replica.counters);
        if heard.sent_in_all() >= streamed.sent_in_all() { heard } else { streamed }
    }
}

/// Records may be newer than the counters.
fn sent_share(last: &Counters, recorded: u64) -> SentShare {
    let newer = recorded.saturating_sub(last.sent_in_all());
    SentShare { phase: last.phase.clone(), sent: last.sent + newer, sent_before: last.sent_before }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_is_newer_than_the_counters_counts() {
        let last = Counters { phase: "profiling".into(), sent: 5, sent_before: 3, ..Counters::default() };
        assert_eq!(sent_share(&last, 6).total(), 8);
        assert_eq!(sent_share(&last, 10).total(), 10);
    }
}
