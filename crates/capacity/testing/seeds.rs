//! Many searches with different seeds, on all cores.

use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// As many searches, with seeds that follow each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seeds {
    pub(crate) first: u64,
    pub(crate) count: u64,
}

impl Seeds {
    pub(crate) fn read(word: &str) -> Option<Self> {
        let (count, first) = word.split_once('@').unwrap_or((word, "0"));
        Some(Self { first: first.parse().ok()?, count: count.parse().ok().filter(|count| *count > 0)? })
    }

    /// The results in no particular order: threads take the next seed when they are free.
    pub(crate) fn each<T: Send>(self, work: impl Fn(u64) -> T + Sync) -> Vec<T> {
        let next = AtomicU64::new(0);
        let results = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= self.count {
                            break;
                        }
                        let result = work(self.first + number);
                        results.lock().unwrap_or_else(PoisonError::into_inner).push(result);
                    }
                });
            }
        });
        results.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A share of the searches.
pub(crate) fn percent(count: usize, seeds: Seeds) -> String {
    format!("{:.1} %", count as f64 / seeds.count as f64 * 100.0)
}
