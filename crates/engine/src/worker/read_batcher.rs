//! Lets several reads share one wake-up. Waking a thread costs as much as taking in what it was woken for, so a worker that
//! would be woken for every chunk of many streams waits for a moment first and then reads together what arrived meanwhile.
//! The kernel has stamped it by then, so that a time is wrong only if two chunks of one stream arrive within one wait, and
//! by at most the length of that wait.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use aiperf_clock::{Mono, Nanos, Timer};

/// A wait is this small a part of the gap between two reads of a response, within the bounds below.
const PART_OF_GAP: f64 = 5.0;
/// Shortest wait, in nanoseconds: a shorter one brings too little. If chunks follow each other more quickly than this, a
/// read brings several of them in any case.
const SHORTEST: f64 = 100_000.0;
/// Longest wait, in nanoseconds: how late the end of a response may be noticed. For a response of sixteen reads or more
/// that is 1/200 on average at worst.
const LONGEST: f64 = 1_000_000.0;
/// The gap that is followed is this low quantile of all gaps.
const LOW_SHARE: f64 = 0.05;
/// How quickly the low quantile is followed.
const STEP: f64 = 0.125;
/// Bounds of the gap that is followed, in nanoseconds.
const GAPS: (f64, f64) = (10_000.0, 1e9);
/// Reads that a wait must bring on average to be worth it.
const WORTHWHILE: f64 = 2.0;
/// Weight of the last wait in that average.
const WEIGHT: f64 = 1.0 / 16.0;
/// While waiting is not worth it, one park in this many tries it again.
const TRY_EVERY: u32 = 64;
/// If more than one read in this many is the last of its response, there is no wait: the next request may depend on it.
const READS_PER_END: f64 = 16.0;

/// Decides how long one worker thread waits before it reads.
#[derive(Debug)]
pub(crate) struct ReadBatcher {
    timer: Timer,
    /// Low quantile of the gaps between reads of a response, in nanoseconds.
    gap: Cell<f64>,
    /// Share of reads that are the last of their response.
    ends: Cell<f64>,
    /// Reads since the thread last had nothing to do.
    reads: Cell<u32>,
    has_waited: Cell<bool>,
    /// How many reads a wait has brought of late.
    gathered: Cell<f64>,
    parks: Cell<u32>,
}

thread_local! {
    static OF_THIS_THREAD: RefCell<Option<Rc<ReadBatcher>>> = const { RefCell::new(None) };
}

/// To be called when the thread has nothing to do: waits, if that is worth it.
pub(crate) fn before_park() {
    let length = OF_THIS_THREAD.with_borrow(|batcher| batcher.as_ref().and_then(|batcher| batcher.next()));
    if let Some(length) = length {
        // Whoever gives the thread something to do unparks it.
        thread::park_timeout(length);
    }
}

impl ReadBatcher {
    pub(crate) fn new(timer: Timer) -> Rc<Self> {
        Rc::new(Self {
            timer,
            gap: Cell::new(GAPS.0),
            ends: Cell::new(1.0),
            reads: Cell::new(0),
            has_waited: Cell::new(false),
            gathered: Cell::new(WORTHWHILE),
            parks: Cell::new(0),
        })
    }

    /// From now on the calling thread batches its reads.
    pub(crate) fn install(batcher: &Rc<Self>) {
        OF_THIS_THREAD.set(Some(Rc::clone(batcher)));
    }

    /// The calling thread does not batch its reads any more.
    pub(crate) fn uninstall() {
        OF_THIS_THREAD.set(None);
    }

    /// Notes a read, and how long after the read before it in the same response it came.
    pub(crate) fn note_read(&self, gap: Option<Nanos>) {
        self.reads.set(self.reads.get().saturating_add(1));
        self.ends.set(self.ends.get() * (1.0 - 1.0 / (READS_PER_END * READS_PER_END)));
        if let Some(gap) = gap {
            let known = self.gap.get();
            let factor = if (gap.0 as f64) < known { 1.0 - STEP * (1.0 - LOW_SHARE) } else { 1.0 + STEP * LOW_SHARE };
            self.gap.set((known * factor).clamp(GAPS.0, GAPS.1));
        }
    }

    /// Notes the end of a response.
    pub(crate) fn note_end(&self) {
        self.ends.set(self.ends.get() + 1.0 / (READS_PER_END * READS_PER_END));
    }

    /// How long to wait now, if at all.
    fn next(&self) -> Option<Duration> {
        let reads = self.reads.replace(0);
        if self.has_waited.replace(false) {
            let known = self.gathered.get();
            self.gathered.set(known + (f64::from(reads) - known) * WEIGHT);
        }
        let parks = self.parks.get().wrapping_add(1);
        self.parks.set(parks);
        let tries = parks.is_multiple_of(TRY_EVERY);
        if self.ends.get() * READS_PER_END > 1.0 || !(tries || self.gathered.get() >= WORTHWHILE) {
            return None;
        }
        let length = (self.gap.get() / PART_OF_GAP).clamp(SHORTEST, LONGEST);
        // What is due must not be late.
        let left = self.timer.next_due().map_or(f64::MAX, |due| due.since(Mono::now()).0 as f64);
        let length = length.min(left);
        self.has_waited.set(length >= SHORTEST);
        (length >= SHORTEST).then(|| Duration::from_nanos(length as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAP: Nanos = Nanos(5_000_000);

    fn with_batcher(body: impl FnOnce(&ReadBatcher, &Timer)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, async {
            let timer = Timer::start().unwrap();
            body(&ReadBatcher::new(timer.clone()), &timer);
        });
    }

    /// Parks `waits` times, each of which brought `reads` reads; one response in `length` reads ends.
    fn live(batcher: &ReadBatcher, waits: usize, reads: usize, gap: Nanos, length: usize) -> Option<Duration> {
        let mut last = None;
        let mut count = 0;
        for _ in 0..waits {
            for _ in 0..reads {
                batcher.note_read(Some(gap));
                count += 1;
                if count % length == 0 {
                    batcher.note_end();
                }
            }
            last = batcher.next();
        }
        last
    }

    #[test]
    fn many_streams_are_read_together_after_a_small_part_of_their_gap() {
        with_batcher(|batcher, _| {
            let length = live(batcher, 2_001, 8, GAP, 100).unwrap();
            assert!(length <= Duration::from_millis(1) && length >= Duration::from_micros(840), "{length:?}");
        });
    }

    #[test]
    fn a_lone_stream_is_read_as_it_comes() {
        with_batcher(|batcher, _| assert_eq!(live(batcher, 2_001, 1, GAP, 100), None));
    }

    #[test]
    fn short_responses_are_read_as_they_come() {
        with_batcher(|batcher, _| assert_eq!(live(batcher, 2_001, 8, GAP, 4), None));
    }

    #[test]
    fn bursts_shorten_the_wait() {
        with_batcher(|batcher, _| {
            live(batcher, 2_001, 8, GAP, 100);
            assert_eq!(live(batcher, 1_001, 8, Nanos(20_000), 100), Some(Duration::from_micros(100)));
        });
    }
}
