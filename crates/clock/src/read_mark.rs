//! When the bytes of a stream arrived: kept next to the bytes, so that a parser knows the time of each part later.

use crate::{Mono, Nanos};

/// Who took the time of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StampSource {
    /// The kernel, when the last segment of the read came in.
    Kernel,
    /// The thread that read, when the read returned.
    #[default]
    User,
}

/// The time of one read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadStamp {
    /// The best that is known of when the bytes arrived.
    pub at: Mono,
    /// When the read returned.
    pub read_at: Mono,
    pub source: StampSource,
}

/// Everything up to byte `end` of the stream had arrived at `at`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadMark {
    pub end: usize,
    pub at: Mono,
    /// When the read that brought it returned.
    pub read_at: Mono,
    pub source: StampSource,
}

impl ReadStamp {
    pub const fn user(read_at: Mono) -> Self {
        Self { at: read_at, read_at, source: StampSource::User }
    }

    /// A stamp of the kernel. One that lies after the read that it belongs to cannot be true (the wall clock was set), and
    /// the time of the read is taken instead.
    pub fn kernel(arrival: Mono, read_at: Mono) -> Self {
        if arrival > read_at {
            return Self::user(read_at);
        }
        Self { at: arrival, read_at, source: StampSource::Kernel }
    }

    /// The time of the read instead, where the arrival lies before something that must have come first.
    pub fn not_before(self, earlier: Mono) -> Self {
        if self.at < earlier { Self::user(self.read_at) } else { self }
    }

    /// How long the bytes waited for the thread; `None` where only the thread knows.
    pub fn delay(self) -> Option<Nanos> {
        (self.source == StampSource::Kernel).then(|| self.read_at.since(self.at))
    }
}

impl ReadMark {
    pub const fn new(end: usize, stamp: ReadStamp) -> Self {
        Self { end, at: stamp.at, read_at: stamp.read_at, source: stamp.source }
    }

    /// A mark whose time was taken by the thread that read.
    pub const fn user(end: usize, read_at: Mono) -> Self {
        Self::new(end, ReadStamp::user(read_at))
    }
}

/// What is kept of the marks of a response once its bytes were parsed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadTally {
    /// Reads that the kernel stamped.
    pub kernel: u64,
    /// Reads that the thread stamped.
    pub user: u64,
    /// Arrival times of the reads whose bytes waited too long for the thread, in order.
    waited: Vec<Mono>,
}

impl ReadTally {
    /// Adds the marks of later reads. Bytes that waited longer than `longest` waited too long.
    pub fn add(&mut self, marks: &[ReadMark], longest: Nanos) {
        for mark in marks {
            match mark.source {
                StampSource::User => self.user += 1,
                StampSource::Kernel => {
                    self.kernel += 1;
                    if mark.read_at.since(mark.at) > longest {
                        self.waited.push(mark.at);
                    }
                }
            }
        }
    }

    /// Whether bytes that arrived at this time waited too long.
    pub fn has_waited(&self, at: Mono) -> bool {
        self.waited.binary_search(&at).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(nanos: u64) -> Mono {
        Mono::from_nanos(nanos)
    }

    #[test]
    fn a_tally_knows_who_stamped_and_which_bytes_waited() {
        let mark = |arrival, read| ReadMark::new(1, ReadStamp::kernel(at(arrival), at(read)));
        let mut tally = ReadTally::default();
        tally.add(&[mark(10, 15), mark(20, 40)], Nanos(5));
        tally.add(&[ReadMark::user(1, at(50)), mark(60, 70)], Nanos(5));
        assert_eq!((tally.kernel, tally.user), (3, 1));
        assert_eq!([10, 20, 50, 60].map(|time| tally.has_waited(at(time))), [false, true, false, true]);
    }

    #[test]
    fn a_kernel_stamp_says_how_long_the_bytes_waited() {
        let stamp = ReadStamp::kernel(at(70), at(100));
        assert_eq!((stamp.at, stamp.delay()), (at(70), Some(Nanos(30))));
        assert_eq!(ReadStamp::user(at(100)).delay(), None);
    }

    #[test]
    fn a_stamp_that_cannot_be_true_gives_way_to_the_time_of_the_read() {
        assert_eq!(ReadStamp::kernel(at(101), at(100)), ReadStamp::user(at(100)));
        let early = ReadStamp::kernel(at(70), at(100));
        assert_eq!(early.not_before(at(71)), ReadStamp::user(at(100)));
        assert_eq!(early.not_before(at(70)), early);
    }
}
