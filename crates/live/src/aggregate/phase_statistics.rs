//! Everything that is counted of the requests of one phase.

use aiperf_clock::Mono;
use aiperf_metrics::{Definition, Flags, Metric, MetricContext, MetricKind};

use super::seconds::{RequestNumbers, Seconds, milliseconds};
use super::{LogHistogram, RequestSample};
use crate::snapshot::{GoodputState, Headline, LatencyHistogram, MetricRow, Spread};

/// Bins of the histograms for drawing.
const BINS: usize = 60;
const MILLISECONDS: f64 = 1e-6;

#[derive(Debug)]
pub(crate) struct PhaseStatistics {
    pub(crate) index: usize,
    began: Mono,
    context: MetricContext,
    /// The metrics that the phase can have, each with its values.
    metrics: Vec<(Metric, LogHistogram)>,
    pub(crate) seconds: Seconds,
    pub(crate) completed: u64,
    pub(crate) failed: u64,
    good: u64,
    output_tokens: f64,
    input_tokens: f64,
}

impl PhaseStatistics {
    pub(crate) fn new(index: usize, began: Mono, context: MetricContext) -> Self {
        let metrics = context.record_metrics().into_iter().filter(|metric| *metric != Metric::GoodRequestCount);
        Self {
            index,
            began,
            metrics: metrics.map(|metric| (metric, LogHistogram::default())).collect(),
            context,
            seconds: Seconds::new(began),
            completed: 0,
            failed: 0,
            good: 0,
            output_tokens: 0.0,
            input_tokens: 0.0,
        }
    }

    pub(crate) fn note(&mut self, sample: &RequestSample) {
        let (outcome, values) = (sample.outcome, &sample.values);
        let value = |metric| values.get(metric, &self.context);
        for (metric, histogram) in &mut self.metrics {
            let Definition { kind, flags, .. } = metric.definition();
            let counts = flags.has(Flags::ANY_OUTCOME) || flags.has(Flags::ERRORS) != outcome.is_success();
            match kind {
                _ if !counts => {}
                MetricKind::RecordList => values.gaps().iter().for_each(|gap| histogram.add(*gap as f64)),
                _ => values.get(*metric, &self.context).into_iter().for_each(|value| histogram.add(value)),
            }
        }
        let numbers = RequestNumbers {
            output_tokens: value(Metric::OutputSequenceLength),
            input_tokens: value(Metric::InputSequenceLength),
            ttft: value(Metric::TimeToFirstToken),
            itl: value(Metric::InterTokenLatency),
            latency: value(Metric::RequestLatency),
        };
        if outcome.is_success() {
            self.completed += 1;
            self.good += u64::from(value(Metric::GoodRequestCount).is_some_and(|good| good > 0.0));
            self.output_tokens += numbers.output_tokens.unwrap_or(0.0);
            self.input_tokens += numbers.input_tokens.unwrap_or(0.0);
        } else if !outcome.is_cancelled() {
            self.failed += 1;
        }
        self.seconds.note(sample.end, outcome, &numbers);
    }

    fn histogram(&self, wanted: Metric) -> Option<&LogHistogram> {
        self.metrics.iter().find(|(metric, _)| *metric == wanted).map(|(_, histogram)| histogram)
    }

    /// Seconds since the phase began.
    pub(crate) fn elapsed(&self, now: Mono) -> f64 {
        now.since(self.began).as_secs_f64()
    }

    pub(crate) fn headline(&self, now: Mono, in_flight: u64) -> Headline {
        let window = self.seconds.window(now);
        let elapsed = self.elapsed(now);
        let per = |count: f64, seconds: f64| if seconds > 0.0 { count / seconds } else { 0.0 };
        let share = |part: u64, other: u64| per(part as f64, (part + other) as f64);
        let facts = self.context.endpoint.facts();
        let output = |count: f64, seconds: f64| facts.produces_tokens.then(|| per(count, seconds));
        let input = |count: f64, seconds: f64| facts.tokenizes_input.then(|| per(count, seconds));
        let spread = |of: &LogHistogram, metric| Spread {
            window: milliseconds(of),
            phase: self.histogram(metric).and_then(milliseconds),
        };
        Headline {
            requests_per_second: per(window.sum.completed as f64, window.seconds),
            phase_requests_per_second: per(self.completed as f64, elapsed),
            output_tokens_per_second: output(window.sum.output_tokens, window.seconds),
            phase_output_tokens_per_second: output(self.output_tokens, elapsed),
            input_tokens_per_second: input(window.sum.input_tokens, window.seconds),
            phase_input_tokens_per_second: input(self.input_tokens, elapsed),
            in_flight,
            completed: self.completed,
            errors: self.failed,
            error_share: share(self.failed, self.completed),
            window_error_share: share(window.sum.failed, window.sum.completed),
            ttft: spread(&window.sum.ttft, Metric::TimeToFirstToken),
            itl: spread(&window.sum.itl, Metric::InterTokenLatency),
            latency: spread(&window.sum.latency, Metric::RequestLatency),
            goodput: (!self.context.slos.is_empty()).then(|| GoodputState {
                share: share(self.good, (self.completed + self.failed).saturating_sub(self.good)),
                per_second: per(self.good as f64, elapsed),
                slos: Vec::new(),
            }),
        }
    }

    pub(crate) fn rows(&self) -> Vec<MetricRow> {
        self.metrics.iter().filter_map(|(metric, histogram)| row(*metric, histogram)).collect()
    }

    pub(crate) fn latency_histogram(&self) -> LatencyHistogram {
        let bins = |metric| self.histogram(metric).map_or_else(Vec::new, |values| values.bins(BINS, MILLISECONDS));
        LatencyHistogram { latency: bins(Metric::RequestLatency), ttft: bins(Metric::TimeToFirstToken) }
    }
}

fn row(metric: Metric, values: &LogHistogram) -> Option<MetricRow> {
    let definition = metric.definition();
    let show = |base: f64| definition.show(base);
    let shares = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];
    let [p1, p5, p10, p25, p50, p75, p90, p95, p99] = values.quantiles(shares)?.map(show);
    Some(MetricRow {
        tag: definition.tag,
        header: definition.header,
        unit: definition.shown.label(),
        count: values.count(),
        avg: show(values.mean()),
        min: show(values.min()),
        max: show(values.max()),
        p1,
        p5,
        p10,
        p25,
        p50,
        p75,
        p90,
        p95,
        p99,
        std: show(values.std()),
        sum: show(values.sum()),
    })
}
