//! OpenTelemetry: metrics, timing and traces.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use aiperf_otel::message::{MetricData, NumberValue, OtlpMetric};
use rustix::process::Signal;

use super::collector::{TestCollector, histogram, text};
use super::{LOAD, WORDS, short_run};
use crate::support::{AfterReply, Program, TestReply, TestServer, chat_events, in_chunks, in_one, sim, wait_for};

#[test]
fn the_last_post_has_the_whole_run_in_the_words_of_the_genai_conventions() {
    let (sim, collector) = (sim("ttft=5&itl=1&osl=4"), TestCollector::start());
    let options = format!(
        "--warmup-request-count 2 --otel-url {} --otel-resource-attributes team=a --gen-ai-provider vllm",
        collector.server.url()
    );
    let artifacts = short_run(&sim, &options).succeed();
    let resource = collector.resource();
    let summary = artifacts.summary();
    assert_eq!(text(&resource, "service.name"), Some("aiperf"));
    assert_eq!(text(&resource, "aiperf.benchmark.id"), summary["benchmark_id"].as_str());
    assert_eq!((text(&resource, "aiperf.endpoint.type"), text(&resource, "team")), (Some("chat"), Some("a")));
    let metrics = collector.last_metrics();
    let profiled = |name: &str| {
        let mut points = histogram(&metrics, name);
        points.retain(|point| text(&point.attributes, "aiperf.benchmark_phase") == Some("profiling"));
        points
    };
    let durations = profiled("gen_ai.client.operation.duration");
    assert_eq!((durations.len(), durations[0].count), (1, 6));
    let attributes = &durations[0].attributes;
    assert_eq!(text(attributes, "gen_ai.operation.name"), Some("chat"));
    assert_eq!(text(attributes, "gen_ai.provider.name"), Some("vllm"));
    assert_eq!(text(attributes, "gen_ai.request.model"), Some("m"));
    // Sums are those of the summary, in seconds.
    let expected = artifacts.stat("request_latency", "sum") / 1e3;
    assert!((durations[0].sum.unwrap() - expected).abs() < 1e-6, "{durations:?} {expected}");
    let first = &profiled("gen_ai.client.operation.time_to_first_chunk")[0];
    assert!((first.sum.unwrap() - artifacts.stat("time_to_first_token", "sum") / 1e3).abs() < 1e-6);
    assert_eq!(first.bucket_counts.iter().sum::<u64>(), 6);
    let tokens = profiled("gen_ai.client.token.usage");
    let kinds: Vec<_> = tokens.iter().map(|point| text(&point.attributes, "gen_ai.token.type").unwrap()).collect();
    assert!(kinds.contains(&"input") && kinds.contains(&"output"), "{kinds:?}");
    assert_eq!(profiled("aiperf.output_sequence_length")[0].sum, Some(24.0));
    assert_eq!(counter(&metrics, "aiperf.timing.requests.sent", "profiling"), 6);
    assert_eq!(counter(&metrics, "aiperf.timing.requests.completed", "profiling"), 6);
    assert_eq!(counter(&metrics, "aiperf.timing.requests.sent", "warmup"), 2);
    assert!(metrics.iter().any(|metric| metric.name.starts_with("aiperf.server.")), "the simulator has a metrics page");
    assert_eq!((&summary["otel"]["complete"], &summary["otel"]["dropped_requests"]), (&true.into(), &0.into()));
}

fn counter(metrics: &[OtlpMetric], name: &str, phase: &str) -> i64 {
    let metric = metrics.iter().find(|metric| metric.name == name).unwrap_or_else(|| panic!("there is no {name}"));
    let Some(MetricData::Sum(sum)) = &metric.data else { panic!("{metric:?}") };
    let point = sum.points.iter().find(|point| text(&point.attributes, "aiperf.benchmark_phase") == Some(phase));
    match point.unwrap().value {
        Some(NumberValue::Int(value)) => value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_span_has_the_ids_that_its_request_told_the_server() {
    let (sim, collector) = (sim("ttft=5&itl=1&osl=4"), TestCollector::start());
    let options = format!("--otel-url {} --stream traces", collector.server.url());
    let artifacts = short_run(&sim, &options).succeed();
    assert!(collector.posts().is_empty(), "only traces were asked for");
    let spans = collector.spans();
    assert_eq!(spans.len(), 6);
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    let mut reported: Vec<String> =
        spans.iter().map(|span| format!("00-{}-{}-01", hex(&span.trace_id), hex(&span.span_id))).collect();
    let mut told: Vec<String> = sim
        .truth()
        .iter()
        .filter_map(|request| request.headers.iter().find(|header| header.0 == "traceparent").map(|h| h.1.clone()))
        .collect();
    reported.sort();
    told.sort();
    assert_eq!(reported, told);
    let records = artifacts.records();
    for span in &spans {
        let id = text(&span.attributes, "aiperf.request.id").unwrap();
        let record = records.iter().find(|record| record.word("x_request_id") == id).unwrap();
        assert_eq!((span.start_ns, span.end_ns), (record.number("request_start_ns"), record.number("request_end_ns")));
        assert!(span.events.iter().any(|event| event.name == "gen_ai.first_token"));
        assert_eq!((span.name.as_str(), span.kind), ("chat m", 3));
    }
    assert_eq!(artifacts.summary()["otel"]["sent_spans"], 6);
}

#[test]
fn failures_have_a_type_and_no_traceparent_is_sent_without_traces() {
    let collector = TestCollector::start();
    let server = TestServer::start(|number, _| {
        if number % 2 == 0 {
            in_one("503 Service Unavailable", "", b"busy")
        } else {
            let events: Vec<Vec<u8>> = chat_events(&["a"]).into_iter().map(String::into_bytes).collect();
            in_chunks("", &events)
        }
    });
    let options = format!("--url {} {WORDS} --otel-url {}", server.url(), collector.server.url());
    Program::profile(&options).succeed();
    assert!(server.received().iter().all(|request| request.header("traceparent").is_none()));
    let points = histogram(&collector.last_metrics(), "gen_ai.client.operation.duration");
    let of = |kind: Option<&str>| {
        points
            .iter()
            .filter(|point| text(&point.attributes, "error.type") == kind)
            .map(|point| point.count)
            .sum::<u64>()
    };
    assert_eq!((of(None), of(Some("http_5xx"))), (3, 3));
}

#[test]
fn a_dead_or_refusing_collector_costs_nothing_but_a_note() {
    let sim = sim("ttft=5&itl=1&osl=4");
    // Nobody listens on a port that was just given back.
    let dead = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let options = format!("--otel-url {dead} --stream default,traces");
    let artifacts = short_run(&sim, &options).succeed();
    let summary = artifacts.summary();
    let otel = &summary["otel"];
    assert_eq!((&otel["complete"], &otel["end_is_missing"]), (&false.into(), &true.into()), "{otel}");
    assert_eq!(otel["dropped_spans"], 6);
    assert!(otel["failed_posts"].as_u64() > Some(0) && otel["last_failure"].is_string(), "{otel}");
    assert!(artifacts.text("profile_export_console.txt").contains("does not have everything"));
    let refusing = TestServer::start(|_, _| in_one("401 Unauthorized", "", b"no"));
    let options = format!("--otel-url {}", refusing.url());
    let otel = short_run(&sim, &options).succeed().summary()["otel"].clone();
    assert!(otel["last_failure"].as_str().unwrap().contains("HTTP 401 (no)"), "{otel}");
}

#[test]
fn a_collector_that_dies_during_the_run_is_reported_with_what_it_lacks() {
    let sim = sim("ttft=5&itl=1&osl=4");
    let has_spans = AtomicBool::new(false);
    let dying = TestServer::start(move |_, post| {
        let is_dead = if post.target == "/v1/traces" { has_spans.swap(true, Relaxed) } else { has_spans.load(Relaxed) };
        if is_dead { TestReply::new(b"").then(AfterReply::Close) } else { in_one("200 OK", "", b"") }
    });
    let options = format!("--url {} {LOAD} --otel-url {}", sim.url(), dying.url());
    let program = Program::profile(&options).with("--benchmark-duration 600 --stream default,traces");
    let run = program.env("AIPERF_OTEL_FLUSH_INTERVAL_SECONDS", "0.1").start();
    // The first spans arrive. The run goes on and tries again.
    let tries = || dying.received().iter().skip_while(|post| post.target != "/v1/traces").skip(1).count();
    wait_for("posts that fail", || (tries() >= 3).then_some(()));
    run.signal(Signal::INT);
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    let artifacts = &ended.artifacts;
    let otel = artifacts.summary()["otel"].clone();
    let count = |name: &str| otel[name].as_u64().unwrap();
    assert_eq!((&otel["complete"], &otel["end_is_missing"]), (&false.into(), &true.into()), "{otel}");
    assert!(count("sent_spans") > 0 && count("dropped_spans") > 0 && count("failed_posts") > 0, "{otel}");
    assert_eq!(count("sent_spans") + count("dropped_spans"), artifacts.records().len() as u64, "{otel}");
    assert!(artifacts.text("profile_export_console.txt").contains("does not have everything"));
}

#[test]
fn a_collector_that_never_answers_delays_the_end_by_its_time_limit_at_most() {
    let silent = TestServer::start(|_, _| TestReply::silence());
    let sim = sim("ttft=5&itl=1&osl=4");
    let options = format!("--otel-url {}", silent.url());
    let program = short_run(&sim, &options)
        .env("AIPERF_OTEL_REQUEST_TIMEOUT_SECONDS", "1")
        .env("AIPERF_OTEL_FLUSH_INTERVAL_SECONDS", "0.1");
    let otel = program.succeed().summary()["otel"].clone();
    assert_eq!((&otel["complete"], &otel["end_is_missing"]), (&false.into(), &true.into()), "{otel}");
}

#[test]
fn headers_of_the_environment_and_a_login_reach_the_collector_and_no_file() {
    let (sim, collector) = (sim("ttft=1&itl=1&osl=2"), TestCollector::start());
    let url = collector.server.url().replace("http://", "http://me:geheim@");
    let options = format!("--otel-url {url}");
    let artifacts = short_run(&sim, &options).env("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=lab").succeed();
    let posts = collector.server.received();
    assert_eq!(posts[0].header("x-tenant").as_deref(), Some("lab"));
    assert_eq!(posts[0].header("authorization").as_deref(), Some("Basic bWU6Z2VoZWlt"));
    for name in artifacts.names() {
        if artifacts.path(&name).is_file() {
            assert!(
                !String::from_utf8_lossy(&std::fs::read(artifacts.path(&name)).unwrap()).contains("geheim"),
                "{name}"
            );
        }
    }
}
