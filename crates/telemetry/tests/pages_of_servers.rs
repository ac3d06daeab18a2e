//! Pages over real sockets, as servers should and should not send them: each is read or refused, and nothing waits for ever.
#![allow(clippy::float_cmp, reason = "pages have whole numbers as floats")]
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it should be")]

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aiperf_address::{Address, HttpVersion, Scheme};
use aiperf_clock::Mono;
use aiperf_telemetry::prometheus::PageLimits;
use aiperf_telemetry::scrape::{FirstPage, PageSource, ScrapeSettings, ScrapeThread};
use aiperf_telemetry::series::Window;
use aiperf_telemetry::server::{
    EndpointHistory, EndpointPlan, EngineMetric, LiveServerMetrics, PageAddress, SeriesStatistics, ServerMetrics,
};
use aiperf_test_server::{ReceivedRequest, TestReply, TestServer};
use aiperf_transport::{BodyLimit, ClientSettings};
use flate2::Compression;
use flate2::write::GzEncoder;

const LIMIT: usize = 64 * 1024;

fn text(body: &str) -> TestReply {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n", body.len());
    TestReply::new(format!("{head}{body}"))
}

fn start(server: &TestServer, interval: Duration) -> (ScrapeThread<EndpointHistory>, Arc<LiveServerMetrics>) {
    let address = Address::parse(&server.url(), Scheme::Http).unwrap();
    let target = address.request_target("/metrics");
    let other = |path: &str| {
        let target = target.resolve(path).unwrap();
        PageAddress { url: target.to_string(), target }
    };
    let fallbacks = vec![other("/prometheus/metrics"), other("/v1/metrics")];
    let plan = EndpointPlan { url: target.to_string(), is_named: true, fallbacks };
    let live = Arc::new(LiveServerMetrics::default());
    let history = EndpointHistory::new(plan, PageLimits::default(), None, Arc::clone(&live));
    let settings = ScrapeSettings {
        thread: "pages",
        client: ClientSettings::default(),
        interval,
        timeout: Duration::from_millis(300),
        body_limit: BodyLimit(LIMIT),
    };
    let source = PageSource { target, headers: Vec::new(), http_version: HttpVersion::Http1 };
    (ScrapeThread::start(settings, vec![(source, history)]).unwrap(), live)
}

/// What a run sees of a server that answers like this, once it has been asked `asked` times.
fn scraped(
    answer: impl Fn(usize, &ReceivedRequest) -> TestReply + Send + Sync + 'static,
    asked: usize,
) -> (ServerMetrics, Arc<LiveServerMetrics>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let server = TestServer::start(move |index, request| {
        counter.fetch_add(1, Ordering::Relaxed);
        answer(index, request)
    });
    let began = Mono::now();
    let (mut thread, live) = start(&server, Duration::from_millis(20));
    thread.wait_for_first_pages(Duration::from_secs(20), |_| true);
    thread.signal().phase_begins();
    while count.load(Ordering::Relaxed) < asked {
        std::thread::sleep(Duration::from_millis(5));
    }
    let ended = Mono::now();
    thread.run_is_over(Duration::from_millis(500));
    let endpoints = thread.finish();
    (ServerMetrics::compute(&endpoints, Window::new(began, ended), None), live)
}

fn problems(metrics: &ServerMetrics) -> String {
    metrics.endpoints[0].problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[test]
fn a_page_is_read_again_and_again() {
    let (metrics, live) = scraped(
        |index, _| {
            text(&format!(
                "# TYPE vllm:generation_tokens_total counter\nvllm:generation_tokens_total {}\n\
                 # TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 4\n",
                100 * index.min(5)
            ))
        },
        7,
    );
    assert!(metrics.has_pages());
    assert_eq!(live.get(EngineMetric::RunningRequests), Some(4.0));
    assert_eq!(live.get(EngineMetric::PromptTokens), None);
    let tokens = metrics.metrics.iter().find(|metric| metric.name == "vllm:generation_tokens").unwrap();
    let SeriesStatistics::Counter { total, .. } = &tokens.series[0].statistics else { panic!("{tokens:?}") };
    assert_eq!(*total, 500.0, "the first page came before the phase, the last after it");
    assert_eq!(metrics.engines[0].total(EngineMetric::GenerationTokens), Some(500.0));
    // The phase of this test begins before its first page.
    assert!(problems(&metrics).contains("after the phase began"), "{}", problems(&metrics));
}

#[test]
fn pages_are_read_after_the_run_until_the_counters_stand_still() {
    const LATE: usize = 12;
    let server = TestServer::start(|index, _| {
        let tokens = 100 * index.min(LATE);
        text(&format!("# TYPE vllm:generation_tokens_total counter\nvllm:generation_tokens_total {tokens}\n"))
    });
    let (mut thread, _) = start(&server, Duration::from_secs(60));
    thread.wait_for_first_pages(Duration::from_secs(20), |_| true);
    let began = Mono::now();
    thread.signal().phase_begins();
    thread.run_is_over(Duration::from_secs(60));
    let endpoints = thread.finish();
    let over = Mono::now().since(began).as_secs_f64();
    assert!(server.received().len() > LATE, "{} pages were read", server.received().len());
    // Each of these pages took 0.1 s and standing still takes a while; the limit is far off.
    assert!(over < 50.0, "the thread went on for {over} s");
    let metrics = ServerMetrics::compute(&endpoints, Window::new(began, Mono::now()), None);
    let SeriesStatistics::Counter { total, .. } = &metrics.metrics[0].series[0].statistics else {
        panic!("{metrics:?}")
    };
    assert!((*total - 100.0 * (LATE as f64 - 1.0)).abs() < 101.0, "{total}");
}

/// As of Python's `prometheus_client` 0.26, with which SGLang publishes its metrics.
#[test]
fn a_server_that_escapes_names_in_openmetrics_is_asked_for_plain_text() {
    let (metrics, _) = scraped(
        |_, request| {
            let accept = request.header("accept").unwrap_or_default();
            let prefix = if accept.contains("openmetrics") { "sglang_" } else { "sglang:" };
            text(&format!("# TYPE sglang:num_requests_total counter\n{prefix}num_requests_total 3\n"))
        },
        3,
    );
    assert_eq!(metrics.metrics[0].name, "sglang:num_requests");
}

#[test]
fn trt_llm_has_its_page_elsewhere() {
    let (metrics, _) = scraped(
        |_, request| match request.target.as_str() {
            "/metrics" => text("[]"),
            _ => text("# TYPE trtllm_request_success_total counter\ntrtllm_request_success_total 3\n"),
        },
        3,
    );
    assert!(metrics.endpoints[0].url.ends_with("/prometheus/metrics"));
    assert_eq!(metrics.metrics[0].name, "trtllm_request_success");
}

#[test]
fn nim_has_its_page_elsewhere() {
    let (metrics, _) = scraped(
        |_, request| match request.target.as_str() {
            "/v1/metrics" => text("# TYPE num_requests_running gauge\nnum_requests_running 3\n"),
            _ => TestReply::new("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
        },
        5,
    );
    assert!(metrics.endpoints[0].url.ends_with("/v1/metrics"));
    assert_eq!(metrics.engines[0].engine.name(), "NIM");
    assert!(!problems(&metrics).contains("404"), "{}", problems(&metrics));
}

#[test]
fn a_server_without_a_page_is_left_alone() {
    let (metrics, _) = scraped(|_, _| TestReply::new("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), 1);
    assert!(!metrics.has_pages() && !metrics.endpoints[0].url.ends_with("/v1/metrics"));
    let said = problems(&metrics);
    assert!(said.contains("404 Not Found (also tried: /prometheus/metrics, /v1/metrics)"), "{said}");
    let (metrics, _) = scraped(|_, _| text("{\"iterations\": 1}"), 2);
    assert!(!metrics.has_pages() && problems(&metrics).contains("not Prometheus text"), "{}", problems(&metrics));
}

#[test]
fn a_huge_page_is_not_read_to_its_end() {
    let (metrics, _) = scraped(
        |index, _| {
            if index == 0 {
                return text("a 1\n");
            }
            let head = b"HTTP/1.1 200 OK\r\nContent-Length: 500000000\r\n\r\n".to_vec();
            let line = "a_metric_with_a_name 1\n".repeat(LIMIT / 20);
            TestReply::paced(vec![head, line.into_bytes()], Duration::ZERO)
        },
        2,
    );
    assert!(metrics.has_pages() && problems(&metrics).contains("larger than"), "{}", problems(&metrics));
}

#[test]
fn a_page_that_unpacks_to_very_much_is_given_up() {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..64 {
        packed.write_all(&vec![b'#'; 1 << 16]).unwrap();
    }
    let packed = packed.finish().unwrap();
    assert!(packed.len() < LIMIT);
    let (metrics, _) = scraped(
        move |index, _| {
            if index == 0 {
                return text("a 1\n");
            }
            let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", packed.len());
            TestReply::new([head.into_bytes(), packed.clone()].concat())
        },
        2,
    );
    assert!(metrics.has_pages() && problems(&metrics).contains("larger than"), "{}", problems(&metrics));
}

#[test]
fn a_page_that_never_ends_is_given_up() {
    let (metrics, _) = scraped(
        |index, _| {
            if index == 0 {
                return text("a 1\n");
            }
            let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
            TestReply::paced([vec![head], vec![b"4\r\nb 1\n\r\n".to_vec(); 1_000]].concat(), Duration::from_millis(20))
        },
        2,
    );
    assert!(metrics.has_pages() && problems(&metrics).contains("no complete page within"), "{}", problems(&metrics));
}

#[test]
fn a_server_that_does_not_answer_does_not_hold_the_run_up() {
    let server = TestServer::start(|_, _| TestReply::silence());
    let (mut thread, _) = start(&server, Duration::from_millis(20));
    thread.wait_for_first_pages(Duration::from_millis(50), |_| true);
    assert_eq!(thread.first_pages(), [FirstPage::Awaited]);
    thread.abandon();
    assert!(!thread.finish()[0].has_pages());
}

#[test]
fn a_type_that_changes_and_counters_that_start_again_are_reported() {
    let (metrics, _) = scraped(
        |index, _| {
            let kind = if index < 2 { "gauge" } else { "counter" };
            let value = if index < 3 { 50 + index } else { index };
            text(&format!("# TYPE a {kind}\na {index}\n# TYPE b_total counter\nb_total {value}\n"))
        },
        6,
    );
    let said = problems(&metrics);
    assert!(said.contains("a changed its type from gauge to counter"), "{said}");
    assert!(said.contains("b was reset 1 times"), "{said}");
}
