//! How a preset names a metric: `time_to_first_token`, `time_to_first_token_p99`, `{metric, stat, source}`, or a server
//! metric with a filter: `vllm:kv_cache_usage_perc[http://host/metrics]{engine=0}`.

use std::collections::BTreeMap;

use aiperf_metrics::Metric;
use serde::{Deserialize, Serialize};

use super::DataSource;
use crate::run::split_statistic;

/// A metric, and which of its numbers is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricRef {
    pub name: String,
    pub stat: Option<String>,
    pub source: Option<DataSource>,
    pub filter: SeriesFilter,
}

/// Which series of a server metric are wanted. Labels that are not named may have any value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SeriesFilter {
    pub endpoint: Option<String>,
    pub labels: BTreeMap<String, String>,
}

impl SeriesFilter {
    pub(crate) fn accepts(&self, endpoint: &str, labels: &BTreeMap<String, String>) -> bool {
        let has_endpoint = self.endpoint.as_ref().is_none_or(|wanted| endpoint == wanted || endpoint.contains(wanted));
        has_endpoint && self.labels.iter().all(|(name, value)| labels.get(name) == Some(value))
    }
}

/// As a file has it.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum WrittenMetric {
    Name(String),
    Parts(MetricParts),
}

#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MetricParts {
    metric: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stat: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<DataSource>,
}

impl MetricRef {
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), stat: None, source: None, filter: SeriesFilter::default() }
    }

    pub(super) fn of(written: WrittenMetric) -> Result<Self, String> {
        match written {
            WrittenMetric::Name(text) => Self::parse(&text),
            WrittenMetric::Parts(MetricParts { metric, stat, source }) => {
                if let Some(stat) = &stat {
                    check_statistic(stat)?;
                }
                let parsed = Self::parse(&metric)?;
                Ok(Self { stat: stat.map(|stat| file_name(&stat)).or(parsed.stat), source, ..parsed })
            }
        }
    }

    /// Reads a name with an optional statistic or filter.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (rest, labels) = match text.strip_suffix('}').and_then(|rest| rest.split_once('{')) {
            Some((name, labels)) => (name, read_labels(text, labels)?),
            None => (text, BTreeMap::new()),
        };
        let (name, endpoint) = match rest.strip_suffix(']').and_then(|rest| rest.split_once('[')) {
            Some((name, endpoint)) => (name, Some(endpoint.to_owned())),
            None => (rest, None),
        };
        let name = name.trim();
        if name.is_empty() || name.contains(['{', '}', '[', ']']) {
            return Err(format!("{text:?} is not a metric; write NAME, NAME[ENDPOINT] or NAME{{LABEL=VALUE,...}}"));
        }
        let filter = SeriesFilter { endpoint, labels };
        let plain = |name: &str, stat: Option<&str>| Self {
            name: name.to_owned(),
            stat: stat.map(ToOwned::to_owned),
            source: None,
            filter: filter.clone(),
        };
        if is_known(name) {
            return Ok(plain(name, None));
        }
        if let Some((metric, stat)) = split_statistic(name).filter(|(metric, _)| is_known(metric)) {
            return Ok(plain(metric, Some(stat)));
        }
        let is_number = |end: &str| end.starts_with(|letter: char| letter.is_ascii_digit());
        let percentile = name.rsplit_once("_p").filter(|(metric, end)| is_known(metric) && is_number(end));
        if let Some((metric, end)) = percentile {
            return Err(format!("{name:?}: p{end} is not a statistic of {metric}; try {metric}_p50 or {metric}_p99"));
        }
        Ok(plain(name, None))
    }
}

fn is_known(metric: &str) -> bool {
    Metric::from_tag(metric).is_some() || metric == crate::run::PER_GPU
}

/// `p99.9` as files spell it: `p99_9`.
fn file_name(stat: &str) -> String {
    stat.replace('.', "_")
}

pub(super) fn check_statistic(stat: &str) -> Result<(), String> {
    if crate::run::is_statistic(&file_name(stat)) {
        return Ok(());
    }
    Err(format!(
        "{stat:?} is not a statistic; the statistics are avg, min, max, std, sum, count and percentiles such as p50, p99 and p99_9"
    ))
}

fn read_labels(text: &str, labels: &str) -> Result<BTreeMap<String, String>, String> {
    let pairs = labels.split(',').filter(|pair| !pair.trim().is_empty());
    let pairs = pairs.map(|pair| {
        let (name, value) = pair.split_once('=').ok_or_else(|| format!("{text:?}: {pair:?} is not LABEL=VALUE"))?;
        Ok((name.trim().to_owned(), value.trim().trim_matches('"').to_owned()))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_may_carry_a_statistic() {
        let parsed = MetricRef::parse("time_to_first_token_p99").unwrap();
        assert_eq!((parsed.name.as_str(), parsed.stat.as_deref()), ("time_to_first_token", Some("p99")));
        let parsed = MetricRef::parse("request_count").unwrap();
        assert_eq!((parsed.name.as_str(), parsed.stat), ("request_count", None));
        let error = MetricRef::parse("request_latency_p9x").unwrap_err();
        assert!(error.contains("request_latency_p99"), "{error}");
    }

    #[test]
    fn server_metrics_may_carry_a_filter() {
        let parsed = MetricRef::parse("vllm:kv[http://h:1/metrics]{engine=0,model_name=\"m\"}").unwrap();
        assert_eq!(parsed.name, "vllm:kv");
        assert_eq!(parsed.filter.endpoint.as_deref(), Some("http://h:1/metrics"));
        assert_eq!(parsed.filter.labels["model_name"], "m");
        let labels = [("engine", "0"), ("model_name", "m"), ("x", "y")];
        let labels = labels.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        assert!(parsed.filter.accepts("http://h:1/metrics", &labels));
        assert!(!parsed.filter.accepts("http://other", &labels));
        assert!(MetricRef::parse("x{y}").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            let _ = MetricRef::parse(&text);
        }
    }
}
