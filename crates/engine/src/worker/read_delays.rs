//! How long bytes waited between their arrival and the read that fetched them: counted where they are read, without a lock
//! and without allocation, and gathered now and then.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use aiperf_clock::Nanos;

/// Buckets per doubling of the delay: each is at most 3 % wide.
const STEPS: usize = 32;
/// Number of buckets; the last one holds all delays beyond four hours.
const BUCKETS: usize = STEPS * 40;

fn bucket(delay: Nanos) -> usize {
    let shift = delay.0.max(1).ilog2().saturating_sub(STEPS.ilog2());
    let step = (delay.0 >> shift) as usize;
    (shift as usize * STEPS + step).min(BUCKETS - 1)
}

/// The middle of a bucket.
fn middle(bucket: usize) -> Nanos {
    if bucket < 2 * STEPS {
        return Nanos(bucket as u64);
    }
    let shift = bucket / STEPS - 1;
    let low = ((STEPS + bucket % STEPS) as u64) << shift;
    Nanos(low + (1 << shift) / 2)
}

/// Counts of one worker, since they were last gathered.
#[derive(Debug)]
pub(crate) struct LocalDelays {
    counts: Box<[Cell<u32>]>,
    worst: Cell<u64>,
    any: Cell<bool>,
}

impl Default for LocalDelays {
    fn default() -> Self {
        Self { counts: vec![Cell::new(0); BUCKETS].into(), worst: Cell::new(0), any: Cell::new(false) }
    }
}

impl LocalDelays {
    pub(crate) fn note(&self, delay: Nanos) {
        let count = &self.counts[bucket(delay)];
        count.set(count.get().saturating_add(1));
        self.worst.set(self.worst.get().max(delay.0));
        self.any.set(true);
    }
}

/// Counts that several threads add to, without a lock.
#[derive(Debug)]
pub struct SharedDelays {
    counts: Box<[AtomicU64]>,
    worst: AtomicU64,
}

impl Default for SharedDelays {
    fn default() -> Self {
        Self { counts: (0..BUCKETS).map(|_| AtomicU64::new(0)).collect(), worst: AtomicU64::new(0) }
    }
}

impl SharedDelays {
    pub fn note(&self, delay: Nanos) {
        self.counts[bucket(delay)].fetch_add(1, Ordering::Relaxed);
        self.worst.fetch_max(delay.0, Ordering::Relaxed);
    }

    /// All that was noted so far; the counts stay.
    pub fn snapshot(&self) -> ReadDelays {
        let read = |shared: &AtomicU64| shared.load(Ordering::Relaxed);
        ReadDelays { worst: Nanos(read(&self.worst)), counts: self.counts.iter().map(read).collect() }
    }

    pub(crate) fn gather(&self, local: &LocalDelays) {
        if !local.any.replace(false) {
            return;
        }
        for (shared, local) in self.counts.iter().zip(&local.counts) {
            let count = local.take();
            if count > 0 {
                shared.fetch_add(u64::from(count), Ordering::Relaxed);
            }
        }
        self.worst.fetch_max(local.worst.take(), Ordering::Relaxed);
    }

    pub(crate) fn take(&self) -> ReadDelays {
        let take = |shared: &AtomicU64| match shared.load(Ordering::Relaxed) {
            0 => 0,
            _ => shared.swap(0, Ordering::Relaxed),
        };
        ReadDelays { worst: Nanos(take(&self.worst)), counts: self.counts.iter().map(take).collect() }
    }
}

/// Delays between arrival and read over a period. Quantiles are exact to 1.6 %; the largest delay is exact.
#[derive(Debug, Clone, Default)]
pub struct ReadDelays {
    counts: Vec<u64>,
    worst: Nanos,
}

impl ReadDelays {
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The buckets that are not empty, by their number, with their counts: what another process needs to add them up.
    pub fn buckets(&self) -> Vec<(u32, u64)> {
        let numbered = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        numbered.map(|(bucket, count)| (bucket as u32, *count)).collect()
    }

    /// Delays of which only the buckets are known; the largest delay is the middle of its bucket.
    pub fn of_buckets(buckets: impl IntoIterator<Item = (u32, u64)>) -> Self {
        let mut delays = Self { counts: vec![0; BUCKETS], worst: Nanos::ZERO };
        for (number, count) in buckets {
            let number = (number as usize).min(BUCKETS - 1);
            delays.counts[number] += count;
            delays.worst = delays.worst.max(middle(number));
        }
        delays
    }

    pub fn max(&self) -> Nanos {
        self.worst
    }

    /// The delay that `share` of all delays do not exceed.
    pub fn quantile(&self, share: f64) -> Option<Nanos> {
        let count = self.count();
        let rank = ((share * count as f64).ceil() as u64).clamp(1, count.max(1));
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Some(middle(bucket).min(self.worst));
            }
        }
        None
    }

    pub fn add(&mut self, more: &Self) {
        if self.counts.len() < more.counts.len() {
            self.counts.resize(more.counts.len(), 0);
        }
        for (all, more) in self.counts.iter_mut().zip(&more.counts) {
            *all += more;
        }
        self.worst = self.worst.max(more.worst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_never_far_from_what_it_holds() {
        for exponent in 0..37 {
            for step in 0..8_u64 {
                let delay = Nanos((1 << exponent) + step * (1 << exponent) / 8);
                let shown = middle(bucket(delay));
                assert!(shown.0.abs_diff(delay.0) as f64 <= 0.016 * delay.0 as f64, "{delay:?} {shown:?}");
            }
        }
        assert_eq!(bucket(Nanos(u64::MAX)), BUCKETS - 1);
        assert_eq!(middle(bucket(Nanos::ZERO)), Nanos::ZERO);
    }

    #[test]
    fn buckets_of_several_processes_add_up() {
        let (one, other, all) = (SharedDelays::default(), SharedDelays::default(), SharedDelays::default());
        for ms in 1..=1000_u64 {
            let time = Nanos(ms * 1_000_000);
            if ms % 3 == 0 {
                one.note(time);
            } else {
                other.note(time);
            }
            all.note(time);
        }
        let parts = [one, other].map(|part| part.snapshot().buckets()).concat();
        let merged = ReadDelays::of_buckets(parts);
        assert_eq!(merged.count(), 1000);
        for share in [0.01, 0.5, 0.99] {
            assert_eq!(merged.quantile(share), all.snapshot().quantile(share));
        }
    }

    #[test]
    fn a_snapshot_leaves_the_counts_where_they_are() {
        let shared = SharedDelays::default();
        assert_eq!(shared.snapshot().quantile(0.5), None);
        for ms in 1..=100 {
            shared.note(Nanos(ms * 1_000_000));
        }
        for _ in 0..2 {
            let seen = shared.snapshot();
            assert_eq!((seen.count(), seen.max()), (100, Nanos(100_000_000)));
            let median = seen.quantile(0.5).unwrap();
            assert!(median.0.abs_diff(50_000_000) < 1_000_000, "{median:?}");
        }
    }

    #[test]
    fn counts_of_several_workers_and_stretches_add_up() {
        let shared = SharedDelays::default();
        let mut all = ReadDelays::default();
        assert_eq!((all.quantile(0.5), all.count()), (None, 0));
        for worker in 0..4_u64 {
            let local = LocalDelays::default();
            for delay in 1..=250 {
                local.note(Nanos((worker * 250 + delay) * 1_000));
            }
            shared.gather(&local);
            shared.gather(&local);
            if worker == 1 {
                all.add(&shared.take());
            }
        }
        all.add(&shared.take());
        assert_eq!((all.count(), all.max()), (1_000, Nanos(1_000_000)));
        for (share, exact) in [(0.5, 500_000.0), (0.99, 990_000.0), (1.0, 1_000_000.0)] {
            let shown = all.quantile(share).unwrap().0 as f64;
            assert!((shown - exact).abs() <= 0.02 * exact, "{share}: {shown}");
        }
        assert_eq!(shared.take().count(), 0);
    }
}
