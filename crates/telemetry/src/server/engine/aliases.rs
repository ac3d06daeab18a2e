//! The names that each engine gives to its metrics. They differ from version to version; if a page has several names for one metric,
//! the one that comes first here is taken.

use super::{Engine, EngineMetric};
use crate::prometheus::Labels;

/// Which part of the named metric has the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The value of a gauge or a counter.
    Value,
    /// The histogram itself.
    Histogram,
    /// The sum of a histogram, as a counter: a histogram of tokens per request counts tokens.
    Sum,
}

/// One name of one metric.
#[derive(Debug)]
pub(super) struct Alias {
    pub(super) engine: Engine,
    pub(super) metric: EngineMetric,
    /// Without the `_total` of counters.
    name: &'static str,
    /// A metric that is added: what the first one leaves out.
    and: Option<&'static str>,
    pub(super) part: Part,
    /// A label that the series must have.
    label: Option<(&'static str, &'static str)>,
    /// What the value is multiplied with: to a share of one, or to seconds.
    pub(super) scale: f64,
}

impl Alias {
    /// Whether a family of this name and a series with these labels are meant. The `_total` of a counter may be part of the name.
    pub(super) fn covers(&self, family: &str, labels: &Labels) -> bool {
        self.is_name(family) && self.label.is_none_or(|(name, value)| labels.get(name) == Some(value))
    }

    /// Whether a family of this name is meant, with any labels.
    pub(super) fn is_name(&self, family: &str) -> bool {
        let is = |name| family.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest == "_total");
        is(self.name) || self.and.is_some_and(is)
    }

    pub(super) const fn name(&self) -> &'static str {
        self.name
    }

    const fn scaled(self, scale: f64) -> Self {
        Self { scale, ..self }
    }

    const fn and(self, name: &'static str) -> Self {
        Self { and: Some(name), ..self }
    }

    const fn labelled(self, name: &'static str, value: &'static str) -> Self {
        Self { label: Some((name, value)), ..self }
    }
}

const fn value(engine: Engine, metric: EngineMetric, name: &'static str) -> Alias {
    Alias { engine, metric, name, and: None, part: Part::Value, label: None, scale: 1.0 }
}

const fn histogram(engine: Engine, metric: EngineMetric, name: &'static str) -> Alias {
    Alias { engine, metric, name, and: None, part: Part::Histogram, label: None, scale: 1.0 }
}

const fn sum(engine: Engine, metric: EngineMetric, name: &'static str) -> Alias {
    Alias { engine, metric, name, and: None, part: Part::Sum, label: None, scale: 1.0 }
}

use Engine::{Dynamo, LiteLlm, LlamaCpp, Nim, Sglang, Tgi, Triton, TrtLlm, Vllm};
use EngineMetric as M;

const MS: f64 = 1e-3;

pub(super) const ALIASES: &[Alias] = &[
    value(Vllm, M::RunningRequests, "vllm:num_requests_running"),
    value(Vllm, M::WaitingRequests, "vllm:num_requests_waiting"),
    value(Vllm, M::KvCacheUsage, "vllm:kv_cache_usage_perc"),
    value(Vllm, M::KvCacheUsage, "vllm:gpu_cache_usage_perc"),
    value(Vllm, M::PrefixCacheQueries, "vllm:prefix_cache_queries"),
    value(Vllm, M::PrefixCacheQueries, "vllm:gpu_prefix_cache_queries"),
    value(Vllm, M::PrefixCacheHits, "vllm:prefix_cache_hits"),
    value(Vllm, M::PrefixCacheHits, "vllm:gpu_prefix_cache_hits"),
    value(Vllm, M::PrefixCacheHitRate, "vllm:gpu_prefix_cache_hit_rate"),
    value(Vllm, M::Preemptions, "vllm:num_preemptions"),
    value(Vllm, M::DraftTokens, "vllm:spec_decode_num_draft_tokens"),
    value(Vllm, M::AcceptedTokens, "vllm:spec_decode_num_accepted_tokens"),
    value(Vllm, M::AcceptanceRate, "vllm:spec_decode_draft_acceptance_rate"),
    value(Vllm, M::PromptTokens, "vllm:prompt_tokens"),
    value(Vllm, M::GenerationTokens, "vllm:generation_tokens"),
    value(Vllm, M::FinishedRequests, "vllm:request_success"),
    histogram(Vllm, M::TimeToFirstToken, "vllm:time_to_first_token_seconds"),
    histogram(Vllm, M::QueueTime, "vllm:request_queue_time_seconds"),
    histogram(Vllm, M::QueueTime, "vllm:time_in_queue_requests"),
    histogram(Vllm, M::PrefillTime, "vllm:request_prefill_time_seconds"),
    histogram(Vllm, M::DecodeTime, "vllm:request_decode_time_seconds"),
    histogram(Vllm, M::RequestLatency, "vllm:e2e_request_latency_seconds"),
    value(Sglang, M::RunningRequests, "sglang:num_running_reqs"),
    value(Sglang, M::WaitingRequests, "sglang:num_queue_reqs"),
    value(Sglang, M::KvCacheUsage, "sglang:token_usage"),
    value(Sglang, M::PrefixCacheHits, "sglang:cached_tokens"),
    value(Sglang, M::PrefixCacheHitRate, "sglang:cache_hit_rate"),
    // `sglang:num_retracted_reqs` is a gauge: those of the last batch.
    value(Sglang, M::Preemptions, "sglang:num_retracted_requests"),
    sum(Sglang, M::Preemptions, "sglang:num_retractions"),
    value(Sglang, M::AcceptanceRate, "sglang:spec_accept_rate"),
    value(Sglang, M::AcceptanceLength, "sglang:spec_accept_length"),
    value(Sglang, M::PromptTokens, "sglang:prompt_tokens"),
    value(Sglang, M::GenerationTokens, "sglang:generation_tokens"),
    value(Sglang, M::FinishedRequests, "sglang:num_requests"),
    histogram(Sglang, M::TimeToFirstToken, "sglang:time_to_first_token_seconds"),
    histogram(Sglang, M::QueueTime, "sglang:queue_time_seconds"),
    histogram(Sglang, M::RequestLatency, "sglang:e2e_request_latency_seconds"),
    value(TrtLlm, M::RunningRequests, "trtllm_num_requests_running"),
    value(TrtLlm, M::WaitingRequests, "trtllm_num_requests_waiting"),
    value(TrtLlm, M::KvCacheUsage, "trtllm_kv_cache_utilization"),
    value(TrtLlm, M::PrefixCacheHits, "trtllm_prompt_cached_tokens"),
    value(TrtLlm, M::PrefixCacheHitRate, "trtllm_kv_cache_hit_rate"),
    value(TrtLlm, M::DraftTokens, "trtllm_spec_decode_num_draft_tokens"),
    value(TrtLlm, M::AcceptedTokens, "trtllm_spec_decode_num_accepted_tokens"),
    value(TrtLlm, M::AcceptanceLength, "trtllm_spec_decode_acceptance_length"),
    value(TrtLlm, M::PromptTokens, "trtllm_prompt_tokens"),
    value(TrtLlm, M::GenerationTokens, "trtllm_generation_tokens"),
    value(TrtLlm, M::FinishedRequests, "trtllm_request_success"),
    histogram(TrtLlm, M::TimeToFirstToken, "trtllm_time_to_first_token_seconds"),
    histogram(TrtLlm, M::QueueTime, "trtllm_request_queue_time_seconds"),
    histogram(TrtLlm, M::PrefillTime, "trtllm_request_prefill_time_seconds"),
    histogram(TrtLlm, M::DecodeTime, "trtllm_request_decode_time_seconds"),
    histogram(TrtLlm, M::RequestLatency, "trtllm_e2e_request_latency_seconds"),
    value(Dynamo, M::RunningRequests, "dynamo_frontend_inflight_requests"),
    value(Dynamo, M::WaitingRequests, "dynamo_frontend_queued_requests"),
    value(Dynamo, M::KvCacheUsage, "dynamo_component_gpu_cache_usage_percent"),
    value(Dynamo, M::KvCacheUsage, "dynamo_component_kvstats_gpu_cache_usage_percent"),
    sum(Dynamo, M::PrefixCacheHits, "dynamo_frontend_cached_tokens"),
    value(Dynamo, M::PrefixCacheHitRate, "dynamo_component_kvstats_gpu_prefix_cache_hit_rate"),
    sum(Dynamo, M::PromptTokens, "dynamo_frontend_input_sequence_tokens"),
    value(Dynamo, M::GenerationTokens, "dynamo_frontend_output_tokens"),
    sum(Dynamo, M::GenerationTokens, "dynamo_frontend_output_sequence_tokens"),
    value(Dynamo, M::FinishedRequests, "dynamo_frontend_requests").labelled("status", "success"),
    histogram(Dynamo, M::TimeToFirstToken, "dynamo_frontend_time_to_first_token_seconds"),
    histogram(Dynamo, M::RequestLatency, "dynamo_frontend_request_duration_seconds"),
    value(Tgi, M::RunningRequests, "tgi_batch_current_size"),
    value(Tgi, M::WaitingRequests, "tgi_queue_size"),
    sum(Tgi, M::PromptTokens, "tgi_request_input_length"),
    sum(Tgi, M::GenerationTokens, "tgi_request_generated_tokens"),
    value(Tgi, M::FinishedRequests, "tgi_request_success"),
    histogram(Tgi, M::QueueTime, "tgi_request_queue_duration"),
    histogram(Tgi, M::RequestLatency, "tgi_request_duration"),
    value(LlamaCpp, M::RunningRequests, "llamacpp:requests_processing"),
    value(LlamaCpp, M::WaitingRequests, "llamacpp:requests_deferred"),
    value(LlamaCpp, M::KvCacheUsage, "llamacpp:kv_cache_usage_ratio"),
    value(LlamaCpp, M::PrefixCacheHits, "llamacpp:prompt_tokens_cached"),
    value(LlamaCpp, M::DraftTokens, "llamacpp:spec_decode_num_draft_tokens"),
    value(LlamaCpp, M::AcceptedTokens, "llamacpp:spec_decode_num_accepted_tokens"),
    // Tokens that were in the cache are counted apart.
    value(LlamaCpp, M::PromptTokens, "llamacpp:prompt_tokens").and("llamacpp:prompt_tokens_cached"),
    value(LlamaCpp, M::GenerationTokens, "llamacpp:tokens_predicted"),
    // `active` are those that are scheduled and those that wait.
    value(Triton, M::RunningRequests, "nv_trt_llm_request_metrics").labelled("request_type", "scheduled"),
    value(Triton, M::WaitingRequests, "nv_trt_llm_request_metrics").labelled("request_type", "waiting"),
    value(Triton, M::WaitingRequests, "nv_inference_pending_request_count"),
    value(Triton, M::KvCacheUsage, "nv_trt_llm_kv_cache_block_metrics").labelled("kv_cache_block_type", "fraction"),
    sum(Triton, M::PromptTokens, "nv_llm_input_token_len"),
    sum(Triton, M::GenerationTokens, "nv_llm_output_token_len"),
    value(Triton, M::FinishedRequests, "nv_inference_request_success"),
    histogram(Triton, M::TimeToFirstToken, "nv_inference_first_response_histogram_ms").scaled(MS),
    value(Nim, M::RunningRequests, "num_requests_running"),
    value(Nim, M::WaitingRequests, "num_requests_waiting"),
    value(Nim, M::KvCacheUsage, "gpu_cache_usage_perc"),
    value(Nim, M::PromptTokens, "prompt_tokens"),
    value(Nim, M::GenerationTokens, "generation_tokens"),
    value(Nim, M::FinishedRequests, "request_success"),
    value(Nim, M::FinishedRequests, "request_finish"),
    histogram(Nim, M::TimeToFirstToken, "time_to_first_token_seconds"),
    histogram(Nim, M::RequestLatency, "e2e_request_latency_seconds"),
    // `litellm_in_flight_requests` also counts the request for the page itself.
    value(LiteLlm, M::PrefixCacheHits, "litellm_input_cached_tokens_metric"),
    value(LiteLlm, M::PromptTokens, "litellm_input_tokens_metric"),
    value(LiteLlm, M::GenerationTokens, "litellm_output_tokens_metric"),
    value(LiteLlm, M::FinishedRequests, "litellm_proxy_total_requests_metric").labelled("status_code", "200"),
    histogram(LiteLlm, M::TimeToFirstToken, "litellm_llm_api_time_to_first_token_metric"),
    histogram(LiteLlm, M::QueueTime, "litellm_request_queue_time_seconds"),
    histogram(LiteLlm, M::RequestLatency, "litellm_request_total_latency_metric"),
];
