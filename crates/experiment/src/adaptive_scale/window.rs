//! One stretch of time at one value: the requests that ended in it, and how they stand to the limits.

use aiperf_clock::{Mono, Nanos};
use aiperf_metrics::Metric;
use aiperf_protocol::RequestOutcome;

use super::limit::{LimitCheck, Limits, WindowRequests, statistic};
use super::ramp::WindowVerdict;
use crate::watch::live::LiveSample;

/// A window that goes on.
#[derive(Debug, Clone)]
pub(super) struct Window {
    pub(super) start: Mono,
    pub(super) end: Mono,
    length: Nanos,
    /// Requests that were due earlier were sent under another load.
    load_since: Mono,
}

/// What a window came to.
#[derive(Debug, Clone)]
pub(super) struct Assessment {
    pub(super) start: Mono,
    pub(super) end: Mono,
    pub(super) verdict: WindowVerdict,
    pub(super) checks: Vec<LimitCheck>,
    pub(super) succeeded: u64,
    pub(super) failed: u64,
    pub(super) cancelled: u64,
    /// Successful requests per second, whichever load they were sent under.
    pub(super) throughput: f64,
    /// Values of the metrics that each window reports, in milliseconds.
    reported: Vec<Vec<f64>>,
}

impl Window {
    pub(super) fn new(start: Mono, length: Nanos, load_since: Mono) -> Self {
        Self { start, end: start + length, length, load_since }
    }

    /// Goes on for another length, with the requests that it has.
    pub(super) fn extend(&mut self) {
        self.end = self.end + self.length;
    }

    /// The window that follows under the same load.
    pub(super) fn next(&self) -> Self {
        Self::new(self.end, self.length, self.load_since)
    }

    /// Assesses the requests that ended in the window. Statistics of single requests are about those that were sent under the present
    /// load; others would still show the load before.
    pub(super) fn assess(&self, samples: &[LiveSample], limits: &Limits, min_completed: u64) -> Assessment {
        let metrics = limits.metrics();
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); metrics.len()];
        let mut all_values = values.clone();
        let (mut succeeded, mut failed, mut cancelled, mut ended) = (0, 0, 0, 0);
        for sample in samples.iter().filter(|sample| self.start < sample.end && sample.end <= self.end) {
            let is_of_this_load = sample.due >= self.load_since;
            match sample.outcome {
                RequestOutcome::Success => {
                    ended += 1;
                    for (place, value) in sample.values.iter().enumerate() {
                        let Some(value) = value else { continue };
                        all_values[place].push(*value);
                        if is_of_this_load {
                            values[place].push(*value);
                        }
                    }
                    succeeded += u64::from(is_of_this_load);
                }
                RequestOutcome::CutOff => {}
                RequestOutcome::CancelledOnPurpose => cancelled += u64::from(is_of_this_load),
                RequestOutcome::Failed | RequestOutcome::ContextOverflow | RequestOutcome::ServerNotReady => {
                    failed += u64::from(is_of_this_load);
                }
            }
        }
        let seconds = self.end.since(self.start).as_secs_f64();
        let requests =
            WindowRequests { values: &values, all_values: &all_values, succeeded, failed, cancelled, ended, seconds };
        let checks = limits.check(&requests);
        let enough = succeeded + failed + cancelled >= min_completed;
        let nearest = checks.iter().map(|check| check.margin).fold(f64::INFINITY, f64::min);
        let verdict = match (enough, checks.iter().all(|check| check.passes)) {
            (false, _) => WindowVerdict::Inconclusive,
            (true, true) => WindowVerdict::Kept { margin: nearest },
            (true, false) => WindowVerdict::Broken,
        };
        let show = |(metric, values): (&Metric, Vec<f64>)| {
            values.into_iter().map(|value| metric.definition().show(value)).collect()
        };
        let reported = metrics.iter().zip(values).take(super::limit::REPORTED.len()).map(show).collect();
        Assessment {
            start: self.start,
            end: self.end,
            verdict,
            checks,
            succeeded,
            failed,
            cancelled,
            throughput: ended as f64 / seconds,
            reported,
        }
    }
}

impl Assessment {
    pub(super) fn completed(&self) -> u64 {
        self.succeeded + self.failed + self.cancelled
    }

    /// The limit that was broken, or the one that is nearest.
    pub(super) fn binding(&self) -> Option<&LimitCheck> {
        self.checks.iter().min_by(|one, other| {
            (one.passes, one.margin).partial_cmp(&(other.passes, other.margin)).unwrap_or(std::cmp::Ordering::Equal)
        })
    }

    /// A statistic of a metric that each window reports, in milliseconds.
    pub(super) fn reported(&self, metric: Metric, stat: &str) -> Option<f64> {
        let place = super::limit::REPORTED.iter().position(|reported| *reported == metric)?;
        statistic(self.reported.get(place)?, stat)
    }
}
