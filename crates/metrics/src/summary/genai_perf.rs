//! The metrics of GenAI-Perf. It does not read reasoning: its first token is the first one of the answer, its output length
//! the answer's, and what follows from the two (inter-token latency, throughput, goodput) does so without reasoning. Without
//! reasoning the values are the same as ours.

use crate::record::columns::Columns;
use crate::record::fact::{Fact, Facts};
use crate::record::formula;
use crate::{Metric, MetricContext, MetricResult, PhaseWindow, Stats};

/// Those with all statistics.
const OF_REQUESTS: [Metric; 9] = [
    Metric::TimeToFirstToken,
    Metric::TimeToSecondToken,
    Metric::RequestLatency,
    Metric::InterTokenLatency,
    Metric::OutputTokenThroughputPerUser,
    Metric::OutputSequenceLength,
    Metric::InputSequenceLength,
    Metric::ImageThroughput,
    Metric::ImageLatency,
];

/// The facts of a request as GenAI-Perf sees it.
struct WithoutReasoning<F>(F);

impl<F: Facts> Facts for WithoutReasoning<F> {
    fn fact(&self, fact: Fact) -> Option<u64> {
        match fact {
            Fact::FirstContent => self.0.fact(Fact::FirstOutput),
            Fact::SecondGap => self.0.fact(Fact::SecondOutputGap),
            // An answer that is all reasoning has an output of no tokens.
            Fact::OutputTokens => self.0.fact(fact).or_else(|| self.0.fact(Fact::ReasoningTokens).map(|_| 0)),
            Fact::ReasoningTokens | Fact::FirstChunkTokens => None,
            _ => self.0.fact(fact),
        }
    }
}

/// The metrics of a phase by GenAI-Perf's definitions, in the units that are shown. What has no value is not there.
pub fn genai_perf_results(columns: &Columns, window: &PhaseWindow, context: &MetricContext) -> Vec<MetricResult> {
    let values = |metric: Metric| -> Vec<f64> {
        let rows = columns.rows().map(WithoutReasoning);
        rows.filter_map(|row| formula::value(metric, &row, context)).collect()
    };
    let total = |metric: Metric| Some(values(metric)).filter(|values| !values.is_empty()).map(|all| all.iter().sum());
    let mut results = Vec::new();
    let mut put = |metric: Metric, stats: Option<Stats>| {
        let Some(stats) = stats.filter(|_| context.shows(metric)) else { return };
        let stats = stats.map(|value| metric.definition().show(value));
        results.push(MetricResult { metric, stats, confidence: None });
    };
    for metric in OF_REQUESTS.into_iter().filter(|metric| context.applies(*metric)) {
        put(metric, Stats::of(values(metric)));
    }
    let requests = values(Metric::RequestLatency).len() as f64;
    let seconds = window.length().as_secs_f64();
    let per_second = |amount: Option<f64>| {
        amount.filter(|_| requests > 0.0 && seconds > 0.0).map(|amount| Stats::single(amount / seconds))
    };
    put(Metric::OutputTokenThroughput, per_second(total(Metric::OutputSequenceLength)));
    put(Metric::RequestThroughput, per_second(Some(requests)));
    put(Metric::Goodput, per_second(total(Metric::GoodRequestCount)));
    put(Metric::RequestCount, Some(Stats::single(requests)));
    results
}
