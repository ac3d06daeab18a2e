//! Pages of each engine: they are recognised, and their metrics get the names that all engines share.

use std::sync::Arc;

use aiperf_clock::Mono;

use super::{Engine, EngineMetric, EngineReport, HeadlineValue, headlines};
use crate::prometheus::{PageFormat, PageLimits};
use crate::scrape::{FetchedPage, PageSink};
use crate::series::Window;
use crate::server::{EndpointHistory, EndpointPlan, LiveServerMetrics};

/// Two pages, one second apart; `@` stands for 100 times the number of the page.
fn endpoint(url: &str, text: &str) -> EndpointHistory {
    let plan = EndpointPlan { url: url.into(), is_named: true, fallback: None, fallback_url: String::new() };
    let mut history = EndpointHistory::new(plan, PageLimits::default(), None, Arc::new(LiveServerMetrics::default()));
    for number in 1..=2_u64 {
        let at = Mono::from_nanos(number * 1_000_000_000);
        let body = text.replace('@', &(100 * number).to_string()).into_bytes();
        history.page(&FetchedPage { body, format: PageFormat::Prometheus, sent: at, first_byte: at, done: at });
    }
    history
}

fn reports(endpoints: &[EndpointHistory]) -> Vec<EngineReport> {
    headlines(endpoints, Window::new(Mono::from_nanos(1_000_000_000), Mono::from_nanos(2_000_000_000)))
}

fn report(text: &str) -> EngineReport {
    let found = reports(&[endpoint("http://a/metrics", text)]);
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

fn gauge(report: &EngineReport, metric: EngineMetric) -> f64 {
    match report.get(metric) {
        Some(HeadlineValue::Gauge(gauge)) => gauge.avg,
        other => panic!("{metric:?} is {other:?}"),
    }
}

#[test]
fn engines_are_recognised_by_their_names() {
    let pages = [
        (Engine::Vllm, "# TYPE vllm:generation_tokens_total counter\nvllm:generation_tokens_total @\n"),
        (Engine::Sglang, "# TYPE sglang:generation_tokens_total counter\nsglang:generation_tokens_total @\n"),
        (Engine::TrtLlm, "# TYPE trtllm_generation_tokens_total counter\ntrtllm_generation_tokens_total @\n"),
        (
            Engine::Dynamo,
            "# TYPE dynamo_frontend_output_sequence_tokens histogram\n\
             dynamo_frontend_output_sequence_tokens_bucket{le=\"+Inf\"} 1\n\
             dynamo_frontend_output_sequence_tokens_sum @\ndynamo_frontend_output_sequence_tokens_count 1\n",
        ),
        (
            Engine::Tgi,
            "# TYPE tgi_request_generated_tokens histogram\ntgi_request_generated_tokens_bucket{le=\"+Inf\"} 1\n\
             tgi_request_generated_tokens_sum @\ntgi_request_generated_tokens_count 1\n",
        ),
        (Engine::LlamaCpp, "# TYPE llamacpp:tokens_predicted_total counter\nllamacpp:tokens_predicted_total @\n"),
        (Engine::Nim, "# TYPE generation_tokens_total counter\ngeneration_tokens_total @\n"),
    ];
    for (engine, page) in pages {
        let report = report(page);
        assert_eq!((report.engine, report.total(EngineMetric::GenerationTokens)), (engine, Some(100.0)));
    }
    let triton = report("# TYPE nv_inference_request_success counter\nnv_inference_request_success{model=\"m\"} @\n");
    assert_eq!((triton.engine, triton.total(EngineMetric::FinishedRequests)), (Engine::Triton, Some(100.0)));
}

#[test]
fn names_of_several_versions_mean_the_same() {
    for name in ["vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"] {
        let page = format!("# TYPE {name} gauge\n{name}{{engine=\"0\"}} 0.5\n{name}{{engine=\"1\"}} 0.7\n");
        assert!((gauge(&report(&page), EngineMetric::KvCacheUsage) - 0.6).abs() < 1e-12, "{name}: a share is averaged");
    }
}

#[test]
fn shares_follow_from_counters_where_there_are_counters() {
    let vllm = report(
        "# TYPE vllm:prefix_cache_queries_total counter\nvllm:prefix_cache_queries_total @\n\
         # TYPE vllm:prefix_cache_hits_total counter\nvllm:prefix_cache_hits_total 5\n",
    );
    assert_eq!(vllm.get(EngineMetric::PrefixCacheHitRate), Some(&HeadlineValue::Share(0.0)));
    let triton = report(
        "# TYPE nv_trt_llm_request_metrics gauge\nnv_trt_llm_request_metrics{request_type=\"active\"} 3\n\
         nv_trt_llm_request_metrics{request_type=\"waiting\"} 2\nnv_trt_llm_request_metrics{request_type=\"max\"} 64\n",
    );
    assert_eq!(gauge(&triton, EngineMetric::RunningRequests), 3.0);
    assert_eq!(gauge(&triton, EngineMetric::WaitingRequests), 2.0);
}

#[test]
fn several_endpoints_of_an_engine_are_added_up() {
    let page = "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 4\n\
                # TYPE vllm:prompt_tokens_total counter\nvllm:prompt_tokens_total @\n";
    let found = reports(&[endpoint("http://a/metrics", page), endpoint("http://b/metrics", page)]);
    assert_eq!(found.iter().map(|one| one.endpoint.is_some()).collect::<Vec<_>>(), [false, true, true]);
    assert_eq!(gauge(&found[0], EngineMetric::RunningRequests), 8.0);
    assert_eq!(found[0].total(EngineMetric::PromptTokens), Some(200.0));
    assert_eq!(found[1].total(EngineMetric::PromptTokens), Some(100.0));
}

#[test]
fn each_metric_has_its_place_in_the_list_of_all() {
    for (place, metric) in EngineMetric::ALL.into_iter().enumerate() {
        assert_eq!(metric as usize, place, "{}", metric.tag());
    }
}
