//! Where the times of a run came from and how far they can be trusted, as JSON.

use aiperf_clock::{Nanos, OffsetHistory, StampSource};
use aiperf_metrics::LateReads;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Reads of response bodies by where their time came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct StampCounts {
    /// Stamped by the kernel when they arrived.
    pub kernel: u64,
    /// Stamped by the thread that read them.
    pub user: u64,
    /// Of both, those that completed several chunks, which share the time of the last.
    pub coalesced: u64,
}

impl StampCounts {
    /// Reads that a thread stamped, if the kernel stamped none.
    pub(crate) const fn without_kernel(&self) -> u64 {
        if self.kernel == 0 { self.user } else { 0 }
    }
}

/// How long bytes waited in the socket before they were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DelayFigures {
    pub p50: Nanos,
    pub p99: Nanos,
    pub max: Nanos,
}

/// The stamps of a whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timestamps {
    /// What the system offers.
    pub source: StampSource,
    pub reads: StampCounts,
    /// What was read too late to know its own time.
    pub late: LateReads,
    /// `None` when the kernel stamped nothing.
    pub arrival_to_read_delay: Option<DelayFigures>,
    /// How kernel stamps were put on the monotonic clock; `None` when there were none to be had.
    pub clock_offset: Option<OffsetHistory>,
}

/// The `timestamps` object.
pub(crate) fn timestamps(stamps: &Timestamps) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    // A system that stamps TCP may have had nothing but Unix sockets to stamp.
    let by_kernel = stamps.source == StampSource::Kernel && (stamps.reads.kernel > 0 || stamps.reads.user == 0);
    put("source", if by_kernel { "kernel" } else { "user" }.into());
    put("kernel_reads", stamps.reads.kernel.into());
    put("user_reads", stamps.reads.user.into());
    put("coalesced_reads", stamps.reads.coalesced.into());
    put("chunks", stamps.late.chunks.into());
    put("merged_chunks", stamps.late.merged_chunks.into());
    put("first_tokens", stamps.late.requests.into());
    put("late_first_tokens", stamps.late.first_tokens.into());
    if let Some(DelayFigures { p50, p99, max }) = stamps.arrival_to_read_delay {
        let [p50, p99, max] = [p50, p99, max].map(Nanos::as_millis_f64);
        put("arrival_to_read_delay_ms", json!({"p50": p50, "p99": p99, "max": max}));
    }
    if let Some(offset) = stamps.clock_offset {
        put("clock_offset_start_ns", offset.start_nanos.into());
        put("clock_offset_end_ns", offset.end_nanos.into());
        put("clock_step", offset.stepped().into());
    }
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_with_kernel_stamps_tells_their_delay_and_the_offset_of_the_clocks() {
        let stamps = Timestamps {
            source: StampSource::Kernel,
            reads: StampCounts { kernel: 90, user: 1, coalesced: 7 },
            late: LateReads { requests: 10, first_tokens: 2, chunks: 80, merged_chunks: 9 },
            arrival_to_read_delay: Some(DelayFigures {
                p50: Nanos(20_000),
                p99: Nanos(1_500_000),
                max: Nanos(3_000_000),
            }),
            clock_offset: Some(OffsetHistory { start_nanos: 5, end_nanos: 6, largest_step: Nanos::ZERO }),
        };
        assert_eq!(
            timestamps(&stamps),
            json!({
                "source": "kernel", "kernel_reads": 90, "user_reads": 1, "coalesced_reads": 7,
                "chunks": 80, "merged_chunks": 9, "first_tokens": 10, "late_first_tokens": 2,
                "arrival_to_read_delay_ms": {"p50": 0.02, "p99": 1.5, "max": 3.0},
                "clock_offset_start_ns": 5, "clock_offset_end_ns": 6, "clock_step": false,
            })
        );
    }

    #[test]
    fn a_run_without_them_says_that_its_threads_took_the_time() {
        let reads = StampCounts { kernel: 0, user: 4, coalesced: 0 };
        let stamps = Timestamps {
            source: StampSource::User,
            reads,
            late: LateReads { requests: 2, chunks: 4, ..LateReads::default() },
            arrival_to_read_delay: None,
            clock_offset: None,
        };
        let shown = timestamps(&stamps);
        assert_eq!(
            shown,
            json!({
                "source": "user", "kernel_reads": 0, "user_reads": 4, "coalesced_reads": 0,
                "chunks": 4, "merged_chunks": 0, "first_tokens": 2, "late_first_tokens": 0,
            })
        );
        let unix_only = Timestamps { source: StampSource::Kernel, ..stamps };
        assert_eq!(timestamps(&unix_only)["source"], "user");
    }
}
