//! What a report looks like in each of its forms.

use std::path::PathBuf;

use aiperf_compare::{
    Change, Comparison, ComparisonReport, ComparisonRow, Direction, Forecast, Format, Gate, GpuQuantity, GpuRowPair,
    InconclusiveReason, OnUnclear, Page, Question, SampleUnit, Scale, Share, SideNote, Verdict, Warning, WorkloadNote,
};
use aiperf_stats::Level;

fn side(folder: &str) -> SideNote {
    SideNote {
        folder: PathBuf::from(folder),
        runs: 1,
        failed_runs: 0,
        requests: Some(12_345),
        has_records: true,
        skipped_lines: 0,
        ..SideNote::default()
    }
}

/// `change`: share and bounds, in percent.
fn row(quantity: &str, values: (f64, f64), change: (f64, f64, f64), verdict: Verdict) -> ComparisonRow {
    let quantity: aiperf_compare::Quantity = quantity.parse().unwrap();
    let scale = if quantity.to_string().contains("rate") { Scale::Points } else { Scale::Relative };
    let (share, low, high) = change;
    let percent = |percent: f64| percent / 100.0;
    let of_scale = |relative: f64, points: f64| {
        let share = if scale == Scale::Points { points } else { relative };
        Share::new(percent(share)).unwrap()
    };
    ComparisonRow {
        quantity,
        direction: Direction::of(quantity.metric),
        scale,
        baseline: Some(values.0),
        candidate: Some(values.1),
        change: Some(Change {
            scale,
            absolute: values.1 - values.0,
            share: percent(share),
            low: percent(low),
            high: percent(high),
        }),
        threshold: of_scale(2.5, 1.0),
        detect: of_scale(5.0, 2.0),
        verdict,
        reason: (verdict == Verdict::Inconclusive).then_some(InconclusiveReason::Wide),
        forecast: Some(Forecast::Needs { find: 1_753, equal: 7_556, unit: SampleUnit::Requests }),
        unit: SampleUnit::Requests,
        none_on_either_side: None,
    }
}

fn report() -> ComparisonReport {
    let few = ComparisonRow {
        change: Some(Change {
            scale: Scale::Relative,
            absolute: 5.0,
            share: 0.05,
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
        }),
        reason: Some(InconclusiveReason::TooFew { side: "runs/<new>".to_owned() }),
        forecast: Some(Forecast::AtLeast(528)),
        ..row("time_to_first_token:p99", (100.0, 105.0), (5.0, 0.0, 0.0), Verdict::Inconclusive)
    };
    let absent = ComparisonRow {
        candidate: None,
        change: None,
        reason: Some(InconclusiveReason::Absent { side: "runs/<new>".to_owned() }),
        forecast: None,
        ..row("goodput", (1.0, 1.0), (0.0, 0.0, 0.0), Verdict::Inconclusive)
    };
    let rows = vec![
        row("time_to_first_token:avg", (51.95, 62.29), (19.9, 15.9, 24.0), Verdict::Worse),
        few,
        row("inter_token_latency:avg", (5.034, 5.066), (0.6, -1.7, 3.1), Verdict::Inconclusive),
        row("request_latency:p50", (1234.5, 1198.0), (-3.0, -6.5, 0.7), Verdict::Inconclusive),
        row("output_token_throughput", (997.27, 1100.4), (10.3, 8.8, 11.9), Verdict::Better),
        ComparisonRow {
            none_on_either_side: Some(0.75),
            ..row("request_error_rate", (0.0, 0.0), (0.0, -0.75, 0.75), Verdict::Equal)
        },
        absent,
    ];
    let note = WorkloadNote { what: "model", baseline: "a|b".to_owned(), candidate: "a & b".to_owned() };
    let warning = Warning {
        code: "client_saturated".to_owned(),
        message: "The client was the limit: CPU 99%.".to_owned(),
        runs: 1,
    };
    let candidate = SideNote { warnings: vec![warning], ..side("runs/<new>") };
    let gpu = |quantity, baseline, candidate| GpuRowPair {
        gpu: "GPU 0 NVIDIA H200".to_owned(),
        quantity,
        baseline: Some(baseline),
        candidate,
    };
    let gpus = vec![gpu(GpuQuantity::Power, 690.0, Some(621.0)), gpu(GpuQuantity::Utilization, 97.5, None)];
    let comparison = Comparison { candidate, workload: vec![note], rows, accuracy: None, gpus, withheld: None };
    ComparisonReport {
        baseline: side("runs/old"),
        comparisons: vec![comparison],
        level: Level::P95,
        row_level: Level::new(0.975).unwrap(),
        question: Question::Worse,
    }
}

#[test]
fn every_form_says_the_same() {
    let report = report();
    let page = Page { report: &report, gate: Some(Gate::of(&report, OnUnclear::Fail)), version: "0.0.0" };
    insta::assert_snapshot!("console", page.render(Format::Console));
    insta::assert_snapshot!("markdown", page.render(Format::Markdown));
    insta::assert_snapshot!("json", page.render(Format::Json));
    insta::assert_snapshot!("junit", page.render(Format::Junit));
}

#[test]
fn every_form_shows_validity_warnings_and_why_there_is_no_verdict() {
    let mut report = report();
    let why = "the baseline was interrupted after 3,343 of 6,400 requests";
    report.baseline.no_verdict_reasons = vec!["was interrupted after 3,343 of 6,400 requests".to_owned()];
    report.comparisons[0].withheld = Some(why.to_owned());
    for row in &mut report.comparisons[0].rows {
        row.verdict = Verdict::Withheld;
    }
    for gate in [None, Some(Gate::of(&report, OnUnclear::Pass))] {
        let page = Page { report: &report, gate, version: "0.0.0" };
        for format in [Format::Console, Format::Markdown, Format::Json, Format::Junit] {
            let text = page.render(format).replace('\\', "");
            for words in [why, "no verdict", "client_saturated", "The client was the limit: CPU 99%."] {
                let known = text.contains(words) || (format == Format::Json && text.contains("no_verdict"));
                assert!(known, "{words} is not in {format:?}: {text}");
            }
        }
    }
    assert_eq!(Gate::of(&report, OnUnclear::Pass).exit_code(), 4);
}

#[test]
fn without_a_gate_nothing_speaks_of_one() {
    let report = ComparisonReport { question: Question::Changed, ..report() };
    let page = Page { report: &report, gate: None, version: "0.0.0" };
    for format in [Format::Console, Format::Markdown, Format::Json, Format::Junit] {
        assert!(!page.render(format).contains("gate"), "{format:?}");
    }
}
