//! The count of what a node sends, kept where it outlives the process.

use std::path::Path;
use std::sync::Arc;

use aiperf_cluster::{Journal, JournalNote};
use aiperf_engine::SentJournal;

use super::reporter::Reporter;

/// The count of what this process sends, which outlives it, and who reads it then.
#[derive(Debug)]
pub(super) struct KeptCount {
    pub(super) journal: Arc<Journal>,
    reporter: Option<Reporter>,
}

impl KeptCount {
    pub(super) fn begin(above: &Path, note: &JournalNote) -> anyhow::Result<Self> {
        let journal = Arc::new(Journal::create(above, note)?);
        let reporter = Reporter::start(above).inspect_err(|cause| {
            log::warn!("No process can be started that would report the end of this node if it was killed: {cause}");
        });
        Ok(Self { journal, reporter: reporter.ok() })
    }

    /// The node has said itself how it ended.
    pub(super) fn end(self) {
        self.journal.close();
        self.leave();
    }

    /// Nobody reports for this node.
    pub(super) fn leave(self) {
        self.reporter.into_iter().for_each(Reporter::dismiss);
    }
}

/// Where the engine counts.
#[derive(Debug)]
pub(super) struct CountedRequests {
    pub(super) journal: Arc<Journal>,
    /// Another node may go on with the share.
    pub(super) keeps_order: bool,
}

impl SentJournal for CountedRequests {
    fn begin(&self, phase: usize) -> u64 {
        self.journal.begin(phase)
    }

    fn settle(&self, phase: usize) {
        self.journal.settle(phase);
    }

    fn keeps_order(&self) -> bool {
        self.keeps_order
    }
}
