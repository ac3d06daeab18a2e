//! How much a client had to do: what a self-test certifies, and what a run is compared with.

use crate::{Metric, Summary, Unit};

/// Rates swing from one second to the next: up to this share above the certified rate a run counts as covered.
const SWING: f64 = 0.1;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClientLoad {
    /// Requests in flight at once, at most.
    pub in_flight: u64,
    /// Content events received; a reply that is not streamed is one.
    pub chunks_per_second: f64,
    pub requests_per_second: f64,
}

/// One way in which a load can be larger than another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadAxis {
    InFlight,
    ChunkRate,
    RequestRate,
}

impl LoadAxis {
    const ALL: [Self; 3] = [Self::InFlight, Self::ChunkRate, Self::RequestRate];

    /// As files spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InFlight => "in_flight",
            Self::ChunkRate => "chunk_rate",
            Self::RequestRate => "request_rate",
        }
    }

    pub const fn unit(self) -> Unit {
        match self {
            Self::InFlight => Unit::Requests,
            Self::ChunkRate => Unit::ChunksPerSecond,
            Self::RequestRate => Unit::RequestsPerSecond,
        }
    }
}

impl ClientLoad {
    /// What a phase made the client do; `None` when no request succeeded.
    pub fn of(summary: &Summary) -> Option<Self> {
        let seconds = summary.get(Metric::BenchmarkDuration)?.avg.filter(|seconds| *seconds > 0.0)?;
        let gaps = summary.get(Metric::InterChunkLatency).and_then(|stats| stats.count).unwrap_or(0);
        Some(Self {
            in_flight: summary.get(Metric::EffectiveConcurrency)?.max? as u64,
            chunks_per_second: (summary.successful + gaps) as f64 / seconds,
            requests_per_second: (summary.successful + summary.failed) as f64 / seconds,
        })
    }

    pub fn on(&self, axis: LoadAxis) -> f64 {
        match axis {
            LoadAxis::InFlight => self.in_flight as f64,
            LoadAxis::ChunkRate => self.chunks_per_second,
            LoadAxis::RequestRate => self.requests_per_second,
        }
    }

    /// The first axis on which this load is larger than the certified one.
    pub fn beyond(&self, certified: &Self) -> Option<LoadAxis> {
        LoadAxis::ALL.into_iter().find(|axis| {
            let allowed = if *axis == LoadAxis::InFlight { 1.0 } else { 1.0 + SWING };
            self.on(*axis) > allowed * certified.on(*axis)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_beyond_another_when_it_is_larger_in_any_way() {
        let certified = ClientLoad { in_flight: 100, chunks_per_second: 10_000.0, requests_per_second: 100.0 };
        assert_eq!(certified.beyond(&certified), None);
        let swing = ClientLoad { chunks_per_second: 10_900.0, requests_per_second: 109.0, ..certified };
        assert_eq!(swing.beyond(&certified), None);
        assert_eq!(ClientLoad { in_flight: 101, ..certified }.beyond(&certified), Some(LoadAxis::InFlight));
        let quick = ClientLoad { chunks_per_second: 11_100.0, ..certified };
        assert_eq!(quick.beyond(&certified), Some(LoadAxis::ChunkRate));
        let short = ClientLoad { requests_per_second: 120.0, ..certified };
        assert_eq!(short.beyond(&certified), Some(LoadAxis::RequestRate));
    }
}
