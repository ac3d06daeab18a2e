//! Which clock the times of reads came from, and which of them are late.

use std::ops::AddAssign;

use aiperf_clock::ReadTally;
use aiperf_engine::ReadDelays;
use aiperf_metrics::LateReads;
use aiperf_protocol::ContentChunk;
use aiperf_report::{DelayFigures, StampCounts, Timestamps};
use aiperf_socket::Stamping;

/// Of one exchange. A read that completed several chunks is coalesced: they all have the time of the last of them.
pub(crate) fn of_exchange(reads: &ReadTally, chunks: &[ContentChunk]) -> StampCounts {
    let coalesced = chunks.chunk_by(|a, b| a.at == b.at).filter(|alike| alike.len() > 1).count();
    StampCounts { kernel: reads.kernel, user: reads.user, coalesced: coalesced as u64 }
}

/// Of one successful exchange of the measured phase. The kernel keeps one arrival time for bytes that wait together, that of
/// the last of them. A chunk that shares it with a later one came earlier than its time says. If the bytes were read at
/// once, the server sent them together; if they waited, the client was late.
pub(crate) fn late_reads(reads: &ReadTally, chunks: &[ContentChunk]) -> LateReads {
    let Some(first) = chunks.first() else { return LateReads::default() };
    let mut seen = LateReads { requests: 1, chunks: chunks.len() as u64, ..LateReads::default() };
    for alike in chunks.chunk_by(|a, b| a.at == b.at).filter(|alike| alike.len() > 1) {
        let at = alike[0].at;
        if !reads.has_waited(at) {
            continue;
        }
        seen.merged_chunks += alike.len() as u64 - 1;
        seen.first_tokens += u64::from(at == first.at);
    }
    seen
}

/// Of all exchanges that a record thread read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AllStamps {
    pub(crate) reads: StampCounts,
    pub(crate) late: LateReads,
}

impl AddAssign<StampCounts> for AllStamps {
    fn add_assign(&mut self, more: StampCounts) {
        self.reads.kernel += more.kernel;
        self.reads.user += more.user;
        self.reads.coalesced += more.coalesced;
    }
}

impl AddAssign for AllStamps {
    fn add_assign(&mut self, more: Self) {
        *self += more.reads;
        self.late += more.late;
    }
}

/// Of the whole run.
pub(crate) fn of_run(stamping: &Stamping, all: AllStamps, delays: &ReadDelays) -> Timestamps {
    let figures = |p50, p99| DelayFigures { p50, p99, max: delays.max() };
    Timestamps {
        source: stamping.source(),
        reads: all.reads,
        late: all.late,
        arrival_to_read_delay: delays.quantile(0.5).zip(delays.quantile(0.99)).map(|(p50, p99)| figures(p50, p99)),
        clock_offset: stamping.offset(),
    }
}

#[cfg(test)]
mod tests {
    use aiperf_clock::{Mono, ReadMark, ReadStamp, StampSource};

    use super::*;

    fn tally(marks: &[ReadMark]) -> ReadTally {
        let mut tally = ReadTally::default();
        tally.add(marks, LateReads::WAIT);
        tally
    }

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
        let counts = of_exchange(&tally(&marks), &chunks);
        assert_eq!(counts, StampCounts { kernel: 3, user: 1, coalesced: 2 });
        let mut all = AllStamps::default();
        all += counts;
        all += counts;
        assert_eq!(all.reads, StampCounts { kernel: 6, user: 2, coalesced: 4 });
    }

    #[test]
    fn chunks_that_waited_and_share_a_time_with_later_ones_are_counted_and_the_first_among_them() {
        let ms = |millis: u64| Mono::from_nanos(millis * 1_000_000);
        let mark = |end, arrival, read| ReadMark::new(end, ReadStamp::kernel(ms(arrival), ms(read)));
        let chunks = |times: &[u64]| -> Vec<ContentChunk> {
            let chunk = |millis: &u64| ContentChunk {
                at: ms(*millis),
                has_output: true,
                has_reasoning: false,
                usage_completion_tokens: None,
            };
            times.iter().map(chunk).collect()
        };
        let counts = |marks: &[ReadMark], times: &[u64]| {
            let LateReads { first_tokens, merged_chunks, .. } = late_reads(&tally(marks), &chunks(times));
            (first_tokens, merged_chunks)
        };
        let late = [mark(30, 100, 150), mark(40, 160, 160), mark(60, 170, 175)];
        assert_eq!(counts(&late, &[100, 100, 100, 160, 170, 170]), (1, 3));
        assert_eq!(counts(&late, &[100, 160, 170, 170]), (0, 1), "the first came alone: its time is its own");
        let at_once = [mark(30, 100, 100), mark(40, 160, 161)];
        assert_eq!(counts(&at_once, &[100, 100, 160, 160]), (0, 0), "the server sent them together");
        let by_thread = [ReadMark::user(30, ms(100))];
        assert_eq!(counts(&by_thread, &[100, 100]), (0, 0), "how long these waited is not known");
        let all = late_reads(&tally(&late), &chunks(&[100, 160]));
        assert_eq!((all.requests, all.chunks), (1, 2));
        assert_eq!(late_reads(&tally(&late), &[]), LateReads::default());
    }

    #[test]
    fn a_run_without_kernel_stamps_says_so() {
        let timestamps = of_run(&Stamping::user(), AllStamps::default(), &ReadDelays::default());
        assert_eq!(timestamps.source, StampSource::User);
        assert!(timestamps.arrival_to_read_delay.is_none() && timestamps.clock_offset.is_none());
    }
}
