//! Where the times of what was read came from.

use std::ops::AddAssign;

use aiperf_clock::{ReadMark, StampSource};
use aiperf_endpoint::ContentChunk;
use aiperf_engine::ReadDelays;
use aiperf_report::{DelayFigures, StampCounts, Timestamps};
use aiperf_socket::Stamping;

/// Of one exchange. A read that completed several chunks is coalesced: they all have the time of the last of them.
pub(crate) fn of_exchange(marks: &[ReadMark], chunks: &[ContentChunk]) -> StampCounts {
    let kernel = marks.iter().filter(|mark| mark.source == StampSource::Kernel).count();
    let coalesced = chunks.chunk_by(|a, b| a.at == b.at).filter(|alike| alike.len() > 1).count();
    StampCounts { kernel: kernel as u64, user: (marks.len() - kernel) as u64, coalesced: coalesced as u64 }
}

/// Of all exchanges that a record thread read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AllStamps(pub(crate) StampCounts);

impl AddAssign<StampCounts> for AllStamps {
    fn add_assign(&mut self, more: StampCounts) {
        self.0.kernel += more.kernel;
        self.0.user += more.user;
        self.0.coalesced += more.coalesced;
    }
}

/// Of the whole run.
pub(crate) fn of_run(stamping: &Stamping, all: AllStamps, delays: &ReadDelays) -> Timestamps {
    let figures = |p50, p99| DelayFigures { p50, p99, max: delays.max() };
    Timestamps {
        source: stamping.source(),
        reads: all.0,
        arrival_to_read_delay: delays.quantile(0.5).zip(delays.quantile(0.99)).map(|(p50, p99)| figures(p50, p99)),
        clock_offset: stamping.offset(),
    }
}

#[cfg(test)]
mod tests {
    use aiperf_clock::{Mono, ReadStamp};

    use super::*;

    #[test]
    fn a_read_with_several_chunks_is_coalesced() {
        let at = Mono::from_nanos;
        let mark = |end, arrival| ReadMark::new(end, ReadStamp::kernel(at(arrival), at(arrival + 5)));
        let marks = [mark(10, 100), mark(30, 200), ReadMark::user(40, at(300)), mark(50, 400)];
        let chunks = [100, 200, 200, 300, 400, 400, 400].map(|nanos| ContentChunk {
            at: at(nanos),
            has_output: true,
            has_reasoning: false,
            usage_completion_tokens: None,
        });
        let counts = of_exchange(&marks, &chunks);
        assert_eq!(counts, StampCounts { kernel: 3, user: 1, coalesced: 2 });
        let mut all = AllStamps::default();
        all += counts;
        all += counts;
        assert_eq!(all.0, StampCounts { kernel: 6, user: 2, coalesced: 4 });
    }

    #[test]
    fn a_run_without_kernel_stamps_says_so() {
        let timestamps = of_run(&Stamping::user(), AllStamps::default(), &ReadDelays::default());
        assert_eq!(timestamps.source, StampSource::User);
        assert!(timestamps.arrival_to_read_delay.is_none() && timestamps.clock_offset.is_none());
    }
}
