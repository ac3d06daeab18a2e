//! Runs whose truth is known, written as artifact folders.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use aiperf_seed::{Seed, Stream};

/// How the times to the first token of a run are spread.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LatencySpread {
    /// Log-normal with a coefficient of variation of 0.3, each by itself.
    Independent,
    /// The same, each remembering 0.6 of the one before.
    Remembering,
    /// Exponential on top of a floor: a long tail.
    LongTail,
    /// Log-normal with a coefficient of variation of 0.1, each by itself.
    Moderate,
}

impl LatencySpread {
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Independent => "log-normal, independent",
            Self::Remembering => "log-normal, autocorrelated (0.6)",
            Self::LongTail => "exponential over a floor",
            Self::Moderate => "log-normal (0.1), independent",
        }
    }

    /// The next time in milliseconds; `memory` is what the series remembers.
    fn draw(self, stream: &mut Stream, memory: &mut f64) -> f64 {
        let log_spread = 1.09_f64.ln().sqrt();
        match self {
            Self::Independent => 50.0 * (log_spread * stream.standard_normal()).exp(),
            Self::Remembering => {
                *memory = 0.6 * *memory + 0.8 * stream.standard_normal();
                50.0 * (log_spread * *memory).exp()
            }
            Self::LongTail => 30.0 + stream.exponential(20.0),
            Self::Moderate => 50.0 * (1.01_f64.ln().sqrt() * stream.standard_normal()).exp(),
        }
    }
}

/// A run to be made up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MadeUp {
    pub(crate) spread: LatencySpread,
    pub(crate) requests: u64,
    /// What each time to the first token is multiplied by.
    pub(crate) slower: f64,
    pub(crate) seed: u64,
    pub(crate) concurrency: usize,
    /// Share of requests that fail.
    pub(crate) failed: f64,
}

const TOKENS: u32 = 16;
const EPOCH: f64 = 1.79e18;

impl MadeUp {
    /// A closed loop of 8 in which 3 of 1,000 requests fail.
    pub(crate) const fn usual(spread: LatencySpread, requests: u64, slower: f64, seed: u64) -> Self {
        Self { spread, requests, slower, seed, concurrency: 8, failed: 0.003 }
    }

    /// Writes the records of a closed loop.
    pub(crate) fn write(&self, folder: &Path) {
        let mut stream = Seed::fixed(self.seed).stream("made-up");
        let mut memory = stream.standard_normal();
        let mut free_at = vec![0.0_f64; self.concurrency];
        let mut text = String::new();
        for number in 0..self.requests {
            let slot = (0..self.concurrency).min_by(|a, b| free_at[*a].total_cmp(&free_at[*b])).unwrap();
            let start = free_at[slot];
            let first = self.spread.draw(&mut stream, &mut memory) * self.slower;
            let shape = if matches!(self.spread, LatencySpread::Moderate) { 100.0 } else { 25.0 };
            let gap = stream.gamma(shape, 5.0 / shape);
            let latency = first + f64::from(TOKENS - 1) * gap;
            free_at[slot] = start + latency;
            let failed = stream.unit() < self.failed;
            let nanos = |ms: f64| (EPOCH + ms * 1e6) as u64;
            let (start_ns, end_ns) = (nanos(start), nanos(start + latency));
            let metadata = format!(
                r#"{{"x_request_id":"{number}","credit_issued_ns":{start_ns},"request_start_ns":{start_ns},"request_end_ns":{end_ns},"benchmark_phase":"profiling","phase_name":"profiling"}}"#
            );
            let rest = if failed {
                r#""metrics":{},"error":{"type":"Failure","message":"made up"}"#.to_owned()
            } else {
                format!(
                    r#""metrics":{{"time_to_first_token":{{"value":{first}}},"inter_token_latency":{{"value":{gap}}},"request_latency":{{"value":{latency}}},"input_sequence_length":{{"value":32}},"output_sequence_length":{{"value":{TOKENS}}}}}"#
                )
            };
            writeln!(text, r#"{{"metadata":{metadata},{rest}}}"#).unwrap();
        }
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("profile_export.jsonl"), text).unwrap();
        // A whole run has a summary that says so; its numbers are not looked at where records are.
        let summary = r#"{"was_cancelled": false, "is_complete": true}"#;
        fs::write(folder.join("profile_export_aiperf.json"), summary).unwrap();
    }
}
