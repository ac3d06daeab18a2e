//! How much memory a node asks for. The numbers are measured: docs/performance.md has 301 MB for 10,000 streams and 234 MB for
//! 1,000,000 requests, and docs/kubernetes.md has the runs of small loads.

/// The load of a whole run, as far as it decides about memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunLoad {
    /// Requests at the same time; `None` if only the rate is known.
    pub concurrency: Option<u64>,
    pub requests: Option<u64>,
}

/// The program, its tables and a tokenizer.
const BASE: u64 = 64 << 20;
/// Threads and buffers of each of the first streams, and how many these are.
const PER_FIRST_STREAM: u64 = 160 << 10;
const FIRST_STREAMS: u64 = 256;
/// Buffers of each stream after those.
const PER_STREAM: u64 = 24 << 10;
/// Columns of one record.
const PER_REQUEST: u64 = 256;
/// What a coordinator needs to merge one record of the whole run: docs/cluster.md has 476 MB for 800,000.
const PER_MERGED_RECORD: u64 = 640;
/// Streams that a run may have open at once whose number is not known.
const UNKNOWN_STREAMS: u64 = 1000;
/// Requests are rounded up to a multiple of this.
const STEP: u64 = 16 << 20;

impl RunLoad {
    /// MiB that each of `nodes` nodes asks for.
    pub fn mebibytes_of_a_node(self, nodes: u32) -> u64 {
        let nodes = u64::from(nodes.max(1));
        let share = |all: u64| all.div_ceil(nodes);
        let streams = share(self.concurrency.unwrap_or(UNKNOWN_STREAMS));
        let bytes = BASE
            .saturating_add(streams.min(FIRST_STREAMS) * PER_FIRST_STREAM)
            .saturating_add(streams.saturating_sub(FIRST_STREAMS).saturating_mul(PER_STREAM))
            .saturating_add(share(self.requests.unwrap_or(0)).saturating_mul(PER_REQUEST));
        mebibytes(bytes)
    }

    /// MiB that the coordinator asks for. It sends nothing, and merges the records of all nodes.
    pub fn mebibytes_of_a_coordinator(self) -> u64 {
        mebibytes(BASE.saturating_add(self.requests.unwrap_or(0).saturating_mul(PER_MERGED_RECORD)))
    }
}

fn mebibytes(bytes: u64) -> u64 {
    (bytes.div_ceil(STEP) * STEP) >> 20
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_loads_take_tens_of_megabytes() {
        let load = RunLoad { concurrency: Some(32), requests: Some(1000) };
        assert_eq!(load.mebibytes_of_a_node(1), 80);
        assert_eq!(RunLoad::default().mebibytes_of_a_node(1), 128);
    }

    #[test]
    fn measured_loads_fit() {
        for (concurrency, requests, measured) in [
            (32, 1000, 61_941_000),
            (256, 4000, 97_457_000),
            (10_000, 50_000, 301_000_000),
            (64, 1_000_000, 234_000_000),
        ] {
            let load = RunLoad { concurrency: Some(concurrency), requests: Some(requests) };
            assert!(load.mebibytes_of_a_node(1) << 20 > measured, "{concurrency}");
        }
    }

    #[test]
    fn a_coordinator_has_room_for_all_records() {
        let of = |requests| RunLoad { concurrency: Some(8), requests: Some(requests) }.mebibytes_of_a_coordinator();
        assert_eq!(of(400), 80);
        assert!(of(800_000) << 20 > 476_000_000);
    }

    #[test]
    fn nodes_share_the_load() {
        let load = RunLoad { concurrency: Some(100_000), requests: Some(10_000_000) };
        assert!(load.mebibytes_of_a_node(8) < load.mebibytes_of_a_node(1) / 6);
    }
}
