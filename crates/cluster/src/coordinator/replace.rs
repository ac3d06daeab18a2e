//! Replaces a lost node: a node that waits in the pool sends what the lost one has not sent. Where it begins is fixed once and stored, so
//! that each request of the share belongs to one of the two, whatever arrives later.

use aiperf_clock::Mono;
use aiperf_config::SentShare;

use super::Coordinator;
use crate::ClusterError;
use crate::message::{Counters, ReplacementEntry, decode, encode};
use crate::names::{run_bucket, run_key};

impl Coordinator {
    /// Decides where the replacement of a lost node begins. `None`: the node has sent its whole share.
    pub(super) fn plan_replacement(&mut self, index: u64) -> Result<Option<ReplacementEntry>, ClusterError> {
        let (bucket, key) = (run_bucket(&self.spec.run), run_key::replaced(index));
        let Some(node) = self.nodes.get(&index) else { return Ok(None) };
        let (last, recorded) = (node.last_word().clone(), super::lost::recorded(node)?);
        let (share, before, title) = (node.share, node.began_after.clone(), node.view.title());
        let has_sent_all = last.phases_left == 0 && last.expected.is_some_and(|expected| last.sent >= expected);
        if has_sent_all {
            log::warn!("{title} had sent its whole share; it needs no replacement");
            return Ok(None);
        }
        let slot = self.nodes.keys().next_back().map_or(self.spec.nodes, |last| last + 1).max(self.spec.nodes);
        let entry = ReplacementEntry { slot, share, after: sent_share(before.as_ref(), &last, recorded) };
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
        let successor = self.node(entry.slot);
        successor.share = entry.share;
        successor.began_after = Some(entry.after.clone());
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

/// What has been sent of a share: `before` by others, and then by a node with these last counters. Records may be newer than them.
fn sent_share(before: Option<&SentShare>, last: &Counters, recorded: u64) -> SentShare {
    let newer = recorded.saturating_sub(last.sent_in_all());
    let own = SentShare { phase: last.phase.clone(), sent: last.sent + newer, sent_before: last.sent_before() };
    match before {
        None => own,
        Some(before) if own.total() == 0 => before.clone(),
        Some(before) if before.phase == own.phase => SentShare {
            sent: before.sent + own.sent,
            sent_before: before.sent_before + own.sent_before,
            phase: own.phase,
        },
        Some(before) => SentShare { sent_before: before.total() + own.sent_before, ..own },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::PhaseSent;

    fn counters(phase: &str, sent: u64, before: u64) -> Counters {
        let before = vec![PhaseSent { phase: "earlier".into(), sent: before }];
        Counters { phase: phase.into(), sent, before, ..Counters::default() }
    }

    #[test]
    fn a_record_that_is_newer_than_the_counters_counts() {
        let last = counters("profiling", 5, 3);
        assert_eq!(sent_share(None, &last, 6).total(), 8);
        assert_eq!(sent_share(None, &last, 10).total(), 10);
    }

    #[test]
    fn the_replacement_of_a_replacement_begins_after_both() {
        let share = |phase: &str, sent, sent_before| SentShare { phase: phase.into(), sent, sent_before };
        let before = share("profiling", 4, 3);
        let after = |last: &Counters| sent_share(Some(&before), last, 0);
        assert_eq!(after(&counters("profiling", 5, 0)), share("profiling", 9, 3));
        assert_eq!(after(&counters("second", 2, 6)), share("second", 2, 13));
        // It had sent nothing, and may have said so of any phase.
        assert_eq!(after(&counters("warmup", 0, 0)), before);
        assert_eq!(after(&Counters::default()), before);
    }
}
