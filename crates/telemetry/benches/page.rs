//! CPU time that one page of 2,000 series costs: parsing it, storing its values, and the share of a core that four such pages
//! take every 333 ms. `cargo bench -p aiperf-telemetry --bench page` prints it.
#![allow(clippy::unwrap_used, reason = "a bench ends where something is not as it should be")]

use std::fmt::Write as _;
use std::sync::Arc;

use aiperf_clock::{Mono, Nanos, process_cpu};
use aiperf_telemetry::prometheus::{PageFormat, PageLimits};
use aiperf_telemetry::scrape::{FetchedPage, PageSink};
use aiperf_telemetry::server::{EndpointHistory, EndpointPlan, LiveServerMetrics};

const PAGES: u64 = 2_000;
const PAGES_PER_SECOND: f64 = 4.0 / 0.333;

/// 2,000 series as vLLM writes them: gauges, counters and histograms, of which a tenth changes from page to page.
fn page(number: u64) -> String {
    let mut text = String::new();
    for family in 0..20 {
        writeln!(text, "# HELP vllm:gauge_{family} A gauge.\n# TYPE vllm:gauge_{family} gauge").unwrap();
        for series in 0..10 {
            let value = if series == 0 { number % 97 } else { 7 };
            let labels = format!("engine=\"{series}\",model_name=\"meta-llama/Llama-3.1-8B-Instruct\"");
            writeln!(text, "vllm:gauge_{family}{{{labels}}} {value}.0").unwrap();
        }
    }
    for family in 0..80 {
        writeln!(text, "# HELP vllm:time_{family}_seconds A histogram.\n# TYPE vllm:time_{family}_seconds histogram")
            .unwrap();
        let labels = "engine=\"0\",model_name=\"meta-llama/Llama-3.1-8B-Instruct\"";
        for bucket in 0..21 {
            let count = if bucket > 18 { number } else { 12 };
            writeln!(text, "vllm:time_{family}_seconds_bucket{{le=\"{bucket}.5\",{labels}}} {count}.0").unwrap();
        }
        writeln!(text, "vllm:time_{family}_seconds_count{{{labels}}} {number}.0").unwrap();
        writeln!(text, "vllm:time_{family}_seconds_sum{{{labels}}} {number}.25").unwrap();
    }
    text
}

fn main() {
    let plan = EndpointPlan { url: String::new(), is_named: false, fallbacks: Vec::new() };
    let mut history = EndpointHistory::new(plan, PageLimits::default(), None, Arc::new(LiveServerMetrics::default()));
    let pages: Vec<String> = (0..10).map(page).collect();
    let size = pages[0].len();
    let mut at = Mono::now();
    let mut take = |number: u64| {
        at = at + Nanos(1_000_000);
        let body = pages[(number % 10) as usize].clone().into_bytes();
        history.page(&FetchedPage { body, format: PageFormat::Prometheus, sent: at, first_byte: at, done: at });
    };
    take(0);
    let before = process_cpu();
    (1..=PAGES).for_each(&mut take);
    let cpu = (process_cpu().0 - before.0) as f64 / 1e3 / PAGES as f64;
    let series = history.series().len();
    let share = cpu * PAGES_PER_SECOND / 1e4;
    println!(
        "{series} series, {size} bytes: {cpu:.0} us of CPU per page; four pages every 333 ms: {share:.2} % of one core"
    );
}
