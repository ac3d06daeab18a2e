//! Limits that a good request meets, and how many requests meet them.

use aiperf_metrics::{Flags, Metric, MetricKind, SloError};
use serde_json::{Value, json};

use crate::run::requests::Requests;

/// A limit on a metric of each request, in the unit that is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SloLimit {
    pub(crate) metric: Metric,
    pub(crate) limit: f64,
}

impl SloLimit {
    pub(crate) fn read(tag: &str, limit: f64) -> Result<Self, SloError> {
        let takes_limit = |metric: &Metric| {
            let definition = metric.definition();
            definition.kind == MetricKind::Record && !definition.flags.has(Flags::ERRORS)
        };
        let metric = Metric::from_tag(tag).filter(takes_limit);
        let metric = metric.ok_or_else(|| SloError::Unknown {
            option: "--goodput",
            tag: tag.to_owned(),
            advice: Metric::advice(tag, |metric| takes_limit(&metric)),
        })?;
        Ok(Self { metric, limit })
    }

    /// Those of the run.
    pub(crate) fn of_run(input_config: &Value) -> Vec<Self> {
        let slos = input_config["slos"].as_object();
        slos.into_iter().flatten().filter_map(|(tag, limit)| Self::read(tag, limit.as_f64()?).ok()).collect()
    }

    fn is_met(&self, measured: f64) -> bool {
        // Limits are compared in nanoseconds, as the summary does it: 60.1 ms is not the same number after a division.
        let base = |shown: f64| self.metric.definition().unshow(shown);
        if self.is_lower_bound() {
            base(measured) >= base(self.limit)
        } else {
            base(measured).round() <= base(self.limit)
        }
    }

    fn is_lower_bound(&self) -> bool {
        self.metric.definition().flags.has(Flags::LARGER)
    }

    pub(crate) fn json(&self) -> Value {
        let definition = self.metric.definition();
        json!({
            "tag": definition.tag,
            "label": definition.header,
            "unit": definition.shown.label(),
            "limit": self.limit,
            "at_least": self.is_lower_bound(),
        })
    }
}

/// Requests that succeeded and meet every limit; a request without a metric that has a limit does not meet it.
pub(crate) fn good_requests(requests: &Requests, slos: &[SloLimit]) -> usize {
    let meets = |row: usize| slos.iter().all(|slo| requests.value(slo.metric, row).is_some_and(|it| slo.is_met(it)));
    let succeeded = |row: &usize| requests.spans[*row].outcome.is_success();
    (0..requests.len()).filter(succeeded).filter(|row| meets(*row)).count()
}
