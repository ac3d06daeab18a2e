//! Work that is done at the same time, on as many threads as the machine has.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::Metric;

/// Each thread holds the values of a metric twice, so that there must not be many; but two there may always be.
const MOST_BYTES: usize = 256 << 20;
const LEAST_THREADS: usize = 2;
/// Rows below which a thread costs more than it gives.
const WORTH_A_THREAD: usize = 20_000;

/// What `work` makes of each metric, in their order, with room that a thread keeps from one metric to the next. `rows`: how
/// much work each is.
pub(crate) fn parallel<T: Send, R: Default>(
    metrics: &[Metric],
    rows: usize,
    work: impl Fn(Metric, &mut R) -> T + Sync,
) -> Vec<T> {
    let affordable = (MOST_BYTES / (rows.max(1) * 2 * size_of::<f64>())).max(LEAST_THREADS);
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(affordable).min(metrics.len());
    if threads < 2 || rows < WORTH_A_THREAD {
        let mut room = R::default();
        return metrics.iter().map(|metric| work(*metric, &mut room)).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let (mut made, mut room) = (Vec::new(), R::default());
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            match metrics.get(place) {
                Some(metric) => made.push((place, work(*metric, &mut room))),
                None => return made,
            }
        }
    };
    let mut made: Vec<(usize, T)> = thread::scope(|scope| {
        let jobs: Vec<_> = (0..threads).map(|_| scope.spawn(take)).collect();
        jobs.into_iter().flat_map(|job| job.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    made.sort_by_key(|(place, _)| *place);
    made.into_iter().map(|(_, result)| result).collect()
}

/// Both results, worked out at the same time if there are enough rows for that.
pub(crate) fn both<A: Send, B>(rows: usize, one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
    if rows < WORTH_A_THREAD {
        return (one(), other());
    }
    thread::scope(|scope| {
        let job = scope.spawn(one);
        let other = other();
        (job.join().unwrap_or_else(|panic| resume_unwind(panic)), other)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_metrics() {
        let tags: Vec<&str> = Metric::ALL.iter().map(|metric| metric.tag()).collect();
        for rows in [10, 1_000_000] {
            assert_eq!(parallel(Metric::ALL, rows, |metric, (): &mut ()| metric.tag()), tags);
            assert_eq!(both(rows, || 1, || 2), (1, 2));
        }
    }
}
