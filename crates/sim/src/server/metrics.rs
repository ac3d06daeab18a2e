//! The counters behind `/metrics`, under vLLM's names, so that a scraper made for it finds what it looks for.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use aiperf_clock::Nanos;

use crate::generation::reply::Finish;

#[derive(Debug, Default)]
pub(crate) struct ServerMetrics {
    pub(crate) running: AtomicU64,
    pub(crate) prompt_tokens: AtomicU64,
    pub(crate) generation_tokens: AtomicU64,
    pub(crate) cache_queries: AtomicU64,
    pub(crate) cache_hits: AtomicU64,
    finished_stop: AtomicU64,
    finished_length: AtomicU64,
    finished_abort: AtomicU64,
    pub(crate) time_to_first_token: Histogram,
    pub(crate) inter_token_latency: Histogram,
    pub(crate) request_latency: Histogram,
}

/// Upper bounds in seconds.
const BOUNDS: [f64; 20] = [
    0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0,
    80.0,
];

#[derive(Debug, Default)]
pub(crate) struct Histogram {
    counts: [AtomicU64; BOUNDS.len() + 1],
    sum_nanos: AtomicU64,
}

impl Histogram {
    pub(crate) fn observe(&self, span: Nanos) {
        let seconds = span.as_secs_f64();
        let bucket = BOUNDS.iter().position(|bound| seconds <= *bound).unwrap_or(BOUNDS.len());
        self.counts[bucket].fetch_add(1, Ordering::Relaxed);
        self.sum_nanos.fetch_add(span.0, Ordering::Relaxed);
    }

    fn render(&self, name: &str, help: &str, model: &str, out: &mut String) {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} histogram");
        let mut total = 0;
        let ends = BOUNDS.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
        for (count, end) in self.counts.iter().zip(ends) {
            total += count.load(Ordering::Relaxed);
            let _ = writeln!(out, "{name}_bucket{{le=\"{end}\",{model}}} {total}");
        }
        let sum = Nanos(self.sum_nanos.load(Ordering::Relaxed)).as_secs_f64();
        let _ = writeln!(out, "{name}_sum{{{model}}} {sum}\n{name}_count{{{model}}} {total}");
    }
}

impl ServerMetrics {
    pub(crate) fn finished(&self, finish: Finish) {
        match finish {
            Finish::Length => &self.finished_length,
            Finish::Stop | Finish::ToolCalls => &self.finished_stop,
        }
        .fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn aborted(&self) {
        self.finished_abort.fetch_add(1, Ordering::Relaxed);
    }

    /// Prometheus text. Writes to a string cannot fail.
    pub(crate) fn render(&self, model: &str, in_flight: u32) -> String {
        let model = format!("model_name=\"{}\"", model.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"));
        let running = self.running.load(Ordering::Relaxed);
        let waiting = u64::from(in_flight).saturating_sub(running);
        let mut out = String::with_capacity(8 * 1024);
        let mut one = |name: &str, kind: &str, help: &str, labels: &str, value: u64| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name}{{{labels}}} {value}");
        };
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        one("vllm:num_requests_running", "gauge", "Requests in the batch.", &model, running);
        one("vllm:num_requests_waiting", "gauge", "Requests that wait for a place in the batch.", &model, waiting);
        one("vllm:prompt_tokens_total", "counter", "RequestPrompt tokens.", &model, get(&self.prompt_tokens));
        one("vllm:generation_tokens_total", "counter", "Output tokens.", &model, get(&self.generation_tokens));
        one("vllm:prefix_cache_queries_total", "counter", "Tokens looked up.", &model, get(&self.cache_queries));
        one("vllm:prefix_cache_hits_total", "counter", "Tokens found in the cache.", &model, get(&self.cache_hits));
        let name = "vllm:request_success_total";
        let _ = writeln!(out, "# HELP {name} Finished requests.\n# TYPE {name} counter");
        for (reason, counter) in
            [("stop", &self.finished_stop), ("length", &self.finished_length), ("abort", &self.finished_abort)]
        {
            let _ = writeln!(out, "{name}{{finished_reason=\"{reason}\",{model}}} {}", get(counter));
        }
        for (name, help, histogram) in [
            ("vllm:time_to_first_token_seconds", "Time to first token.", &self.time_to_first_token),
            ("vllm:inter_token_latency_seconds", "Time between chunks.", &self.inter_token_latency),
            ("vllm:e2e_request_latency_seconds", "Request latency.", &self.request_latency),
        ] {
            histogram.render(name, help, &model, &mut out);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_is_cumulative_and_ends_in_everything() {
        let metrics = ServerMetrics::default();
        for millis in [1, 30, 500_000] {
            metrics.time_to_first_token.observe(Nanos(millis * 1_000_000));
        }
        let text = metrics.render("a\"b", 5);
        let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
        assert!(line("vllm:time_to_first_token_seconds_bucket{le=\"0.04\"").ends_with(" 2"));
        assert!(line("vllm:time_to_first_token_seconds_bucket{le=\"+Inf\"").ends_with(" 3"));
        assert_eq!(line("vllm:num_requests_waiting{"), "vllm:num_requests_waiting{model_name=\"a\\\"b\"} 5");
    }
}
