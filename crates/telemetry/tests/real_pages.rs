//! Metrics pages of real servers, recorded after 24 requests (`realservers/run`): every line is read, and the metrics that
//! operators look at have the values that the page states.
#![allow(clippy::float_cmp, reason = "counts are whole numbers, and gauges are compared as they stand on the page")]
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it should be")]

use std::path::Path;
use std::sync::Arc;

use aiperf_clock::Mono;
use aiperf_telemetry::prometheus::{PageFormat, PageLimits, PageReader};
use aiperf_telemetry::scrape::{FetchedPage, PageSink};
use aiperf_telemetry::series::Window;
use aiperf_telemetry::server::{
    EndpointHistory, EndpointPlan, EngineMetric, EngineReport, HeadlineValue, LiveServerMetrics, headlines,
};

fn page(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pages");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// What a run reports that saw this page at its end, and none of its metrics before: counters count from zero.
fn reports(name: &str) -> (Vec<EngineReport>, Arc<LiveServerMetrics>) {
    let url = "http://server/metrics".to_owned();
    let plan = EndpointPlan { url, is_named: true, fallback: None, fallback_url: String::new() };
    let live = Arc::new(LiveServerMetrics::default());
    let mut history = EndpointHistory::new(plan, PageLimits::default(), None, Arc::clone(&live));
    let [start, end] = [1, 2].map(|second| Mono::from_nanos(second * 1_000_000_000));
    for (text, at) in [("up 1\n".to_owned(), start), (page(name), end)] {
        let fetched =
            FetchedPage { body: text.into_bytes(), format: PageFormat::Prometheus, sent: at, first_byte: at, done: at };
        history.page(fetched);
    }
    (headlines(&[history], Window::new(start, end)), live)
}

/// Totals of counters, means of gauges, shares, and numbers of observations.
fn rows(report: &EngineReport) -> Vec<(&'static str, f64)> {
    let number = |value: &HeadlineValue| match value {
        HeadlineValue::Counter { total, .. } => *total,
        HeadlineValue::Gauge(gauge) => gauge.max,
        HeadlineValue::Share(share) => *share,
        HeadlineValue::Histogram(increase) => increase.count,
    };
    report.metrics.iter().map(|(metric, (value, _))| (metric.tag(), number(value))).collect()
}

fn check(name: &str, engine: &str, expected: &[(&str, f64)]) {
    let (reports, live) = reports(name);
    let report = reports.iter().find(|report| report.engine.name() == engine);
    let report = report.unwrap_or_else(|| panic!("{name}: no {engine} in {reports:?}"));
    assert_eq!(rows(report), expected, "{name}");
    for metric in EngineMetric::ALL {
        let now = live.get(metric);
        match report.get(metric) {
            Some(HeadlineValue::Counter { total, .. }) => assert_eq!(now, Some(*total), "{name}: {}", metric.tag()),
            Some(HeadlineValue::Gauge(gauge)) => assert_eq!(now, Some(gauge.max), "{name}: {}", metric.tag()),
            _ => {}
        }
    }
}
