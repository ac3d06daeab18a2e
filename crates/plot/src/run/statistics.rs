//! Statistics of a metric as files name them: avg, min, max, std, p50, `p99_9`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Statistics that are not percentiles.
const PLAIN: [&str; 6] = ["avg", "min", "max", "std", "sum", "count"];

/// One statistic, with how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatValue {
    pub value: f64,
    /// The stored confidence interval.
    pub interval: Option<(f64, f64)>,
    /// Standard deviation over repeated runs, and how many there were.
    pub repeats: Option<(f64, u64)>,
}

/// What a file says of one metric.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MetricStats {
    pub unit: String,
    pub values: BTreeMap<String, StatValue>,
}

impl MetricStats {
    /// A metric object of a summary: `{"unit": "ms", "avg": 5.0, "p50": 4.0, "ci": {"avg": [4.5, 5.5]}}`.
    pub(super) fn of_summary(entry: &Map<String, Value>) -> Option<Self> {
        let unit = entry.get("unit")?.as_str()?.to_owned();
        let intervals = entry.get("ci").unwrap_or(&Value::Null);
        let values = entry.iter().filter(|(name, _)| is_statistic(name)).filter_map(|(name, value)| {
            let (low, high) = (intervals[name][0].as_f64(), intervals[name][1].as_f64());
            let stat = StatValue { value: value.as_f64()?, interval: low.zip(high), repeats: None };
            Some((name.clone(), stat))
        });
        Some(Self { unit, values: values.collect() })
    }

    /// The metric divided by a number, in another unit.
    pub(super) fn divided(&self, by: f64, unit: &str) -> Self {
        let divide = |stat: &StatValue| StatValue {
            value: stat.value / by,
            interval: stat.interval.map(|(low, high)| (low / by, high / by)),
            repeats: stat.repeats.map(|(std, count)| (std / by, count)),
        };
        let values = self.values.iter().map(|(name, stat)| (name.clone(), divide(stat))).collect();
        Self { unit: unit.to_owned(), values }
    }
}

/// Whether a name is one of a statistic.
pub(crate) fn is_statistic(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit());
    let is_percentile = || {
        let digits = name.strip_prefix('p')?;
        Some(
            digits
                .split_once(['_', '.'])
                .map_or(is_number(digits), |(whole, rest)| is_number(whole) && is_number(rest)),
        )
    };
    PLAIN.contains(&name) || is_percentile() == Some(true)
}

/// `request_latency_p99` into `request_latency` and `p99`; `None` if the name does not end in a statistic.
pub(crate) fn split_statistic(name: &str) -> Option<(&str, &str)> {
    let ends = name.match_indices('_').map(|(at, _)| at);
    ends.map(|at| (&name[..at], &name[at + 1..])).find(|(metric, stat)| !metric.is_empty() && is_statistic(stat))
}

/// The order of statistics in a list: the mean first, then percentiles from the smallest on.
pub(crate) fn statistic_order(name: &str) -> f64 {
    let percentile = name.strip_prefix('p').and_then(|digits| digits.replacen('_', ".", 1).parse::<f64>().ok());
    match (percentile, PLAIN.iter().position(|plain| *plain == name)) {
        (Some(percentile), _) => percentile,
        (None, Some(0)) => -1.0,
        (None, Some(place)) => 100.0 + place as f64,
        (None, None) => 200.0,
    }
}

/// `p99_9` as people write it: `p99.9`.
pub(crate) fn statistic_text(name: &str) -> String {
    if name.starts_with('p') { name.replacen('_', ".", 1) } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_in_statistics() {
        assert_eq!(split_statistic("request_latency_p99"), Some(("request_latency", "p99")));
        assert_eq!(split_statistic("time_to_first_token_p99_9"), Some(("time_to_first_token", "p99_9")));
        assert_eq!(split_statistic("request_throughput_avg"), Some(("request_throughput", "avg")));
        assert_eq!(split_statistic("request_count"), Some(("request", "count")));
        assert_eq!(split_statistic("request_latency"), None);
        assert_eq!(split_statistic("time_p99x"), None);
    }

    #[test]
    fn stored_intervals_stay_with_their_statistic() {
        let entry = serde_json::json!({"unit": "ms", "avg": 5.0, "p50": 4, "ci": {"level": 0.95, "avg": [4.5, 5.5]}});
        let stats = MetricStats::of_summary(entry.as_object().unwrap()).unwrap();
        assert_eq!(stats.values["avg"].interval, Some((4.5, 5.5)));
        assert_eq!(stats.values["p50"], StatValue { value: 4.0, interval: None, repeats: None });
        assert_eq!(stats.divided(2.0, "ms/GPU").values["avg"].interval, Some((2.25, 2.75)));
    }
}
