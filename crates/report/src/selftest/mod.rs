//! What a self-test found: the error of every time that the client takes, and whether it may be believed.

mod certificate;
mod problem;

use std::collections::BTreeMap;
use std::path::PathBuf;

use aiperf_metrics::{ClientLoad, Percentile, Stats};
use serde::{Deserialize, Serialize};

pub use certificate::{Certificate, Citation, Machine};
pub use problem::{ErrorStatistic, SelfTestProblem};

use certificate::LoadFields;

/// A time that the client takes and the simulator knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimedError {
    TimeToFirstToken,
    InterTokenLatency,
    /// Single gaps between chunks.
    InterChunkLatency,
    RequestLatency,
    /// From the write of a chunk until the client has it.
    ChunkArrival,
    /// From the moment that the client calls the start of a request until the server has its first byte.
    SendTime,
    /// From when a request was due until its start.
    ScheduleLag,
}

impl TimedError {
    pub const ALL: [Self; 7] = [
        Self::TimeToFirstToken,
        Self::InterTokenLatency,
        Self::InterChunkLatency,
        Self::RequestLatency,
        Self::ChunkArrival,
        Self::SendTime,
        Self::ScheduleLag,
    ];

    pub const fn header(self) -> &'static str {
        match self {
            Self::TimeToFirstToken => "Time to First Token",
            Self::InterTokenLatency => "Inter Token Latency",
            Self::InterChunkLatency => "Inter Chunk Latency",
            Self::RequestLatency => "Request Latency",
            Self::ChunkArrival => "Chunk Arrival",
            Self::SendTime => "Send Time",
            Self::ScheduleLag => "Schedule Lag",
        }
    }
}

/// Milliseconds. The mean keeps the sign, so that it shows a bias (above zero: the client's time is too long); the others
/// are of the error's size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ErrorStats {
    pub count: u64,
    pub p50: f64,
    pub p99: f64,
    pub max: f64,
    pub mean: f64,
}

impl ErrorStats {
    /// Of signed errors in nanoseconds; `None` when there are none.
    pub fn of(errors: &[i64]) -> Option<Self> {
        let millis = |nanos: f64| nanos / 1e6;
        let sizes = Stats::of(errors.iter().map(|error| error.unsigned_abs() as f64).collect())?;
        let signed = Stats::of(errors.iter().map(|error| *error as f64).collect())?;
        Some(Self {
            count: errors.len() as u64,
            p50: millis(sizes.percentile(Percentile::P50)?),
            p99: millis(sizes.percentile(Percentile::P99)?),
            max: millis(sizes.max?),
            mean: millis(signed.avg?),
        })
    }
}

/// The most that an error may be, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ErrorLimits {
    pub p50: f64,
    pub p99: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Grade {
    Pass,
    /// Within the limits, with less than a factor of two to spare.
    Warn,
    Fail,
}

impl Grade {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Warn => "WARN",
            Self::Fail => "FAIL",
        }
    }
}

/// How the records of the client and the truth of the simulator went together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct JoinCounts {
    /// Measured requests that both know and that succeeded.
    pub compared: u64,
    pub failed: u64,
    /// Ended by the end of the run.
    pub cut_off: u64,
    /// Answered by the simulator, without a record of the client.
    pub lost: u64,
    /// Records of requests that the simulator never saw, or that have a second record.
    pub extra: u64,
    /// Chunks that one side has and the other has not.
    pub chunks_missing: u64,
}

/// Processor time of the client while it ran; the simulator's is not in it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ClientCpu {
    pub cpu_seconds: f64,
    pub wall_seconds: f64,
    pub processors: usize,
    /// Of all processors.
    pub percent: f64,
}

/// The load that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AskedLoad {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_rate: Option<f64>,
    pub tokens_per_second: f64,
    /// In the notation of the simulator.
    pub ttft_ms: String,
    pub output_tokens: u32,
    pub duration_s: f64,
}

/// All that a self-test has to say.
#[derive(Debug, Clone, Serialize)]
pub struct SelfTestReport {
    pub aiperf_version: String,
    /// UTC, to the second.
    pub date: String,
    pub machine: Machine,
    pub asked: AskedLoad,
    #[serde(serialize_with = "LoadFields::serialize")]
    pub reached: ClientLoad,
    pub requests: JoinCounts,
    pub client_cpu: ClientCpu,
    /// Milliseconds by which the simulator wrote chunks later than planned, if it wrote any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulator_lag: Option<ErrorStats>,
    /// Milliseconds.
    pub errors: BTreeMap<TimedError, ErrorStats>,
    /// Milliseconds; what has no limit is not there.
    pub limits: BTreeMap<TimedError, ErrorLimits>,
    pub verdict: Grade,
    pub problems: Vec<SelfTestProblem>,
    /// Where the result is kept, when it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_in: Option<PathBuf>,
}

impl SelfTestReport {
    /// What is kept of it.
    pub fn certificate(&self) -> Certificate {
        Certificate {
            machine: self.machine.clone(),
            aiperf_version: self.aiperf_version.clone(),
            date: self.date.clone(),
            verdict: self.verdict,
            load: self.reached,
            errors: self.errors.clone(),
        }
    }

    /// The verdict on one time; `None` if there is no limit.
    pub fn grade_of(&self, error: TimedError) -> Option<Grade> {
        self.limits.get(&error)?;
        let worst = self.problems.iter().filter(|problem| problem.is_about(error)).map(SelfTestProblem::grade).max();
        Some(worst.unwrap_or(Grade::Pass))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_ranked_and_the_mean_keeps_the_sign() {
        let stats = ErrorStats::of(&[-3_000_000, 1_000_000, 2_000_000, -4_000_000]).unwrap();
        assert_eq!((stats.count, stats.p50, stats.max, stats.mean), (4, 2.5, 4.0, -1.0));
        assert_eq!(ErrorStats::of(&[]), None);
    }
}
