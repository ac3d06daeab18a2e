//! The stop rule of `--until-ci`: ends a run when every confidence interval is as narrow as asked, and forecasts how long that
//! takes.
//!
//! The intervals are computed again each time there are 5 % more requests, and must be narrow enough twice in a row: a
//! sequential procedure of fixed width (Chow and Robbins, "On the asymptotic theory of fixed-width sequential confidence
//! intervals", 1965) which does not stop at the first lucky check.

use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::{CiMargin, CiStat, CiTarget, Config};
use aiperf_metrics::{Flags, Metric, MetricContext, MetricKind, Sending};
use aiperf_stats::{
    CountedEvent, Estimate, HeldSlot, Level, RunEnd, Support, TimeSpan, closed_loop_rate, mean, quantile, rate,
};
use serde_json::{Value, json};

use crate::error::RunError;
use crate::watch::early_stop::{FinishedRequests, StopReport, StopRule};
use crate::watch::live::LiveSample;
use crate::watch::monitor::Monitor;

/// Key of the targets in the summary.
const SECTION: &str = "until_ci";
/// Checks in a row that must find every interval narrow enough.
const CHECKS: u32 = 2;
/// Requests before the first check, and the factor by which they grow before each further one.
const FIRST_CHECK: usize = 20;
const GROWTH: f64 = 1.05;

pub(crate) struct UntilCi {
    targets: Vec<IntervalTarget>,
    level: Level,
    monitor: Arc<Monitor>,
    /// Successful requests.
    seen: usize,
    next_check: usize,
    narrow_checks: u32,
    /// How many requests it took to reach all targets. Requests that were in flight then do not change it.
    known_after: Option<usize>,
    began: Mono,
    until: Mono,
}

struct IntervalTarget {
    asked: CiTarget,
    metric: Metric,
    source: ValueSource,
    sending: Sending,
    /// In the shown unit, in the order in which requests ended.
    values: Vec<f64>,
    /// For a rate: when each request held a slot, in seconds since the phase began, and how much it counts; failed requests
    /// held a slot and count as nothing.
    held: Vec<HeldSlot>,
}

/// What the interval of a target is computed from.
#[derive(Clone, Copy)]
enum ValueSource {
    /// The values of this metric.
    Values(Metric),
    /// One for each request, over time.
    Requests,
    /// This much for each request, over time.
    Amount(Metric),
}

impl ValueSource {
    fn of(metric: Metric) -> Option<Self> {
        match metric {
            Metric::RequestThroughput => Some(Self::Requests),
            Metric::OutputTokenThroughput => Some(Self::Amount(Metric::OutputSequenceLength)),
            metric
                if metric.definition().kind == MetricKind::Record && !metric.definition().flags.has(Flags::ERRORS) =>
            {
                Some(Self::Values(metric))
            }
            _ => None,
        }
    }

    const fn wanted(self) -> Option<Metric> {
        match self {
            Self::Values(metric) | Self::Amount(metric) => Some(metric),
            Self::Requests => None,
        }
    }
}

impl UntilCi {
    pub(crate) fn new(config: &Config, context: &MetricContext, monitor: &Arc<Monitor>) -> Result<Self, RunError> {
        // The option catalogue accepts only valid levels.
        let level = Level::new(config.confidence_level).unwrap_or_default();
        Self::with_targets(&config.until_ci, level, context, monitor)
    }

    /// Refuses targets that cannot be computed during a run.
    pub(crate) fn validate(config: &Config, context: &MetricContext) -> Result<(), RunError> {
        config.until_ci.iter().try_for_each(|asked| IntervalTarget::new(asked, context).map(drop))
    }

    fn with_targets(
        targets: &[CiTarget],
        level: Level,
        context: &MetricContext,
        monitor: &Arc<Monitor>,
    ) -> Result<Self, RunError> {
        let targets = targets.iter().map(|asked| IntervalTarget::new(asked, context)).collect::<Result<_, _>>()?;
        Ok(Self {
            targets,
            level,
            monitor: Arc::clone(monitor),
            seen: 0,
            next_check: FIRST_CHECK,
            narrow_checks: 0,
            known_after: None,
            began: Mono::default(),
            until: Mono::default(),
        })
    }

    fn note(&mut self, sample: &LiveSample) {
        let seconds = |at: Mono| at.since(self.began).as_secs_f64();
        let times = (seconds(sample.start), seconds(sample.end));
        let succeeded = sample.outcome.is_success();
        self.seen += usize::from(succeeded);
        let mut values = sample.values.iter().copied();
        for target in &mut self.targets {
            let value = if target.source.wanted().is_some() { values.next().flatten() } else { None };
            if succeeded { target.note(value, times) } else { target.hold(0.0, times) }
        }
    }

    fn elapsed(&self) -> f64 {
        self.until.since(self.began).as_secs_f64()
    }

    fn estimates(&self) -> Vec<Option<Estimate>> {
        self.targets.iter().map(|target| target.estimate(self.elapsed(), self.level)).collect()
    }

    /// The target that will take longest, and by which factor the number of requests has to grow for it.
    fn forecast(&self, estimates: &[Option<Estimate>]) -> Option<(String, f64)> {
        let each = self.targets.iter().zip(estimates).filter_map(|(target, estimate)| {
            let estimate = estimate.as_ref()?;
            Some((target.progress(estimate), target.growth(estimate)))
        });
        each.max_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    fn update_progress(&self, estimates: &[Option<Estimate>]) {
        let note = self.forecast(estimates).map(|(progress, growth)| {
            let more = Nanos::from_secs_f64((growth - 1.0).max(0.0) * self.elapsed());
            if growth <= 1.0 { progress } else { format!("{progress}, about {} more", duration(more)) }
        });
        self.monitor.set_note(note);
    }
}

impl IntervalTarget {
    fn new(asked: &CiTarget, context: &MetricContext) -> Result<Self, RunError> {
        let refuse = |reason: &str| RunError::UntilCi { target: asked.to_string(), reason: reason.to_owned() };
        let metric = Metric::from_tag(&asked.metric)
            .ok_or_else(|| refuse(&format!("no metric has this name; {}", Metric::advice(&asked.metric, |_| true))))?;
        if !context.applies(metric) {
            let facts = context.endpoint.facts();
            let streaming = if context.streaming { "with" } else { "without" };
            return Err(refuse(&format!("runs of endpoint type {} {streaming} streaming do not have it", facts.name)));
        }
        let source = ValueSource::of(metric).ok_or_else(|| {
            refuse(
                "only metrics of single requests, request_throughput and output_token_throughput have a confidence interval during a run",
            )
        })?;
        if !matches!(source, ValueSource::Values(_)) && asked.stat != CiStat::Avg {
            return Err(refuse("the metric is one number per run; use avg"));
        }
        let sending = if context.open_loop { Sending::Scheduled } else { context.sending };
        Ok(Self { asked: asked.clone(), metric, source, sending, values: Vec::new(), held: Vec::new() })
    }

    fn note(&mut self, value: Option<f64>, times: (f64, f64)) {
        match (self.source, value) {
            (ValueSource::Values(metric), Some(value)) => self.values.push(metric.definition().show(value)),
            (ValueSource::Amount(_), Some(amount)) => {
                self.values.push(amount);
                self.hold(amount, times);
            }
            (ValueSource::Requests, _) => {
                self.values.push(1.0);
                self.hold(1.0, times);
            }
            (ValueSource::Amount(_), None) => self.hold(0.0, times),
            (ValueSource::Values(_), None) => {}
        }
    }

    /// Notes that a slot was held; only rates need it.
    fn hold(&mut self, amount: f64, (start, end): (f64, f64)) {
        if !matches!(self.source, ValueSource::Values(_)) {
            self.held.push(HeldSlot { start, end, amount });
        }
    }

    fn estimate(&self, elapsed: f64, level: Level) -> Option<Estimate> {
        let span = TimeSpan { start: 0.0, end: elapsed };
        match (self.source, self.asked.stat) {
            (ValueSource::Values(_), CiStat::Avg) => mean(&self.values, level),
            (ValueSource::Values(_), CiStat::Percentile(percent)) => quantile(&self.values, percent / 100.0, level),
            _ if self.values.is_empty() => None,
            _ if self.sending == Sending::Scheduled => {
                let events = self.held.iter().map(|held| CountedEvent { at: held.end, amount: held.amount });
                rate(events, span, level)
            }
            _ => closed_loop_rate(&self.held, span, RunEnd::Ongoing, level).map(|found| found.estimate),
        }
    }

    /// The margin that was asked for, in the shown unit.
    fn allowed(&self, estimate: &Estimate) -> f64 {
        match self.asked.margin {
            CiMargin::Relative(share) => share * estimate.value.abs(),
            CiMargin::Absolute(margin) => margin,
        }
    }

    fn is_narrow(&self, estimate: &Estimate) -> bool {
        let margin = estimate.interval.map(|interval| interval.margin(estimate.value));
        estimate.is_supported() && margin.is_some_and(|margin| margin <= self.allowed(estimate))
    }

    /// By which factor the number of requests has to grow: a margin shrinks with its square root.
    fn growth(&self, estimate: &Estimate) -> f64 {
        match (estimate.support, estimate.interval) {
            (Support::Enough, Some(interval)) => {
                let margin = interval.margin(estimate.value);
                if margin <= 0.0 { 0.0 } else { (margin / self.allowed(estimate)).powi(2) }
            }
            (Support::TooFew { needed }, _) => (needed as f64 / estimate.effective_samples.max(1.0)).max(GROWTH),
            (Support::Enough, None) => GROWTH,
        }
    }

    /// `time_to_first_token p99 ±8.1% (target ±5%)`.
    fn progress(&self, estimate: &Estimate) -> String {
        let margin = estimate.interval.map(|interval| interval.margin(estimate.value));
        let CiTarget { metric, stat, margin: asked } = &self.asked;
        let now = match (margin, asked) {
            (None, _) => "not known yet".to_owned(),
            (Some(margin), CiMargin::Relative(_)) if estimate.value != 0.0 => {
                format!("±{:.1}%", margin / estimate.value.abs() * 100.0)
            }
            (Some(margin), _) => format!("±{margin:.2} {}", self.metric.definition().shown.label()),
        };
        format!("{metric} {stat} {now} (target ±{asked})")
    }

    fn json(&self, estimate: Option<&Estimate>, was_known: bool) -> Value {
        let margin = match self.asked.margin {
            CiMargin::Relative(share) => json!({"relative": share}),
            CiMargin::Absolute(margin) => json!({"absolute": margin}),
        };
        let mut object = json!({
            "metric": self.asked.metric,
            "stat": self.asked.stat.to_string(),
            "unit": self.metric.definition().shown.label(),
            "target": margin,
            "reached": was_known || estimate.is_some_and(|estimate| self.is_narrow(estimate)),
            "samples": self.values.len(),
        });
        if let Some(estimate) = estimate {
            object["value"] = estimate.value.into();
            object["effective_samples"] = estimate.effective_samples.into();
            if let Some(interval) = estimate.interval {
                object["ci_low"] = interval.low.into();
                object["ci_high"] = interval.high.into();
                object["margin"] = interval.margin(estimate.value).into();
            }
        }
        object
    }
}

impl StopRule for UntilCi {
    fn metrics(&self) -> Vec<Metric> {
        self.targets.iter().filter_map(|target| target.source.wanted()).collect()
    }

    fn check(&mut self, view: &FinishedRequests<'_>) -> Option<String> {
        self.began = view.began;
        self.until = view.settled;
        view.samples.iter().for_each(|sample| self.note(sample));
        if self.seen < self.next_check {
            return None;
        }
        self.next_check = (self.seen as f64 * GROWTH).ceil() as usize + 1;
        let estimates = self.estimates();
        self.update_progress(&estimates);
        let narrow = |(target, estimate): (&IntervalTarget, &Option<Estimate>)| {
            estimate.as_ref().is_some_and(|estimate| target.is_narrow(estimate))
        };
        let all = self.targets.iter().zip(&estimates).all(narrow);
        self.narrow_checks = if all { self.narrow_checks + 1 } else { 0 };
        if self.narrow_checks < CHECKS {
            return None;
        }
        let after = *self.known_after.get_or_insert(self.seen);
        Some(format!("--until-ci was reached after {after} requests"))
    }

    fn report(self: Box<Self>) -> StopReport {
        let estimates = self.estimates();
        let each: Vec<Value> = self
            .targets
            .iter()
            .zip(&estimates)
            .map(|(target, estimate)| target.json(estimate.as_ref(), self.known_after.is_some()))
            .collect();
        let reached = each.iter().all(|target| target["reached"] == true);
        let remarks = self.targets.iter().zip(&estimates).map(|(target, estimate)| {
            let Some(estimate) = estimate else {
                return format!("--until-ci {}: no request has this metric.", target.asked);
            };
            let (progress, growth) = (target.progress(estimate), target.growth(estimate));
            if self.known_after.is_some() || target.is_narrow(estimate) {
                let after = self.known_after.unwrap_or(target.values.len());
                return format!("--until-ci was reached after {after} requests: {progress}.");
            }
            let most = target.values.len() as f64 * growth;
            format!("--until-ci was not reached: {progress}. About {most:.0} requests would be needed.")
        });
        let remarks = remarks.collect();
        let section = json!({"reached": reached, "confidence_level": self.level.get(), "targets": each});
        StopReport { section: Some((SECTION, section)), unmet: None, remarks }
    }
}

/// `40 s`, `12 min`, `3.5 h`.
fn duration(length: Nanos) -> String {
    let seconds = length.as_secs_f64();
    if seconds < 120.0 {
        format!("{seconds:.0} s")
    } else if seconds < 7_200.0 {
        format!("{:.0} min", seconds / 60.0)
    } else {
        format!("{:.1} h", seconds / 3_600.0)
    }
}

#[cfg(test)]
mod tests;
