//! All options, by group, in the order in which help and manual show them.

mod accuracy;
mod audio;
mod cache_bust;
mod cancellation;
mod conversation;
mod endpoint;
mod fixed_schedule;
mod goodput;
mod gpu_telemetry;
mod http_trace;
mod image;
mod input;
mod input_length;
mod load_generator;
mod multi_run;
mod network_latency;
mod output;
mod output_length;
mod prefix_prompt;
mod prompt;
mod rankings;
mod scenario;
mod server_metrics;
mod service;
mod synthesis;
mod tokenizer;
mod ui;
mod user_centric;
mod video;
mod warmup;
mod workers;
mod zmq;

use super::{Group, OptionSpec};
pub(crate) use gpu_telemetry::GPU_TELEMETRY_NOT_COLLECTED;
pub(crate) use server_metrics::SERVER_METRICS_NOT_COLLECTED;

const fn group(title: &'static str, options: &'static [OptionSpec]) -> Group {
    Group { title, options }
}

pub(super) const GROUPS: &[Group] = &[
    group("Endpoint", endpoint::OPTIONS),
    group("Input", input::OPTIONS),
    group("Fixed Schedule", fixed_schedule::OPTIONS),
    group("Goodput", goodput::OPTIONS),
    group("Output", output::OPTIONS),
    group("HTTP Trace", http_trace::OPTIONS),
    group("Tokenizer", tokenizer::OPTIONS),
    group("Load Generator", load_generator::OPTIONS),
    group("Scenario", scenario::OPTIONS),
    group("Warmup", warmup::OPTIONS),
    group("User-Centric Rate", user_centric::OPTIONS),
    group("Request Cancellation", cancellation::OPTIONS),
    group("Conversation Input", conversation::OPTIONS),
    group("Input Sequence Length (ISL)", input_length::OPTIONS),
    group("Output Sequence Length (OSL)", output_length::OPTIONS),
    group("Prompt", prompt::OPTIONS),
    group("Prefix Prompt", prefix_prompt::OPTIONS),
    group("Cache Bust", cache_bust::OPTIONS),
    group("Rankings", rankings::OPTIONS),
    group("Synthesis", synthesis::OPTIONS),
    group("Audio Input", audio::OPTIONS),
    group("Image Input", image::OPTIONS),
    group("Video Input", video::OPTIONS),
    group("Service", service::OPTIONS),
    group("Server Metrics", server_metrics::OPTIONS),
    group("Network Latency", network_latency::OPTIONS),
    group("GPU Telemetry", gpu_telemetry::OPTIONS),
    group("UI", ui::OPTIONS),
    group("Workers", workers::OPTIONS),
    group("ZMQ Communication", zmq::OPTIONS),
    group("Accuracy", accuracy::OPTIONS),
    group("Multi-Run", multi_run::OPTIONS),
];
