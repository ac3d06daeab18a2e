//! What a limit is about: a statistic of a metric over the requests of a window, or a rate or share of the window as a whole.

use aiperf_config::{SlaFilter, SlaOp};
use aiperf_metrics::{Flags, Metric, MetricContext, MetricKind};
use aiperf_stats::linear;

use crate::error::RunError;

/// Metrics whose values each window reports, apart from the limits.
pub(super) const REPORTED: [Metric; 3] = [Metric::RequestLatency, Metric::TimeToFirstToken, Metric::InterTokenLatency];

/// Short names of metrics that are often limited.
const SHORT_NAMES: [(&str, Metric); 3] =
    [("latency", Metric::RequestLatency), ("ttft", Metric::TimeToFirstToken), ("itl", Metric::InterTokenLatency)];

/// All limits of a phase, and the metrics that they need of each request.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    limits: Vec<Limit>,
    metrics: Vec<Metric>,
}

#[derive(Debug, Clone)]
struct Limit {
    asked: SlaFilter,
    about: Quantity,
}

/// What a limit is compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Quantity {
    /// A statistic of the values at this place.
    Value { place: usize, metric: Metric },
    /// Of the whole window.
    Window(WindowQuantity),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum WindowQuantity {
    RequestThroughput,
    OutputTokenThroughput {
        place: usize,
    },
    Goodput {
        place: usize,
    },
    GoodputRatio {
        place: usize,
    },
    SuccessRate,
    ErrorRate,
    /// In percent.
    ErrorPercent,
    CancellationRate,
}

/// The requests of a window.
#[derive(Debug)]
pub(super) struct WindowRequests<'a> {
    /// Values of the successful requests that were sent under the present load, in the order of [`Limits::metrics`].
    pub(super) values: &'a [Vec<f64>],
    /// Values of all successful requests that ended in the window, in the order of [`Limits::metrics`].
    pub(super) all_values: &'a [Vec<f64>],
    pub(super) succeeded: u64,
    pub(super) failed: u64,
    pub(super) cancelled: u64,
    /// Successful requests that ended in the window, whichever load they were sent under.
    pub(super) ended: u64,
    pub(super) seconds: f64,
}

/// How a window stands to one limit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LimitCheck {
    pub(super) asked: SlaFilter,
    /// In the unit that the summary shows; `None` if no request had a value.
    pub(super) value: Option<f64>,
    pub(super) passes: bool,
    /// Distance from the limit as a share of it; negative if it is broken, minus infinity without a value.
    pub(super) margin: f64,
}

impl Limits {
    pub(super) fn new(asked: &[SlaFilter], context: &MetricContext) -> Result<Self, RunError> {
        let mut metrics: Vec<Metric> = REPORTED.to_vec();
        let mut limits = Vec::new();
        for asked in asked {
            let about = quantity(asked, context, &mut metrics)
                .map_err(|reason| RunError::AdaptiveLimit { limit: asked.to_string(), reason })?;
            limits.push(Limit { asked: asked.clone(), about });
        }
        Ok(Self { limits, metrics })
    }

    /// Metrics whose values are needed of each request.
    pub(super) fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    pub(super) fn asked(&self) -> impl Iterator<Item = &SlaFilter> {
        self.limits.iter().map(|limit| &limit.asked)
    }

    /// Compares a window with all limits.
    pub(super) fn check(&self, requests: &WindowRequests<'_>) -> Vec<LimitCheck> {
        let check = |limit: &Limit| {
            let value = limit.about.value(&limit.asked.stat, requests);
            let margin = value.map_or(f64::NEG_INFINITY, |value| margin(&limit.asked, value));
            LimitCheck { asked: limit.asked.clone(), value, passes: limit.asked.passes(value), margin }
        };
        self.limits.iter().map(check).collect()
    }
}

/// Distance of a value from its limit, as a share of the limit.
fn margin(limit: &SlaFilter, value: f64) -> f64 {
    let room = match limit.op {
        SlaOp::Lt | SlaOp::Le => limit.threshold - value,
        SlaOp::Gt | SlaOp::Ge => value - limit.threshold,
    };
    if limit.threshold == 0.0 { room.clamp(-1.0, 1.0) } else { room / limit.threshold.abs() }
}

fn quantity(asked: &SlaFilter, context: &MetricContext, metrics: &mut Vec<Metric>) -> Result<Quantity, String> {
    let mut place = |metric: Metric| {
        metrics.iter().position(|known| *known == metric).unwrap_or_else(|| {
            metrics.push(metric);
            metrics.len() - 1
        })
    };
    let needs_slos = |about| {
        if context.slos.is_empty() {
            Err("needs objectives for single requests; set --goodput".to_owned())
        } else {
            Ok(about)
        }
    };
    let window = match asked.metric.as_str() {
        "request_throughput" => Some(WindowQuantity::RequestThroughput),
        "output_token_throughput" => {
            Some(WindowQuantity::OutputTokenThroughput { place: place(Metric::OutputSequenceLength) })
        }
        "goodput" => Some(needs_slos(WindowQuantity::Goodput { place: place(Metric::GoodRequestCount) })?),
        "goodput_ratio" | "good_request_fraction" => {
            Some(needs_slos(WindowQuantity::GoodputRatio { place: place(Metric::GoodRequestCount) })?)
        }
        "success_rate" => Some(WindowQuantity::SuccessRate),
        "error_rate" => Some(WindowQuantity::ErrorRate),
        "request_error_rate" => Some(WindowQuantity::ErrorPercent),
        "cancellation_rate" => Some(WindowQuantity::CancellationRate),
        _ => None,
    };
    if let Some(window) = window {
        let is_one = asked.stat == "avg";
        return if is_one {
            Ok(Quantity::Window(window))
        } else {
            Err(format!("{} is one value for each window; use avg", asked.metric))
        };
    }
    let is_of_requests = |metric: Metric| {
        metric.definition().kind == MetricKind::Record && !metric.definition().flags.has(Flags::ERRORS)
    };
    let short = SHORT_NAMES.iter().find(|(name, _)| *name == asked.metric).map(|(_, metric)| *metric);
    let metric = short.or_else(|| Metric::from_tag(&asked.metric)).filter(|metric| is_of_requests(*metric));
    let Some(metric) = metric else {
        return Err(format!(
            "not a metric of single requests or windows{}",
            Metric::advice(&asked.metric, is_of_requests)
        ));
    };
    if !context.applies(metric) {
        let needs: Vec<&str> = metric.definition().needs().collect();
        return Err(format!("this run does not have {}; it needs {}", metric.tag(), needs.join(", ")));
    }
    Ok(Quantity::Value { place: place(metric), metric })
}

impl Quantity {
    fn value(self, stat: &str, requests: &WindowRequests<'_>) -> Option<f64> {
        match self {
            Self::Value { place, metric } => {
                statistic(requests.values.get(place)?, stat).map(|value| metric.definition().show(value))
            }
            Self::Window(window) => window.value(requests),
        }
    }
}

impl WindowQuantity {
    fn value(self, requests: &WindowRequests<'_>) -> Option<f64> {
        let all = requests.succeeded + requests.failed + requests.cancelled;
        let share = |part: u64| (all > 0).then(|| part as f64 / all as f64);
        let total = |values: &[Vec<f64>], place: usize| values.get(place).map(|values| values.iter().sum::<f64>());
        match self {
            Self::RequestThroughput => Some(requests.ended as f64 / requests.seconds),
            Self::OutputTokenThroughput { place } | Self::Goodput { place } => {
                total(requests.all_values, place).map(|total| total / requests.seconds)
            }
            Self::GoodputRatio { place } => {
                total(requests.values, place).filter(|_| all > 0).map(|good| good / all as f64)
            }
            Self::SuccessRate => share(requests.succeeded),
            Self::ErrorRate => share(requests.failed),
            Self::ErrorPercent => share(requests.failed).map(|share| share * 100.0),
            Self::CancellationRate => share(requests.cancelled),
        }
    }
}

/// A statistic by its name, of values in any order.
pub(super) fn statistic(values: &[f64], stat: &str) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    match stat {
        "avg" => Some(mean),
        "min" => values.iter().copied().reduce(f64::min),
        "max" => values.iter().copied().reduce(f64::max),
        "std" => Some((values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()),
        percentile => {
            let percent: f64 = percentile.strip_prefix('p')?.parse().ok()?;
            let mut sorted = values.to_vec();
            sorted.sort_by(f64::total_cmp);
            linear(&sorted, percent / 100.0)
        }
    }
}
