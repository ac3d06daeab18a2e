//! Finds nodes for the shares of a run.

use std::thread;
use std::time::Duration;

use aiperf_clock::Mono;
use aiperf_config::SentShare;

use super::Coordinator;
use crate::ClusterError;
use crate::message::{AssignmentEntry, NodeCard, decode, encode};
use crate::names::{pool_bucket, pool_key, run_bucket, run_key};
use crate::node::{CARD_LIFETIME, POLL};

/// A node that was given a share and does not take it within this time is gone.
const CONFIRM_WITHIN: Duration = Duration::from_secs(5);

impl Coordinator {
    /// Waits for as many nodes as the run needs, and gives each a share. `stopped`: whether to give up; `found` is told how many
    /// there are.
    pub fn gather(&mut self, stopped: &dyn Fn() -> bool, mut found: impl FnMut(usize)) -> Result<(), ClusterError> {
        self.bus.make_bucket(&pool_bucket(&self.settings.pool), Some(CARD_LIFETIME))?;
        let (begun, wanted) = (Mono::now(), self.spec.nodes);
        let limit = self.settings.join_timeout.as_nanos() as u64;
        for index in 0..wanted {
            found(index as usize);
            while !self.assign(index, index, None)? {
                self.refuse_if_stopped(stopped)?;
                if Mono::now().since(begun).0 > limit {
                    self.order_stop("too few nodes joined");
                    return Err(ClusterError::TooFewNodes {
                        found: index as usize,
                        wanted: wanted as usize,
                        pool: self.settings.pool.clone(),
                        waited: self.settings.join_timeout.as_secs(),
                    });
                }
                thread::sleep(POLL);
            }
        }
        found(wanted as usize);
        self.read_members()
    }

    /// Gives a share to a node that waits; returns whether one took it. `after`: what another node has sent of it.
    pub(super) fn assign(&mut self, index: u64, share: u64, after: Option<&SentShare>) -> Result<bool, ClusterError> {
        let bucket = pool_bucket(&self.settings.pool);
        for key in self.bus.keys(&bucket, pool_key::NODES)? {
            let Some(card) = self.bus.get(&bucket, &key)?.filter(|card| !card.is_empty()) else { continue };
            let card: NodeCard = decode(&key, &card)?;
            if card.version != self.spec.version {
                log::warn!(
                    "{} runs aiperf {} and not {}; it does not take part",
                    card.host,
                    card.version,
                    self.spec.version
                );
                continue;
            }
            let (run, count) = (self.spec.run.clone(), self.spec.nodes);
            let entry = AssignmentEntry { run, index, share, count, after: after.cloned() };
            if self.bus.create(&bucket, &pool_key::assignment(&card.id), encode(&entry))? && self.confirmed(index)? {
                self.node(index).view.know(&card);
                self.roster.see(index, Mono::now());
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the node of this share has taken its share.
    fn confirmed(&self, index: u64) -> Result<bool, ClusterError> {
        let begun = Mono::now();
        while Mono::now().since(begun).0 < CONFIRM_WITHIN.as_nanos() as u64 {
            if self.bus.get(&run_bucket(&self.spec.run), &run_key::member(index))?.is_some() {
                return Ok(true);
            }
            thread::sleep(POLL);
        }
        Ok(false)
    }
}
