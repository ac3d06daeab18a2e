//! Numbers and intervals as summaries state them.

use aiperf_stats::distribution::normal_quantile;
use aiperf_stats::{Interval, Level};
use serde_json::Value;

use crate::Quantity;
use crate::side::known::{Growth, Known};

/// One number of a summary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stated {
    pub(crate) value: f64,
    /// With the level that it is given at.
    interval: Option<(Interval, Level)>,
    requests: Option<u64>,
}

impl Stated {
    pub(crate) fn find(summary: &Value, quantity: Quantity) -> Option<Self> {
        let metric = summary.get(quantity.metric.tag())?;
        // `p99.9` is `p99_9` there.
        let statistic = quantity.statistic.to_string().replace('.', "_");
        let value = metric[&statistic].as_f64()?;
        let requests = metric["count"].as_u64().or_else(|| Some(summary["request_count"]["avg"].as_f64()? as u64));
        Some(Self { value, interval: interval(metric, &statistic), requests })
    }

    pub(crate) const fn has_interval(&self) -> bool {
        self.interval.is_some()
    }

    /// At another level than the stated one the interval is stretched like that of a normal distribution.
    pub(crate) fn known(&self, level: Level) -> Known {
        let stretch = |stated: Level| {
            let quantile = |level: Level| normal_quantile(1.0 - level.tail());
            quantile(level) / quantile(stated)
        };
        let (low, high) = self.interval.map_or((f64::NEG_INFINITY, f64::INFINITY), |(interval, stated)| {
            let factor = stretch(stated);
            (self.value - (self.value - interval.low) * factor, self.value + (interval.high - self.value) * factor)
        });
        Known {
            value: self.value,
            low,
            high,
            requests: self.requests,
            floor: None,
            growth: Growth::Root { end_share: 0.0 },
        }
    }
}

/// `"ci": {"level": 0.95, "avg": [low, high], "p99": [low, high]}`
fn interval(metric: &Value, statistic: &str) -> Option<(Interval, Level)> {
    let ci = &metric["ci"];
    let level = Level::new(ci["level"].as_f64()?).ok()?;
    let interval = Interval { low: ci[statistic][0].as_f64()?, high: ci[statistic][1].as_f64()? };
    (interval.low <= interval.high).then_some((interval, level))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn summary() -> Value {
        json!({
            "request_count": {"unit": "requests", "avg": 200.0},
            "request_latency": {"unit": "ms", "avg": 100.0, "p99": 150.0, "p99_9": 160.0, "count": 180, "ci": {"level": 0.95, "avg": [96.0, 106.0]}},
            "request_throughput": {"unit": "requests/sec", "avg": 5.0},
        })
    }

    fn stated(quantity: &str) -> Option<Stated> {
        Stated::find(&summary(), quantity.parse().unwrap())
    }

    #[test]
    fn an_interval_that_is_stated_is_stretched_to_the_level_asked_for() {
        let stated = stated("request_latency:avg").unwrap();
        let same = stated.known(Level::P95);
        assert!((same.low - 96.0).abs() < 1e-9 && (same.high - 106.0).abs() < 1e-9, "{same:?}");
        let surer = stated.known(Level::new(0.99).unwrap());
        let factor = 2.575_829_3 / 1.959_964;
        assert!(
            (surer.low - (100.0 - 4.0 * factor)).abs() < 1e-4 && (surer.high - (100.0 + 6.0 * factor)).abs() < 1e-4
        );
        assert_eq!(surer.requests, Some(180));
    }

    #[test]
    fn a_number_without_interval_has_no_bounds() {
        let rate = stated("request_throughput").unwrap();
        assert!(!rate.has_interval() && !rate.known(Level::P95).is_bounded());
        assert_eq!(rate.known(Level::P95).requests, Some(200));
        assert!(!stated("request_latency:p99").unwrap().has_interval());
        assert_eq!(stated("request_latency:p99.9").map(|stated| stated.value), Some(160.0));
        assert_eq!(stated("request_latency:p90"), None);
        assert_eq!(stated("goodput"), None);
    }
}
