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
    endpoint_for(url, text, &Arc::new(LiveServerMetrics::default()))
}

fn endpoint_for(url: &str, text: &str, live: &Arc<LiveServerMetrics>) -> EndpointHistory {
    let plan = EndpointPlan { url: url.into(), is_named: true, fallbacks: Vec::new() };
    let mut history = EndpointHistory::new(plan, PageLimits::default(), None, Arc::clone(live));
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
        "# TYPE nv_trt_llm_request_metrics gauge\nnv_trt_llm_request_metrics{request_type=\"active\"} 5\n\
         nv_trt_llm_request_metrics{request_type=\"scheduled\"} 3\n\
         nv_trt_llm_request_metrics{request_type=\"waiting\"} 2\nnv_trt_llm_request_metrics{request_type=\"max\"} 64\n",
    );
    assert_eq!(gauge(&triton, EngineMetric::RunningRequests), 3.0);
    assert_eq!(gauge(&triton, EngineMetric::WaitingRequests), 2.0);
}

/// Names and types of TensorRT-LLM's `MetricsCollector` and of its backend for Triton.
#[test]
fn metrics_of_tensorrt_llm_mean_what_its_source_says() {
    let trtllm = report(
        "# TYPE trtllm_prompt_tokens_total counter\ntrtllm_prompt_tokens_total @\n\
         # TYPE trtllm_prompt_cached_tokens_total counter\ntrtllm_prompt_cached_tokens_total 4@\n\
         # TYPE trtllm_kv_cache_hit_rate gauge\ntrtllm_kv_cache_hit_rate 0.9\n\
         # TYPE trtllm_num_paused_requests gauge\ntrtllm_num_paused_requests 7\n\
         # TYPE trtllm_spec_decode_acceptance_length gauge\ntrtllm_spec_decode_acceptance_length 2.5\n",
    );
    assert_eq!(trtllm.get(EngineMetric::PrefixCacheHitRate), Some(&HeadlineValue::Share(1.0)));
    assert_eq!(trtllm.get(EngineMetric::Preemptions), None, "requests that are paused now are no count of preemptions");
    assert_eq!(gauge(&trtllm, EngineMetric::AcceptanceLength), 2.5);
    let triton = report(
        "# TYPE nv_llm_output_token_len histogram\nnv_llm_output_token_len_bucket{le=\"+Inf\"} 1\n\
         nv_llm_output_token_len_sum @\nnv_llm_output_token_len_count 1\n",
    );
    assert_eq!((triton.engine, triton.total(EngineMetric::GenerationTokens)), (Engine::Triton, Some(100.0)));
}

#[test]
fn a_page_with_two_names_for_one_metric_counts_it_once() {
    let page = "# TYPE vllm:gpu_cache_usage_perc gauge\nvllm:gpu_cache_usage_perc 0.5\n\
                # TYPE vllm:kv_cache_usage_perc gauge\nvllm:kv_cache_usage_perc{engine=\"0\"} 0.5\n\
                vllm:kv_cache_usage_perc{engine=\"1\"} 0.7\n";
    let live = Arc::new(LiveServerMetrics::default());
    endpoint_for("http://a/metrics", page, &live);
    assert!((live.get(EngineMetric::KvCacheUsage).unwrap() - 0.6).abs() < 1e-12);
}

#[test]
fn cached_prompt_tokens_that_are_counted_apart_are_prompt_tokens() {
    let page = "# TYPE llamacpp:prompt_tokens_total counter\nllamacpp:prompt_tokens_total 1@\n\
                # TYPE llamacpp:prompt_tokens_cached_total counter\nllamacpp:prompt_tokens_cached_total 3@\n";
    let live = Arc::new(LiveServerMetrics::default());
    let found = reports(&[endpoint_for("http://a/metrics", page, &live)]);
    assert_eq!(found[0].total(EngineMetric::PromptTokens), Some(200.0));
    assert_eq!(found[0].get(EngineMetric::PrefixCacheHitRate), Some(&HeadlineValue::Share(0.5)));
    assert_eq!(live.get(EngineMetric::PromptTokens), Some(1_200.0 + 3_200.0));
    assert_eq!(live.get(EngineMetric::PrefixCacheHits), Some(3_200.0));
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
