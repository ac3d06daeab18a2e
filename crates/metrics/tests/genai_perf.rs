//! The metrics by GenAI-Perf's definitions, worked out by hand.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the failure")]

mod phase;

use aiperf_metrics::{
    Columns, Metric, MetricContext, Observation, PhaseWindow, RecordValues, Stats, TokenCounts, genai_perf_results,
};
use phase::{at, request, streaming};

/// Contents at these times in milliseconds, of which the first are reasoning.
fn reasoning(contents: &[u64], thoughts: usize, tokens: TokenCounts) -> Observation {
    let mut seen = request(0, contents);
    for chunk in &mut seen.chunks[..thoughts] {
        (chunk.has_output, chunk.has_reasoning) = (false, true);
    }
    Observation { tokens, ..seen }
}

fn results(seen: &[Observation], context: &MetricContext) -> impl Fn(Metric) -> Option<Stats> + use<> {
    let mut columns = Columns::new();
    for one in seen {
        columns.push(one, &RecordValues::compute(one));
    }
    let results = genai_perf_results(&columns, &PhaseWindow::new(at(0), at(2_000)), context);
    move |metric| results.iter().find(|result| result.metric == metric).map(|result| result.stats)
}

#[test]
fn reasoning_is_left_out() {
    let tokens = TokenCounts { input: Some(8), output: Some(3), reasoning: Some(2) };
    let mut context = streaming();
    context.slos = vec![context.slo("time_to_first_token", 30.0).unwrap()];
    let found = results(&[reasoning(&[10, 20, 40, 45, 60], 2, tokens)], &context);
    let avg = |metric| found(metric).and_then(|stats| stats.avg).unwrap();
    assert_eq!((avg(Metric::TimeToFirstToken), avg(Metric::TimeToSecondToken)), (40.0, 5.0));
    assert_eq!((avg(Metric::OutputSequenceLength), avg(Metric::RequestLatency)), (3.0, 60.0));
    assert_eq!((avg(Metric::InterTokenLatency), avg(Metric::OutputTokenThroughputPerUser)), (10.0, 100.0));
    assert_eq!((avg(Metric::OutputTokenThroughput), avg(Metric::RequestThroughput)), (1.5, 0.5));
    assert_eq!(found(Metric::Goodput).unwrap().avg, Some(0.0), "the first token of the answer came at 40 ms");
}

#[test]
fn an_answer_that_is_all_reasoning_has_an_output_of_no_tokens() {
    let tokens = TokenCounts { input: Some(8), output: None, reasoning: Some(2) };
    let found = results(&[reasoning(&[10, 20], 2, tokens)], &streaming());
    assert_eq!(found(Metric::OutputSequenceLength).unwrap().avg, Some(0.0));
    assert_eq!((found(Metric::TimeToFirstToken), found(Metric::InterTokenLatency)), (None, None));
    assert_eq!(found(Metric::RequestCount).unwrap().avg, Some(1.0));
}

#[test]
fn without_reasoning_the_metrics_are_ours() {
    let seen = [request(0, &[50, 60, 80]), request(100, &[140, 150])];
    let found = results(&seen, &streaming());
    let summary = phase::summarize(&seen, &streaming());
    for metric in [
        Metric::TimeToFirstToken,
        Metric::TimeToSecondToken,
        Metric::RequestLatency,
        Metric::InterTokenLatency,
        Metric::OutputTokenThroughputPerUser,
        Metric::OutputSequenceLength,
        Metric::InputSequenceLength,
    ] {
        assert_eq!(found(metric), summary.get(metric).copied(), "{}", metric.tag());
    }
}
