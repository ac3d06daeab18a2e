//! `/metrics` under vLLM's names, so that a scraper made for it finds what it looks for.

use crate::monitoring::counters::{FinishReason, total};
use crate::monitoring::exposition::{Decimal, ExpositionPage, LabelPairs, MetricKind};
use crate::server::state::SimState;

/// The page of this instant.
pub(crate) fn vllm_page(state: &SimState) -> String {
    let options = &state.options;
    let (counted, load) = total(&state.counters, || state.load.now());
    let labels = [("engine", "0"), ("model_name", options.model.as_str())];
    let created = state.anchor.epoch(state.started).0 as f64 / 1e9;
    let mut page = VllmPage { page: ExpositionPage::default(), labels, created };

    page.gauge("num_requests_running", "Requests in the batch.", f64::from(load.running));
    page.gauge("num_requests_waiting", "Requests that wait for a place in the batch.", f64::from(load.waiting));
    let usage = load.kv_blocks as f64 / f64::from(options.kv_blocks);
    page.gauge("kv_cache_usage_perc", "Share of the KV-cache blocks in use. 1 means all of them.", usage);

    page.counter("prefix_cache_queries", "Prompt tokens looked up in the prefix cache.", counted.cache_queries);
    page.counter("prefix_cache_hits", "Prompt tokens found in the prefix cache.", counted.cache_hits);
    // A place in the batch is never taken away.
    page.counter("num_preemptions", "Requests that lost their place in the batch.", 0);
    page.counter("prompt_tokens", "Prompt tokens read.", counted.prompt_tokens);
    page.counter("generation_tokens", "Output tokens written.", counted.generation_tokens);
    if options.spec_drafts > 0 {
        page.counter("spec_decode_num_drafts", "Steps of speculative decoding.", counted.draft_steps);
        page.counter("spec_decode_num_draft_tokens", "Draft tokens proposed.", counted.drafted_tokens);
        page.counter("spec_decode_num_accepted_tokens", "Draft tokens accepted.", counted.accepted_tokens);
    }
    page.success(&counted.finished);

    for (name, help, counts) in [
        ("request_prompt_tokens", "Prompt tokens of a request.", &counted.prompt_lengths),
        ("request_generation_tokens", "Output tokens of a request.", &counted.reply_lengths),
        ("time_to_first_token_seconds", "Seconds from arrival to the first token.", &counted.time_to_first_token),
        ("inter_token_latency_seconds", "Seconds between two chunks of tokens.", &counted.inter_token_latency),
        (
            "request_time_per_output_token_seconds",
            "Seconds for each output token after the first, as a mean of the request.",
            &counted.time_per_output_token,
        ),
        ("e2e_request_latency_seconds", "Seconds from arrival to the end of the reply.", &counted.request_latency),
        ("request_queue_time_seconds", "Seconds from arrival to a place in the batch.", &counted.queue_time),
        ("request_inference_time_seconds", "Seconds from a place to the last token.", &counted.inference_time),
        ("request_prefill_time_seconds", "Seconds from a place to the first token.", &counted.prefill_time),
        ("request_decode_time_seconds", "Seconds from the first to the last token.", &counted.decode_time),
    ] {
        page.page.histogram(&format!("vllm:{name}"), help, &page.labels, counts);
        page.created_at(name, help);
    }
    page.cache_config(options.cache_block, options.kv_blocks, options.cache_blocks > 0);
    page.page.into_text()
}

struct VllmPage<'a> {
    page: ExpositionPage,
    labels: [(&'a str, &'a str); 2],
    /// Seconds since the epoch.
    created: f64,
}

impl VllmPage<'_> {
    fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.page.single(&format!("vllm:{name}"), MetricKind::Gauge, help, &self.labels, value);
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        let full = format!("vllm:{name}_total");
        self.page.single(&full, MetricKind::Counter, help, &self.labels, value as f64);
        self.created_at(name, help);
    }

    /// When a counter or a histogram began, which the Python client states in a gauge of its own.
    fn created_at(&mut self, name: &str, help: &str) {
        self.page.single(&format!("vllm:{name}_created"), MetricKind::Gauge, help, &self.labels, self.created);
    }

    fn success(&mut self, finished: &[u64]) {
        let (name, help) = ("vllm:request_success", "Requests that the engine is done with.");
        for (suffix, kind) in [("total", MetricKind::Counter), ("created", MetricKind::Gauge)] {
            let full = format!("{name}_{suffix}");
            self.page.family(&full, kind, help);
            for (reason, count) in FinishReason::ALL.into_iter().zip(finished) {
                let [engine, model] = self.labels;
                let labels: &LabelPairs<'_> = &[engine, ("finished_reason", reason.name()), model];
                let value = if kind == MetricKind::Counter { *count as f64 } else { self.created };
                self.page.sample(&full, labels, Decimal(value));
            }
        }
    }

    fn cache_config(&mut self, block_size: u32, blocks: u32, has_prefix_cache: bool) {
        let (block_size, blocks) = (block_size.to_string(), blocks.to_string());
        let prefix_cache = if has_prefix_cache { "True" } else { "False" };
        let labels = [
            ("block_size", block_size.as_str()),
            ("cache_dtype", "auto"),
            ("enable_prefix_caching", prefix_cache),
            ("engine", "0"),
            ("gpu_memory_utilization", "0.9"),
            ("num_gpu_blocks", &blocks),
        ];
        self.page.single("vllm:cache_config_info", MetricKind::Gauge, "Settings of the KV cache.", &labels, 1.0);
    }
}
