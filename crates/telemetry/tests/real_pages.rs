//! Metrics pages of real servers, recorded after 24 requests (`realservers/run`): every line is read, and the metrics that
//! operators look at have the values that the page states.
#![allow(clippy::float_cmp, reason = "counts are whole numbers, and gauges are compared as they stand on the page")]
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it should be")]

use std::path::Path;
use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_telemetry::prometheus::{MetricType, PageFormat, PageLimits, PageReader};
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
    let plan = EndpointPlan { url, is_named: true, fallbacks: Vec::new() };
    let live = Arc::new(LiveServerMetrics::default());
    let mut history = EndpointHistory::new(plan, PageLimits::default(), None, Arc::clone(&live));
    let [start, middle, end] = [1, 2, 3].map(|second| Mono::from_nanos(second * 1_000_000_000));
    for (text, at) in [("up 1\n".to_owned(), start), (page(name), middle), (page(name), end)] {
        let fetched =
            FetchedPage { body: text.into_bytes(), format: PageFormat::Prometheus, sent: at, first_byte: at, done: at };
        history.page(&fetched);
    }
    (headlines(&[history], Window::new(start, end)), live)
}

/// Totals of counters, means of gauges, shares, and numbers of observations.
fn rows(report: &EngineReport) -> Vec<(&'static str, f64)> {
    let number = |value: &HeadlineValue| match value {
        HeadlineValue::Counter { total, .. } => *total,
        HeadlineValue::Gauge(gauge) => gauge.avg,
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
            Some(HeadlineValue::Gauge(gauge)) => assert_eq!(now, Some(gauge.avg), "{name}: {}", metric.tag()),
            _ => {}
        }
    }
}

#[test]
fn every_line_of_a_page_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pages");
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 7);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut reader = PageReader::new(PageLimits::default());
        let read = reader.read(text.as_bytes(), PageFormat::Prometheus).unwrap();
        let samples = text.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(read.values.len(), samples.count(), "{}", file.display());
        let untyped: Vec<_> = reader.families().iter().filter(|family| family.kind == MetricType::Unknown).collect();
        assert!(untyped.is_empty(), "{}: {untyped:?}", file.display());
    }
}

#[test]
fn vllm() {
    let rows = [
        ("running_requests", 0.0),
        ("waiting_requests", 0.0),
        ("kv_cache_usage", 0.0),
        ("prefix_cache_queries", 1632.0),
        ("prefix_cache_hits", 0.0),
        ("prefix_cache_hit_rate", 0.0),
        ("preemptions", 0.0),
        ("prompt_tokens", 1632.0),
        ("generation_tokens", 768.0),
        ("finished_requests", 24.0),
        ("time_to_first_token", 24.0),
        ("queue_time", 24.0),
        ("prefill_time", 24.0),
        ("decode_time", 24.0),
        ("request_latency", 24.0),
    ];
    check("vllm-0.32.0.txt", "vLLM", &rows);
}

/// One request and 11 + 8 tokens are the server's own, with which it warms itself up. It publishes figures of speculative decoding
/// without any, and one wait in the queue more than requests.
#[test]
fn sglang() {
    let rows = [
        ("running_requests", 0.0),
        ("waiting_requests", 0.0),
        ("kv_cache_usage", 0.02),
        ("prefix_cache_hits", 55.0),
        ("prefix_cache_hit_rate", 55.0 / 1643.0),
        ("prompt_tokens", 1643.0),
        ("generation_tokens", 776.0),
        ("finished_requests", 25.0),
        ("time_to_first_token", 25.0),
        ("queue_time", 26.0),
        ("request_latency", 25.0),
    ];
    check("sglang-0.5.23.txt", "SGLang", &rows);
}

/// It does not count requests, and counts cached tokens of prompts apart.
#[test]
fn llama_cpp() {
    let rows = [
        ("running_requests", 0.0),
        ("waiting_requests", 0.0),
        ("prefix_cache_hits", 40.0),
        ("prefix_cache_hit_rate", 40.0 / 1632.0),
        ("draft_tokens", 0.0),
        ("accepted_tokens", 0.0),
        ("prompt_tokens", 1632.0),
        ("generation_tokens", 768.0),
    ];
    check("llama.cpp-11549.txt", "llama.cpp", &rows);
}

#[test]
fn dynamo() {
    let rows = [
        ("running_requests", 0.0),
        ("waiting_requests", 0.0),
        ("prefix_cache_hits", 0.0),
        ("prefix_cache_hit_rate", 0.0),
        ("prompt_tokens", 1632.0),
        ("generation_tokens", 768.0),
        ("finished_requests", 24.0),
        ("time_to_first_token", 24.0),
        ("request_latency", 24.0),
    ];
    check("dynamo-frontend-1.6.1.txt", "Dynamo", &rows);
}

/// A worker has the metrics of its engine on its page, some under two names.
#[test]
fn worker_of_dynamo() {
    let rows = [
        ("running_requests", 0.0),
        ("waiting_requests", 0.0),
        ("kv_cache_usage", 0.0),
        ("preemptions", 0.0),
        ("time_to_first_token", 3.0),
        ("request_latency", 3.0),
    ];
    check("dynamo-worker-1.6.1.txt", "vLLM", &rows);
}

#[test]
fn litellm() {
    let rows = [
        ("prefix_cache_hits", 40.0),
        ("prefix_cache_hit_rate", 40.0 / 1632.0),
        ("prompt_tokens", 1632.0),
        ("generation_tokens", 768.0),
        ("finished_requests", 24.0),
        ("time_to_first_token", 24.0),
        ("queue_time", 24.0),
        ("request_latency", 24.0),
    ];
    check("litellm-1.106.2.txt", "LiteLLM", &rows);
}

/// Two models, of which one was loaded. Tokens are counted by its backends for language models only.
#[test]
fn triton() {
    check("triton-2.51.0.txt", "Triton", &[("waiting_requests", 0.0), ("finished_requests", 24.0)]);
}

/// Counters of a server lag behind its answers: equal pages before the end of the run say nothing.
#[test]
fn pages_are_wanted_until_counts_stand_still_after_the_run() {
    let url = "http://server/metrics".to_owned();
    let plan = EndpointPlan { url, is_named: true, fallbacks: Vec::new() };
    let mut history = EndpointHistory::new(plan, PageLimits::default(), None, Arc::default());
    let end = Mono::now();
    let mut seen = |at: Mono, finished: u32, running: u32| {
        let text = format!(
            "# TYPE vllm:request_success_total counter\nvllm:request_success_total {finished}\n\
             # TYPE vllm:num_requests_running gauge\nvllm:num_requests_running {running}\n"
        );
        let (body, format) = (text.into_bytes(), PageFormat::Prometheus);
        history.page(&FetchedPage { body, format, sent: at, first_byte: at, done: at });
        history.wants_more(Mono::now().since(end))
    };
    let second = Nanos(1_000_000_000);
    assert!(seen(end - second, 23, 0));
    assert!(seen(end, 23, 0), "only the second page was fetched after the run");
    // Far enough ahead for any machine.
    let later = end + Nanos(60 * second.0);
    assert!(seen(later, 24, 0), "a request was counted");
    assert!(seen(later + second, 24, 1), "a request runs");
    assert!(!seen(later + second + second, 24, 0));
}
