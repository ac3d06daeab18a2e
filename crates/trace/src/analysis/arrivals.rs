//! How requests arrive: evenly, at random, or in bursts.

use serde::Serialize;

use super::statistics::Statistics;
use crate::Trace;

/// Windows over which arrivals are counted, in seconds.
const WINDOWS: [f64; 3] = [1.0, 10.0, 60.0];

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArrivalStatistics {
    /// The time from the first request to the last.
    pub duration_seconds: f64,
    pub requests_per_second: f64,
    pub inter_arrival_ms: Option<Statistics>,
    /// The standard deviation of the gaps divided by their mean: 0 for even arrivals, 1 for a Poisson process, more for bursts.
    pub inter_arrival_cv: Option<f64>,
    pub windows: Vec<ArrivalWindow>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArrivalWindow {
    pub window_seconds: f64,
    /// The variance of the counts divided by their mean: 1 for a Poisson process.
    pub index_of_dispersion: f64,
    pub mean: f64,
    pub peak: u64,
    pub peak_to_mean: f64,
}

/// Measures the arrivals; `None` unless at least two requests have different times.
pub(crate) fn measure(trace: &Trace) -> Option<ArrivalStatistics> {
    let mut times: Vec<f64> = trace.requests.iter().filter_map(|request| request.timestamp_ms).collect();
    times.sort_by(f64::total_cmp);
    let (first, last) = (*times.first()?, *times.last()?);
    if last <= first {
        return None;
    }
    let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let inter_arrival_ms = Statistics::of(gaps);
    let duration_seconds = (last - first) / 1e3;
    let counted = WINDOWS.into_iter().filter(|window| duration_seconds >= 2.0 * window);
    Some(ArrivalStatistics {
        duration_seconds,
        requests_per_second: (times.len() - 1) as f64 / duration_seconds,
        inter_arrival_cv: inter_arrival_ms.map(|gaps| gaps.std_dev / gaps.mean),
        inter_arrival_ms,
        windows: counted.map(|window| count(&times, window)).collect(),
    })
}

/// Counts complete windows only, since the last one may be cut off by the end of the trace. Empty windows are not stored, so
/// that a trace of years takes no more memory than one of minutes.
fn count(times: &[f64], window_seconds: f64) -> ArrivalWindow {
    let width = window_seconds * 1e3;
    let (first, last) = (times[0], times[times.len() - 1]);
    let windows = ((last - first) / width).floor().max(1.0);
    let place = |time: &f64| ((time - first) / width).floor();
    let (mut sum, mut squares, mut peak) = (0.0, 0.0, 0);
    for together in times.chunk_by(|a, b| place(a).total_cmp(&place(b)).is_eq()) {
        if place(&together[0]) < windows {
            sum += together.len() as f64;
            squares += (together.len() as f64).powi(2);
            peak = peak.max(together.len() as u64);
        }
    }
    let mean = sum / windows;
    let variance = (squares / windows - mean.powi(2)).max(0.0);
    ArrivalWindow {
        window_seconds,
        index_of_dispersion: if mean > 0.0 { variance / mean } else { 0.0 },
        mean,
        peak,
        peak_to_mean: if mean > 0.0 { peak as f64 / mean } else { 0.0 },
    }
}
