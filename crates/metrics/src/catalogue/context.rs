//! Which metrics a run has, and the limits for them.

use aiperf_protocol::{EndpointKind, Medium};
use thiserror::Error;

use crate::{AskedConcurrency, Flags, GpuEnergy, Level, Metric, MetricKind, NetworkRtt};

/// The facts of a run that decide which metrics apply and how some are computed.
#[derive(Debug, Clone)]
pub struct MetricContext {
    pub endpoint: EndpointKind,
    pub streaming: bool,
    /// Token counts are the server's own.
    pub server_token_count: bool,
    /// Usage comes with every chunk, so that the tokens of the first one are known.
    pub per_chunk_usage: bool,
    /// A schedule says when to send: rate, rate series, fixed schedule, user-centric.
    pub open_loop: bool,
    /// The data itself says when to send, which is open loop too.
    pub fixed_schedule: bool,
    /// What says when to send, as far as throughput depends on it.
    pub sending: Sending,
    /// What a good request must meet; empty without `--goodput`.
    pub slos: Vec<Slo>,
    pub thresholds: Thresholds,
    /// The network's round trip, if it is given or was measured.
    pub network_rtt: Option<NetworkRtt>,
    /// What telemetry saw of the GPUs, by vendor.
    pub gpu_energy: Vec<GpuEnergy>,
    /// What all GPUs of the server cost in an hour, if that is known.
    pub cost_per_hour: Option<f64>,
    /// Requests in flight at once, if a limit was set.
    pub concurrency: Option<u64>,
    /// What a closed loop shall keep in flight, if nothing else of its settings keeps it below.
    pub asked_concurrency: Option<AskedConcurrency>,
    /// Requests per second, if one rate is asked for throughout.
    pub asked_rate: Option<f64>,
    pub show_internal: bool,
    pub show_experimental: bool,
    /// How sure intervals shall be; `None` for none, and no search for the steady state.
    pub confidence: Option<Level>,
}

/// Whose the throughput of a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sending {
    /// That of a schedule.
    Scheduled,
    /// Closed loop: the server always has as many requests as allowed, until this many were sent.
    UntilCount,
    /// The same, until a time is over.
    UntilTime,
}

/// Limits beyond which a request is counted as off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    pub usage_diff_pct: f64,
    pub osl_mismatch_pct: f64,
    pub osl_mismatch_max_tokens: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { usage_diff_pct: 10.0, osl_mismatch_pct: 5.0, osl_mismatch_max_tokens: 50.0 }
    }
}

impl MetricContext {
    /// The context of phases that are measured together: what they share, and what one of them needs. `None` if there are none.
    pub fn joined<'a>(phases: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let mut phases = phases.into_iter();
        let first = phases.next()?;
        let mut joined = first.clone();
        for next in phases {
            joined.open_loop &= next.open_loop;
            joined.fixed_schedule &= next.fixed_schedule;
            if joined.sending != next.sending {
                joined.sending = Sending::Scheduled;
            }
            joined.concurrency = joined.concurrency.filter(|limit| next.concurrency == Some(*limit));
            // Each phase asks for its own load, and the whole run for none.
            joined.asked_concurrency = None;
            joined.asked_rate = None;
        }
        Some(joined)
    }

    pub fn new(endpoint: EndpointKind, streaming: bool) -> Self {
        Self {
            endpoint,
            streaming,
            server_token_count: false,
            per_chunk_usage: false,
            open_loop: false,
            fixed_schedule: false,
            sending: Sending::UntilCount,
            slos: Vec::new(),
            thresholds: Thresholds::default(),
            network_rtt: None,
            gpu_energy: Vec::new(),
            cost_per_hour: None,
            concurrency: None,
            asked_concurrency: None,
            asked_rate: None,
            show_internal: false,
            show_experimental: false,
            confidence: Some(Level::P95),
        }
    }

    /// Whether this run can have the metric at all.
    pub fn applies(&self, metric: Metric) -> bool {
        let facts = self.endpoint.facts();
        let needs = [
            (Flags::STREAM, self.streaming),
            (Flags::TOKENS_OUT, facts.produces_tokens),
            (Flags::TOKENS_IN, facts.tokenizes_input),
            (Flags::AUDIO, self.endpoint.takes(Medium::Audio)),
            (Flags::IMAGE, self.endpoint.takes(Medium::Image)),
            (Flags::VIDEO_OUT, facts.produces_video),
            (Flags::GOODPUT, !self.slos.is_empty()),
            (Flags::CLIENT_COUNT, !self.server_token_count),
            (Flags::OPEN_LOOP, self.open_loop || self.fixed_schedule),
            (Flags::FIXED_SCHEDULE, self.fixed_schedule),
            (Flags::NETWORK, self.network_rtt.is_some()),
            (Flags::GPU, !self.gpu_energy.is_empty()),
            (Flags::COST, self.cost_per_hour.is_some()),
        ];
        needs.iter().all(|(flag, met)| *met || !metric.has(*flag))
    }

    /// Whether files and console show it.
    pub fn shows(&self, metric: Metric) -> bool {
        let hidden = metric.has(Flags::INTERNAL) && !self.show_internal
            || metric.has(Flags::EXPERIMENTAL) && !self.show_experimental;
        !hidden && self.applies(metric)
    }

    /// The metrics of the per-request file, in its order.
    pub fn record_metrics(&self) -> Vec<Metric> {
        let in_file = |metric: &Metric| {
            let kind = metric.definition().kind;
            let per_record =
                matches!(kind, MetricKind::Record | MetricKind::RecordList) || *metric == Metric::GoodRequestCount;
            per_record && !metric.has(Flags::NO_RECORD) && self.shows(*metric)
        };
        Metric::ALL.iter().copied().filter(in_file).collect()
    }

    /// Reads an SLO as `--goodput` gives it: a metric's tag and a limit in the unit that is shown for it.
    pub fn slo(&self, tag: &str, limit: f64) -> Result<Slo, SloError> {
        let takes_limit =
            |metric: &Metric| metric.definition().kind == MetricKind::Record && !metric.has(Flags::ERRORS);
        let metric = Metric::from_tag(tag).filter(takes_limit).ok_or_else(|| SloError::Unknown {
            option: GOODPUT_OPTION,
            tag: tag.to_owned(),
            advice: Metric::advice(tag, |metric| takes_limit(&metric)),
        })?;
        if metric.has(Flags::OPEN_LOOP) && !self.applies(Metric::ScheduleLag) {
            return Err(SloError::NeedsSchedule { option: GOODPUT_OPTION, tag: tag.to_owned() });
        }
        if !self.applies(metric) {
            let (endpoint, streaming) = (self.endpoint.facts().name, self.streaming);
            let option = GOODPUT_OPTION;
            return Err(SloError::DoesNotApply { option, tag: tag.to_owned(), endpoint, streaming });
        }
        Ok(Slo { metric, limit: metric.definition().unshow(limit) })
    }
}

/// One service-level objective: a limit on a record metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slo {
    metric: Metric,
    /// In the metric's base unit.
    limit: f64,
}

impl Slo {
    pub fn metric(&self) -> Metric {
        self.metric
    }

    pub(crate) fn shown_limit(&self) -> f64 {
        self.metric.definition().show(self.limit)
    }

    /// How much of the limit a value uses: above 1 is a violation.
    pub fn used_share(&self, measured: f64) -> f64 {
        if self.metric.has(Flags::LARGER) { self.limit / measured } else { measured / self.limit }
    }

    pub(crate) fn is_met(&self, measured: f64) -> bool {
        if self.metric.has(Flags::LARGER) { measured >= self.limit } else { measured <= self.limit }
    }
}

/// The option that gives objectives, unless another one does.
const GOODPUT_OPTION: &str = "--goodput";

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SloError {
    #[error("{option} {tag}: no per-request metric has this name; {advice}")]
    Unknown { option: &'static str, tag: String, advice: String },
    #[error(
        "{option} {tag}: only a schedule has due times; use --request-rate, --fixed-schedule or --user-centric-rate"
    )]
    NeedsSchedule { option: &'static str, tag: String },
    #[error(
        "{option} {tag}: a run of endpoint type {endpoint} {} does not have this metric",
        if *.streaming { "with --streaming" } else { "without --streaming" }
    )]
    DoesNotApply { option: &'static str, tag: String, endpoint: &'static str, streaming: bool },
}

impl SloError {
    /// The same error about another option.
    #[must_use]
    pub fn of_option(mut self, name: &'static str) -> Self {
        let (Self::Unknown { option, .. } | Self::NeedsSchedule { option, .. } | Self::DoesNotApply { option, .. }) =
            &mut self;
        *option = name;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_slo_is_given_in_the_unit_that_people_see() {
        let context = MetricContext::new(EndpointKind::Chat, true);
        let slo = context.slo("time_to_first_token", 60.0).unwrap();
        assert!(slo.is_met(59.9e6));
        assert!(!slo.is_met(60.1e6));
        let rate = context.slo("output_token_throughput_per_user", 20.0).unwrap();
        assert!(rate.is_met(21.0));
        assert!(!rate.is_met(19.0));
    }

    #[test]
    fn an_slo_on_a_metric_the_run_lacks_is_refused_by_name() {
        let context = MetricContext::new(EndpointKind::Embeddings, false);
        let refused = context.slo("time_to_first_token", 60.0).unwrap_err();
        assert!(refused.to_string().contains("time_to_first_token"));
        assert!(matches!(context.slo("no_such", 1.0), Err(SloError::Unknown { .. })));
        let short = context.slo("ttft", 60.0).unwrap_err().to_string();
        assert!(short.ends_with("did you mean time_to_first_token?"), "{short}");
        let refused = context.slo("request_latency_from_due", 60.0).unwrap_err();
        assert!(refused.to_string().contains("--request-rate"));
    }

    #[test]
    fn only_a_schedule_brings_metrics_counted_from_it() {
        let closed = MetricContext::new(EndpointKind::Chat, true);
        let rate = MetricContext { open_loop: true, ..closed.clone() };
        let replay = MetricContext { fixed_schedule: true, ..closed.clone() };
        let has = |context: &MetricContext, metric| context.applies(metric);
        assert!(!has(&closed, Metric::ScheduleLag) && !has(&closed, Metric::ReplaySchedLagP99));
        assert!(has(&rate, Metric::TimeToFirstTokenFromDue) && !has(&rate, Metric::ReplaySchedLagP99));
        assert!(has(&replay, Metric::RequestLatencyFromDue) && has(&replay, Metric::ReplaySchedLagP99));
        assert!(replay.slo("request_latency_from_due", 60.0).is_ok());
        assert!(!replay.record_metrics().contains(&Metric::ReplaySendScheduleOffset), "internal");
    }

    #[test]
    fn an_endpoint_without_output_tokens_has_no_output_length() {
        let context = MetricContext::new(EndpointKind::Embeddings, false);
        assert!(!context.applies(Metric::OutputSequenceLength));
        assert!(context.applies(Metric::UsagePromptTokens));
        assert!(!context.record_metrics().contains(&Metric::InterChunkLatency));
    }
}
