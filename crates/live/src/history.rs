//! One point for each second of the current phase, thinned when there are too many to draw.

use serde::Serialize;

use crate::snapshot::Percentiles;

/// Above this many points, each two neighbours become one.
const MOST: usize = 3_600;

/// The current phase over time.
#[derive(Debug, Clone, Default, Serialize)]
pub struct History {
    /// Name of the phase.
    pub phase: String,
    /// Seconds that a point stands for: 1, 2, 4, ...
    pub step: f64,
    pub points: Vec<HistoryPoint>,
}

/// What happened in one step. Latencies are in milliseconds and missing if no request ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HistoryPoint {
    /// Seconds from the start of the phase to the end of the step.
    pub at: f64,
    pub requests_per_second: f64,
    pub output_tokens_per_second: f64,
    pub in_flight: f64,
    pub errors_per_second: f64,
    pub ttft: Option<Percentiles>,
    pub itl: Option<Percentiles>,
    pub latency: Option<Percentiles>,
    /// Values of the server by tag, as [`crate::ServerHeadline`] has them.
    pub server: Vec<(&'static str, f64)>,
    /// Power of all GPUs.
    pub gpu_watts: Option<f64>,
}

impl History {
    pub(crate) fn new(phase: &str) -> Self {
        Self { phase: phase.to_owned(), step: 1.0, points: Vec::new() }
    }
}

/// Collects points and thins them.
#[derive(Debug, Clone, Default)]
pub(crate) struct HistoryLog {
    pub(crate) history: History,
    /// Points of one second that do not yet make up a step.
    pending: Vec<HistoryPoint>,
}

impl HistoryLog {
    pub(crate) fn new(phase: &str) -> Self {
        Self { history: History::new(phase), pending: Vec::new() }
    }

    pub(crate) fn push(&mut self, point: HistoryPoint) {
        self.pending.push(point);
        if (self.pending.len() as f64) < self.history.step {
            return;
        }
        self.history.points.extend(mean(&self.pending));
        self.pending.clear();
        if self.history.points.len() > MOST {
            self.history.points = self.history.points.chunks(2).filter_map(mean).collect();
            self.history.step *= 2.0;
        }
    }
}

/// The mean of several points. Percentiles cannot be averaged: the median one stands for the middle, and the highest p99 remains.
fn mean(points: &[HistoryPoint]) -> Option<HistoryPoint> {
    let last = points.last()?;
    let average = |of: fn(&HistoryPoint) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    Some(HistoryPoint {
        at: last.at,
        requests_per_second: average(|point| point.requests_per_second),
        output_tokens_per_second: average(|point| point.output_tokens_per_second),
        in_flight: average(|point| point.in_flight),
        errors_per_second: average(|point| point.errors_per_second),
        ttft: worst(points.iter().filter_map(|point| point.ttft)),
        itl: worst(points.iter().filter_map(|point| point.itl)),
        latency: worst(points.iter().filter_map(|point| point.latency)),
        server: last.server.clone(),
        gpu_watts: last.gpu_watts,
    })
}

fn worst(of: impl Iterator<Item = Percentiles>) -> Option<Percentiles> {
    let all: Vec<Percentiles> = of.collect();
    let mut middles: Vec<f64> = all.iter().map(|one| one.p50).collect();
    middles.sort_by(f64::total_cmp);
    Some(Percentiles {
        p50: *middles.get(middles.len() / 2)?,
        p99: all.iter().map(|one| one.p99).fold(f64::MIN, f64::max),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_phase_keeps_its_whole_length_with_fewer_points() {
        let mut log = HistoryLog::new("profiling");
        for second in 1..=10_000 {
            log.push(HistoryPoint { at: f64::from(second), requests_per_second: 5.0, ..HistoryPoint::default() });
        }
        let history = &log.history;
        assert!(history.points.len() <= MOST && history.points.len() > MOST / 2, "{}", history.points.len());
        assert!((history.step - 4.0).abs() < 1e-9);
        assert!(history.points.iter().all(|point| (point.requests_per_second - 5.0).abs() < 1e-9));
        assert!(history.points.last().unwrap().at > 9_995.0);
    }

    #[test]
    fn a_spike_survives_thinning() {
        let spike = |p99| Some(Percentiles { p50: 1.0, p99 });
        let points = [5.0, 900.0].map(|p99| HistoryPoint { ttft: spike(p99), ..HistoryPoint::default() });
        assert_eq!(mean(&points).unwrap().ttft.unwrap().p99.to_bits(), 900.0_f64.to_bits());
    }
}
