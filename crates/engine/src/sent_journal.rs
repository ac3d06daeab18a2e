//! A count of requests outside of this process: whoever has it knows what was sent, even if the process was killed.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts requests where the count outlives this process. No call may wait.
pub trait SentJournal: Debug + Send + Sync {
    /// Counts a request that is going to be sent; returns how many of its phase came before.
    fn begin(&self, phase: usize) -> u64;

    /// Counts a request that is in the hands of the kernel, or that has ended without it. What has begun and is not settled never
    /// left.
    fn settle(&self, phase: usize);

    /// Whether the requests that have begun must be the first ones of the schedule at any time, so that another process can go on after
    /// them. It costs the reserves of the workers.
    fn keeps_order(&self) -> bool;
}

/// Counts the turns of a phase in the order in which they start.
#[derive(Debug, Clone)]
pub(crate) enum CreditNumbers {
    Own(Arc<AtomicU64>),
    Kept { journal: Arc<dyn SentJournal>, phase: usize },
}

impl CreditNumbers {
    pub(crate) fn new(journal: Option<&Arc<dyn SentJournal>>, phase: usize) -> Self {
        match journal {
            Some(journal) => Self::Kept { journal: Arc::clone(journal), phase },
            None => Self::Own(Arc::default()),
        }
    }

    pub(crate) fn next(&self) -> u64 {
        match self {
            Self::Own(count) => count.fetch_add(1, Ordering::Relaxed),
            Self::Kept { journal, phase } => journal.begin(*phase),
        }
    }
}
