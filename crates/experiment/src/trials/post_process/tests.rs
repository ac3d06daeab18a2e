//! The files of handlers for points that were also given to the reference; numbers and names are those that it gave.

use aiperf_config::{MetricStat, PostProcessHandler, SlaFilter, SlaOp};
use aiperf_metrics::Stats;
use aiperf_report::{SweepCell, SweepMetric};
use serde_json::{Map, Value, json};

use super::process;

fn stats(avg: f64, p95: f64, p99: f64) -> Stats {
    let mut stats = Stats { avg: Some(avg), ..Stats::default() };
    for (percentile, value) in stats.percentiles.iter_mut().zip(aiperf_metrics::Percentile::ALL) {
        *percentile = match value.name() {
            "p95" => Some(p95),
            "p99" => Some(p99),
            _ => None,
        };
    }
    stats
}

fn cell(parameters: &[(&str, f64)], metrics: &[(&str, Stats)]) -> SweepCell {
    let parameters: Map<String, Value> = parameters
        .iter()
        .map(|(name, value)| {
            let whole = value.fract() == 0.0;
            ((*name).to_owned(), if whole { json!(*value as i64) } else { json!(value) })
        })
        .collect();
    let metrics = metrics.iter().filter_map(|(tag, stats)| SweepMetric::of_one_run(tag, "ms", *stats));
    SweepCell { parameters, metrics: metrics.collect(), breaches: None }
}

fn of(metric: &str, stat: &str) -> MetricStat {
    MetricStat { metric: metric.to_owned(), stat: stat.to_owned() }
}

/// Concurrencies out of order, with the p99 of a latency.
fn latencies(points: &[(f64, f64)]) -> Vec<SweepCell> {
    let point = |(at, value): &(f64, f64)| {
        cell(&[("concurrency", *at)], &[("request_latency", stats(value * 0.9, value * 1.1, *value))])
    };
    points.iter().map(point).collect()
}

const POINTS: [(f64, f64); 4] = [(4.0, 130.0), (1.0, 100.0), (2.0, 105.0), (8.0, 200.0)];

fn knee(threshold: f64) -> PostProcessHandler {
    let swept = "phases.profiling.concurrency".to_owned();
    PostProcessHandler::DegradationKnee { of: of("request_latency", "p99"), swept, threshold }
}

#[test]
fn the_knee_is_the_first_value_that_is_worse_by_more_than_the_share() {
    let expected = json!({
        "baseline_concurrency": 1, "baseline_p99": 100.0, "knee_concurrency": 4, "knee_p99": 130.0, "threshold_pct": 0.2,
        "swept_metric": "request_latency", "stat": "p99", "swept_param": "phases.profiling.concurrency",
        "all_points": [
            {"concurrency": 1, "p99": 100.0}, {"concurrency": 2, "p99": 105.0},
            {"concurrency": 4, "p99": 130.0}, {"concurrency": 8, "p99": 200.0}
        ]
    });
    assert_eq!(process(&knee(0.2), &latencies(&POINTS)).unwrap(), expected);
    let none = process(&knee(5.0), &latencies(&POINTS)).unwrap();
    assert_eq!((&none["knee_concurrency"], &none["knee_p99"]), (&Value::Null, &Value::Null));
    let why = process(&knee(0.2), &[cell(&[("rate", 1.0)], &[])]).unwrap_err();
    assert!(why.contains("phases.profiling.concurrency") && why.contains("request_latency p99"), "{why}");
}

fn breach(threshold: f64) -> PostProcessHandler {
    let filter = |metric: &str| SlaFilter { metric: metric.into(), stat: "p95".into(), op: SlaOp::Lt, threshold };
    PostProcessHandler::SlaBreachKnee { filters: vec![filter("request_latency")], swept: "concurrency".to_owned() }
}

#[test]
fn limits_are_kept_up_to_a_value() {
    // p95 is 110, 115.5, 143 and 220.
    let file = process(&breach(140.0), &latencies(&POINTS)).unwrap();
    assert_eq!((&file["max_passing_concurrency"], &file["first_failing_concurrency"]), (&json!(2), &json!(4)));
    let observed =
        json!({"metric_tag": "request_latency", "stat": "p95", "op": "lt", "threshold": 140.0, "observed": 143.0});
    assert_eq!(file["first_failing_breach"], observed);
    assert_eq!(file["monotonicity_check"], true);
    assert_eq!(file["all_points"][0], json!({"concurrency": 1, "feasible": true, "breaches": []}));
    let uneven = latencies(&[(1.0, 100.0), (2.0, 300.0), (4.0, 100.0), (8.0, 300.0)]);
    let file = process(&breach(140.0), &uneven).unwrap();
    assert_eq!((&file["max_passing_concurrency"], &file["first_failing_concurrency"]), (&json!(4), &json!(2)));
    assert_eq!(file["monotonicity_check"], false);
    // A value that was measured twice passes only if it did both times.
    let twice = latencies(&[(1.0, 100.0), (1.0, 300.0), (2.0, 100.0)]);
    let file = process(&breach(140.0), &twice).unwrap();
    assert_eq!((&file["max_passing_concurrency"], &file["first_failing_concurrency"]), (&json!(2), &json!(1)));
    let all = process(&breach(1e9), &latencies(&POINTS)).unwrap();
    assert_eq!((&all["max_passing_concurrency"], &all["first_failing_breach"]), (&json!(8), &Value::Null));
}

fn curve(points: &[(f64, f64)], floor: f64) -> Result<Value, String> {
    let path = "datasets.main.prompts.isl.mean";
    let cells: Vec<SweepCell> = points
        .iter()
        .map(|(at, value)| cell(&[(path, *at)], &[("time_to_first_token", stats(*value, 0.0, 0.0))]))
        .collect();
    let of = of("time_to_first_token", "avg");
    process(&PostProcessHandler::CurveFit { of, swept: path.to_owned(), r_squared_floor: floor }, &cells)
}

fn close(value: &Value, expected: f64) {
    assert!((value.as_f64().unwrap() - expected).abs() < 1e-9 * expected.abs().max(1.0), "{value}, not {expected}");
}

#[test]
fn a_curve_is_that_of_least_squares() {
    let file = curve(&[(512.0, 20.0), (256.0, 10.0), (1024.0, 41.0), (2048.0, 79.0)], 0.85).unwrap();
    assert_eq!((&file["fit_form"], &file["below_floor"]), (&json!("linear"), &json!(false)));
    close(&file["coefficients"][0], 0.038_519_021_739_130_45);
    close(&file["coefficients"][1], 0.521_739_130_434_767_9);
    close(&file["r_squared"], 0.999_483_919_105_874_3);
    assert_eq!(file["raw_points"][0], json!({"isl": 256.0, "ttft_ms": 10.0}));
    let scattered = [(1.0, 1.0), (2.0, 4.0), (3.0, 1.0), (4.0, 16.0), (5.0, 5.0)];
    let file = curve(&scattered, 0.85).unwrap();
    assert_eq!((&file["fit_form"], &file["below_floor"]), (&json!("quadratic"), &json!(true)));
    close(&file["r_squared"], 0.307_720_999_627_004_94);
    for (at, expected) in [-0.714_285_714_285_717_7, 6.285_714_285_714_311, -5.600_000_000_000_039].iter().enumerate() {
        close(&file["coefficients"][at], *expected);
    }
    let squares = [1.0, 2.0, 3.0, 10.0, 30.0].map(|x| (x, x * x));
    assert_eq!(curve(&squares, 0.85).unwrap()["fit_form"], "linear");
    let file = curve(&squares, 0.99).unwrap();
    assert_eq!(file["fit_form"], "quadratic");
    close(&file["coefficients"][0], 1.0);
    assert!(curve(&[(1.0, 1.0)], 0.85).unwrap_err().contains("at least two values"));
    assert_eq!(curve(&[(1.0, 5.0), (2.0, 5.0), (3.0, 5.0)], 0.85).unwrap()["below_floor"], true);
}

#[test]
fn a_surface_has_gaps_where_nothing_was_measured() {
    let handler = PostProcessHandler::SurfaceFit {
        of: of("inter_token_latency", "avg"),
        concurrency: "phases.profiling.concurrency".to_owned(),
        osl: "osl".to_owned(),
    };
    let point = |at: f64, length: f64, value: f64| {
        cell(&[("concurrency", at), ("osl", length)], &[("inter_token_latency", stats(value, 0.0, 0.0))])
    };
    let file = process(&handler, &[point(1.0, 64.0, 65.0), point(4.0, 128.0, 132.0), point(4.0, 64.0, 68.0)]).unwrap();
    assert_eq!(
        file["surface"],
        json!({"concurrency_axis": [1.0, 4.0], "osl_axis": [64.0, 128.0], "itl_grid": [[65.0, null], [68.0, 132.0]]})
    );
    assert_eq!(file["surface_fit_failed"], false);
    let alone = process(&handler, &[point(1.0, 64.0, 65.0)]).unwrap();
    assert_eq!((&alone["surface_fit_failed"], &alone["surface"]["itl_grid"]), (&json!(true), &json!([])));
}

#[test]
fn a_point_is_exported_as_optimal_if_no_other_one_beats_it() {
    let text = ToOwned::to_owned;
    let handler = PostProcessHandler::ParetoExport {
        x: of("time_to_first_token", "avg"),
        y: of("output_token_throughput", "avg"),
        isl: text("i"),
        osl: text("o"),
        concurrency: text("concurrency"),
    };
    let point = |at: f64, x: f64, y: f64| {
        let metrics = [("time_to_first_token", stats(x, 0.0, 0.0)), ("output_token_throughput", stats(y, 0.0, 0.0))];
        cell(&[("i", 128.0), ("o", 64.0), ("concurrency", at)], &metrics)
    };
    let points = [(4.0, 12.0, 150.0), (1.0, 10.0, 50.0), (16.0, 30.0, 140.0), (64.0, 50.0, 300.0), (65.0, 50.0, 300.0)];
    let cells: Vec<SweepCell> = points.iter().map(|(at, x, y)| point(*at, *x, *y)).collect();
    let file = process(&handler, &cells).unwrap();
    let optimal: Vec<&Value> = file["cells"].as_array().unwrap().iter().map(|cell| &cell["pareto_optimal"]).collect();
    assert_eq!(optimal, [true, true, false, true, true]);
    let first = json!({"isl": 128, "osl": 64, "concurrency": 4, "x": 12.0, "y": 150.0, "pareto_optimal": true});
    assert_eq!(file["cells"][0], first);
}
