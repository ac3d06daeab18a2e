//! The part of a node: joins a pool, takes a share of a run, and reports while it sends. All threads of this module wait for the
//! bus; none of them is in the way of a request.

mod beat;
mod clock;
mod files;
mod member;
mod orders;
mod remains;
mod shipping;
mod start;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

pub use member::{Member, StopKind};
pub use remains::{Remains, Shipped};

use aiperf_config::SentShare;

use crate::bus::Bus;
use crate::message::{AssignmentEntry, NodeCard, RunSpec, decode, encode};
use crate::names::{pool_bucket, pool_key, run_bucket, run_key};
use crate::{ClusterError, names};

/// How often a waiting node says that it is there.
const HELLO_EVERY: Duration = Duration::from_secs(2);
/// A node that has said nothing for this time is not offered to a run.
pub(crate) const CARD_LIFETIME: Duration = Duration::from_secs(8);
/// How often keys are looked at.
pub(crate) const POLL: Duration = Duration::from_millis(100);

/// How a node takes part.
#[derive(Debug, Clone)]
pub struct NodeSettings {
    pub pool: String,
    /// Folder for results until they are in the stream.
    pub spool: PathBuf,
    /// Bytes of records that may wait for the bus; beyond it the node stops sending.
    pub spool_limit: u64,
    /// How long a node that has finished waits for the bus before it gives up.
    pub patience: Duration,
}

/// A node that has joined a pool.
#[derive(Debug)]
pub struct NodeAgent {
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) settings: NodeSettings,
    pub(crate) card: NodeCard,
}

/// The share of a run that a node has to send.
#[derive(Debug, Clone)]
pub struct Assignment {
    pub spec: RunSpec,
    /// The number of this node in the run.
    pub index: u64,
    /// The share that it sends.
    pub share: u64,
    pub count: u64,
    /// What a lost node has sent of the share.
    pub after: Option<SentShare>,
}

impl NodeAgent {
    pub fn join(bus: Arc<dyn Bus>, settings: NodeSettings, card: NodeCard) -> Result<Self, ClusterError> {
        if !names::is_plain(&settings.pool) {
            return Err(ClusterError::Name { text: settings.pool });
        }
        bus.make_bucket(&pool_bucket(&settings.pool), Some(CARD_LIFETIME))?;
        Ok(Self { bus, settings, card })
    }

    /// Waits until a coordinator gives this node a share. `stopped`: whether to give up.
    pub fn wait_for_run(&self, stopped: &dyn Fn() -> bool) -> Result<Assignment, ClusterError> {
        let bucket = pool_bucket(&self.settings.pool);
        let (card_key, own_key) = (pool_key::node(&self.card.id), pool_key::assignment(&self.card.id));
        let card = encode(&self.card);
        let mut since_hello = HELLO_EVERY;
        loop {
            if stopped() {
                let _ = self.bus.put(&bucket, &card_key, Vec::new());
                return Err(ClusterError::Interrupted);
            }
            if since_hello >= HELLO_EVERY {
                // The bus may be away for a while; a node keeps waiting.
                if let Err(error) = self.bus.put(&bucket, &card_key, card.clone()) {
                    log::debug!("{error}");
                }
                since_hello = Duration::ZERO;
            }
            if let Ok(Some(found)) = self.bus.get(&bucket, &own_key) {
                let _ = self.bus.put(&bucket, &card_key, Vec::new());
                return self.assignment(&decode(&own_key, &found)?);
            }
            thread::sleep(POLL);
            since_hello += POLL;
        }
    }

    /// Its id in the pool.
    pub fn id(&self) -> &str {
        &self.card.id
    }

    /// Folder for results until they are in the stream.
    pub fn spool(&self) -> &Path {
        &self.settings.spool
    }

    fn assignment(&self, entry: &AssignmentEntry) -> Result<Assignment, ClusterError> {
        let spec = self.bus.get(&run_bucket(&entry.run), run_key::SPEC)?;
        let spec = spec.ok_or_else(|| ClusterError::UnknownRun { run: entry.run.clone() })?;
        let spec: RunSpec = decode(run_key::SPEC, &spec)?;
        Ok(Assignment { spec, index: entry.index, share: entry.share, count: entry.count, after: entry.after.clone() })
    }
}
