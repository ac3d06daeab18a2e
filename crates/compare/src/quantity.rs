//! A number to compare: a metric and a statistic of it, as `time_to_first_token:p99`.

use std::fmt;
use std::str::FromStr;

use aiperf_metrics::{Metric, MetricKind};
use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Statistic {
    /// Also the one number of a metric that has no others.
    Average,
    /// From above 0 to below 100.
    Percentile(f64),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    pub metric: Metric,
    pub statistic: Statistic,
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum QuantityError {
    #[error("{0:?} is not a metric; docs/metrics.md lists them, such as time_to_first_token")]
    Metric(String),
    #[error("{0:?} is not a statistic that can be compared; use avg or a percentile such as p99")]
    Statistic(String),
    #[error("{metric} is one number per run and has no {statistic}; write {metric} alone")]
    OneNumber { metric: &'static str, statistic: String },
}

impl Quantity {
    pub const fn average(metric: Metric) -> Self {
        Self { metric, statistic: Statistic::Average }
    }

    pub(crate) const fn percentile(metric: Metric, percent: f64) -> Self {
        Self { metric, statistic: Statistic::Percentile(percent) }
    }

    /// Whether a run has many values of the metric, not one.
    fn has_percentiles(metric: Metric) -> bool {
        matches!(
            metric.definition().kind,
            MetricKind::Record
                | MetricKind::RecordList
                | MetricKind::TimeWeighted
                | MetricKind::Network
                | MetricKind::ErrorAdjusted
        )
    }

    /// As people read it: `Time to First Token p99`; one number of a run goes without statistic.
    pub fn title(self) -> String {
        let header = self.metric.definition().header;
        match self.statistic {
            Statistic::Average if !Self::has_percentiles(self.metric) => header.to_owned(),
            statistic => format!("{header} {statistic}"),
        }
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Average => f.write_str("avg"),
            Self::Percentile(percent) => write!(f, "p{percent}"),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.metric.tag(), self.statistic)
    }
}

impl FromStr for Statistic {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        if text == "avg" {
            return Ok(Self::Average);
        }
        let digits = text.strip_prefix('p').filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()));
        let percent = digits.and_then(|digits| digits.parse().ok());
        let percent = percent.filter(|percent: &f64| *percent > 0.0 && *percent < 100.0);
        percent.map(Self::Percentile).ok_or_else(|| QuantityError::Statistic(text.to_owned()))
    }
}

impl FromStr for Quantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let (tag, statistic) = text.split_once(':').map_or((text, None), |(tag, rest)| (tag, Some(rest)));
        let metric = Metric::from_tag(tag).ok_or_else(|| QuantityError::Metric(tag.to_owned()))?;
        let statistic = statistic.map_or(Ok(Statistic::Average), str::parse)?;
        if statistic != Statistic::Average && !Self::has_percentiles(metric) {
            return Err(QuantityError::OneNumber { metric: metric.tag(), statistic: statistic.to_string() });
        }
        Ok(Self { metric, statistic })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_quantity_is_a_metric_and_a_statistic() {
        let p999: Quantity = "time_to_first_token:p99.9".parse().unwrap();
        assert_eq!(p999, Quantity::percentile(Metric::TimeToFirstToken, 99.9));
        assert_eq!(p999.to_string(), "time_to_first_token:p99.9");
        assert_eq!(p999.title(), "Time to First Token p99.9");
        let plain: Quantity = "request_throughput".parse().unwrap();
        assert_eq!(plain, Quantity::average(Metric::RequestThroughput));
        assert_eq!(plain.title(), "Request Throughput");
    }

    #[test]
    fn what_is_none_is_named() {
        let refusal = |text: &str| text.parse::<Quantity>().unwrap_err().to_string();
        assert!(refusal("ttft:avg").contains("\"ttft\" is not a metric"));
        assert!(refusal("request_latency:std").contains("\"std\" is not a statistic"));
        for bad in ["p0", "p100", "p", "p-1", "pinf", "pnan", "p+5", "max"] {
            assert!(refusal(&format!("request_latency:{bad}")).contains("is not a statistic"), "{bad}");
        }
        assert!(refusal("request_throughput:p99").contains("is one number per run"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,40}") {
            let _ = text.parse::<Quantity>();
            let _ = format!("request_latency:{text}").parse::<Quantity>();
        }
    }
}
