//! R5: the share of requests that took longer than x, for service time and for the time from when a request was due, with
//! 95 % intervals that take into account that neighbouring requests are alike.

use aiperf_metrics::Metric;
use aiperf_stats::{Level, Sample, linear};
use serde_json::{Value, json};

use crate::number::short;
use crate::run::requests::Requests;

const CURVES: [Metric; 4] =
    [Metric::TimeToFirstToken, Metric::RequestLatency, Metric::TimeToFirstTokenFromDue, Metric::RequestLatencyFromDue];
/// Points for each tenfold smaller share.
const POINTS_PER_DECADE: f64 = 12.0;

pub(crate) fn json(requests: &Requests) -> Value {
    CURVES.iter().filter_map(|metric| curve(*metric, &requests.of_successes(*metric))).collect()
}

fn curve(metric: Metric, series: &[f64]) -> Option<Value> {
    let mut sorted = series.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let shares = shares(sorted.len());
    let thresholds: Vec<f64> = shares.iter().filter_map(|share| linear(&sorted, 1.0 - share)).collect();
    (!thresholds.is_empty()).then_some(())?;
    let sample = Sample::of(series, &thresholds);
    let points = shares.iter().enumerate().filter_map(|(index, share)| {
        let estimate = sample.quantile(&sorted, index, 1.0 - share, Level::P95)?;
        let (low, high) = estimate.interval.map_or((Value::Null, Value::Null), |it| (short(it.low), short(it.high)));
        Some(json!([short(*share), short(estimate.value), low, high]))
    });
    let definition = metric.definition();
    Some(json!({
        "tag": definition.tag,
        "label": definition.header,
        "unit": definition.shown.label(),
        "count": sorted.len(),
        "points": points.collect::<Vec<_>>(),
    }))
}

/// Shares from nearly all requests down to one of them.
fn shares(count: usize) -> Vec<f64> {
    if count == 0 {
        return Vec::new();
    }
    let body = [0.999, 0.99, 0.95, 0.9, 0.8, 0.7, 0.6];
    let decades = (count as f64).log10().max(0.3);
    let steps = ((decades - 0.3) * POINTS_PER_DECADE).ceil() as usize;
    let tail = (0..=steps).map(|step| 0.5 * 10_f64.powf(-(step as f64) / POINTS_PER_DECADE));
    let usable = |share: &f64| *share * count as f64 >= 1.0 - 1e-9 && (1.0 - share) * count as f64 >= 1.0 - 1e-9;
    let shares: Vec<f64> = body.into_iter().chain(tail).filter(usable).collect();
    if shares.is_empty() { vec![0.5] } else { shares }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_the_percentiles_and_reach_the_last_request() {
        let series: Vec<f64> = (0..1000).map(|i| f64::from(i * 7919 % 1000)).collect();
        let curve = curve(Metric::TimeToFirstToken, &series).unwrap();
        let points = curve["points"].as_array().unwrap();
        let find = |share: f64| points.iter().find(|point| (point[0].as_f64().unwrap() - share).abs() < 1e-9).unwrap();
        // The median of 0..999 is 499.5, and its 10 % point 899.1 by linear interpolation.
        assert!((find(0.5)[1].as_f64().unwrap() - 499.5).abs() < 1e-6);
        assert!((find(0.9)[1].as_f64().unwrap() - 99.9).abs() < 1e-6);
        let (low, high) = (find(0.5)[2].as_f64().unwrap(), find(0.5)[3].as_f64().unwrap());
        assert!(low < 499.5 && 499.5 < high, "{low} {high}");
        let last = points.last().unwrap();
        assert!(last[0].as_f64().unwrap() < 0.0013, "{last}");
        assert!(last[2].is_null(), "one of a thousand has no interval");
        assert!(points.windows(2).all(|pair| pair[0][1].as_f64() <= pair[1][1].as_f64()));
    }
}
