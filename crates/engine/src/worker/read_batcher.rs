//! Lets arrivals gather. To wake a thread costs as much as to take in what it was woken for, so a worker that would be woken
//! for every chunk of many streams rests for a moment first and then takes in together what came meanwhile. The kernel has
//! stamped it by then, so that a time is off only where two chunks of one stream come within a rest, and by no more than
//! its length.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use aiperf_clock::{Mono, Nanos, Timer};

/// A rest is this small a part of the gap between two reads of a response, within the bounds below.
const PART_OF_GAP: f64 = 5.0;
/// A shorter one gathers too little. Where chunks follow each other more quickly than this, a read brings several of them
/// in any case.
const SHORTEST: f64 = 100_000.0;
/// How late the end of a response may be noticed: of one of sixteen reads and more, that is 1/200 on average at worst.
const LONGEST: f64 = 1_000_000.0;
/// The gap that is followed is the one that this share of all gaps is below, and how quickly it is followed.
const LOW_SHARE: f64 = 0.05;
const STEP: f64 = 0.125;
/// Bounds of what is followed, in nanoseconds.
const GAPS: (f64, f64) = (10_000.0, 1e9);
/// Reads that a rest must bring on average, and the weight of the last one in that average.
const WORTHWHILE: f64 = 2.0;
const WEIGHT: f64 = 1.0 / 16.0;
/// While it is not worth it, one wait in so many tries again.
const TRY_EVERY: u32 = 64;
/// Where more than one read in so many is the last of its response, there is no rest: the next request may wait for it.
const READS_PER_END: f64 = 16.0;

/// Of one worker thread.
#[derive(Debug)]
pub(crate) struct Rest {
    timer: Timer,
    /// Low quantile of the gaps between reads of a response, in nanoseconds.
    gap: Cell<f64>,
    /// Share of reads that are the last of their response.
    ends: Cell<f64>,
    /// Since the last wait.
    reads: Cell<u32>,
    has_rested: Cell<bool>,
    /// How many reads a rest has brought of late.
    gathered: Cell<f64>,
    waits: Cell<u32>,
}

thread_local! {
    static OF_THIS_THREAD: RefCell<Option<Rc<Rest>>> = const { RefCell::new(None) };
}

/// To be called when the thread has nothing to do: rests, if that is worth its while.
pub(crate) fn before_park() {
    let length = OF_THIS_THREAD.with_borrow(|rest| rest.as_ref().and_then(|rest| rest.next()));
    if let Some(length) = length {
        // Whoever gives the thread something to do ends it.
        thread::park_timeout(length);
    }
}

impl Rest {
    pub(crate) fn new(timer: Timer) -> Rc<Self> {
        Rc::new(Self {
            timer,
            gap: Cell::new(GAPS.0),
            ends: Cell::new(1.0),
            reads: Cell::new(0),
            has_rested: Cell::new(false),
            gathered: Cell::new(WORTHWHILE),
            waits: Cell::new(0),
        })
    }

    /// From now on this thread rests.
    pub(crate) fn install(rest: &Rc<Self>) {
        OF_THIS_THREAD.set(Some(Rc::clone(rest)));
    }

    /// This thread does not rest any more.
    pub(crate) fn uninstall() {
        OF_THIS_THREAD.set(None);
    }

    /// Something arrived, so long after what came before it in the same response.
    pub(crate) fn note_read(&self, gap: Option<Nanos>) {
        self.reads.set(self.reads.get().saturating_add(1));
        self.ends.set(self.ends.get() * (1.0 - 1.0 / (READS_PER_END * READS_PER_END)));
        if let Some(gap) = gap {
            let known = self.gap.get();
            let factor = if (gap.0 as f64) < known { 1.0 - STEP * (1.0 - LOW_SHARE) } else { 1.0 + STEP * LOW_SHARE };
            self.gap.set((known * factor).clamp(GAPS.0, GAPS.1));
        }
    }

    /// A response has ended.
    pub(crate) fn note_end(&self) {
        self.ends.set(self.ends.get() + 1.0 / (READS_PER_END * READS_PER_END));
    }

    /// How long to rest now, if at all.
    fn next(&self) -> Option<Duration> {
        let reads = self.reads.replace(0);
        if self.has_rested.replace(false) {
            let known = self.gathered.get();
            self.gathered.set(known + (f64::from(reads) - known) * WEIGHT);
        }
        let waits = self.waits.get().wrapping_add(1);
        self.waits.set(waits);
        let tries = waits.is_multiple_of(TRY_EVERY);
        if self.ends.get() * READS_PER_END > 1.0 || !(tries || self.gathered.get() >= WORTHWHILE) {
            return None;
        }
        let length = (self.gap.get() / PART_OF_GAP).clamp(SHORTEST, LONGEST);
        // What is due must not be late.
        let left = self.timer.next_due().map_or(f64::MAX, |due| due.since(Mono::now()).0 as f64);
        let length = length.min(left);
        self.has_rested.set(length >= SHORTEST);
        (length >= SHORTEST).then(|| Duration::from_nanos(length as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAP: Nanos = Nanos(5_000_000);

    fn with_rest(body: impl FnOnce(&Rest, &Timer)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, async {
            let timer = Timer::start().unwrap();
            body(&Rest::new(timer.clone()), &timer);
        });
    }

    /// So many waits, each of which brought so many reads; one response in `length` reads ends.
    fn live(rest: &Rest, waits: usize, reads: usize, gap: Nanos, length: usize) -> Option<Duration> {
        let mut last = None;
        let mut count = 0;
        for _ in 0..waits {
            for _ in 0..reads {
                rest.note_read(Some(gap));
                count += 1;
                if count % length == 0 {
                    rest.note_end();
                }
            }
            last = rest.next();
        }
        last
    }

    #[test]
    fn many_streams_are_read_together_after_a_small_part_of_their_gap() {
        with_rest(|rest, _| {
            let length = live(rest, 2_001, 8, GAP, 100).unwrap();
            assert!(length <= Duration::from_millis(1) && length >= Duration::from_micros(840), "{length:?}");
        });
    }

    #[test]
    fn a_lone_stream_is_read_as_it_comes() {
        with_rest(|rest, _| assert_eq!(live(rest, 2_001, 1, GAP, 100), None));
    }

    #[test]
    fn short_responses_are_read_as_they_come() {
        with_rest(|rest, _| assert_eq!(live(rest, 2_001, 8, GAP, 4), None));
    }

    #[test]
    fn bursts_shorten_the_rest() {
        with_rest(|rest, _| {
            live(rest, 2_001, 8, GAP, 100);
            assert_eq!(live(rest, 1_001, 8, Nanos(20_000), 100), Some(Duration::from_micros(100)));
        });
    }
}
