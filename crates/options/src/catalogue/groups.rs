//! All option groups, in the order in which help and manual show them. The rows of a group stand next to the rules about them.

use super::{Group, OptionSpec};
use crate::groups::{
    accuracy, cluster, dataset, endpoint, experiment, extension, gpu_telemetry, load, network_latency, nodes, output,
    scenario, server_metrics, service,
};

const fn group(title: &'static str, options: &'static [OptionSpec]) -> Group {
    Group { title, options }
}

pub(super) const GROUPS: &[Group] = &[
    group("Endpoint", endpoint::rows::ENDPOINT),
    group("Input", dataset::rows::INPUT),
    group("Fixed Schedule", load::schedule::FIXED_SCHEDULE),
    group("Goodput", output::rows::GOODPUT),
    group("Output", output::rows::OUTPUT),
    group("HTTP Trace", output::rows::HTTP_TRACE),
    group("Tokenizer", endpoint::tokenizer::TOKENIZER),
    group("Load Generator", load::rows::LOAD_GENERATOR),
    group("Scenario", scenario::SCENARIO_ROWS),
    group("Warmup", load::warmup::WARMUP),
    group("User-Centric Rate", load::users::USER_CENTRIC),
    group("Adaptive Scale", load::adaptive_scale::ADAPTIVE_SCALE),
    group("Request Cancellation", load::rows::CANCELLATION),
    group("Conversation Input", dataset::conversation::CONVERSATION),
    group("Input Sequence Length (ISL)", dataset::prompt_length::INPUT_LENGTH),
    group("Output Sequence Length (OSL)", dataset::prompt_length::OUTPUT_LENGTH),
    group("Prompt", dataset::synthetic::PROMPT),
    group("Prefix Prompt", dataset::system_prompt::PREFIX_PROMPT),
    group("Cache Bust", dataset::cache_bust::CACHE_BUST),
    group("Rankings", dataset::rankings::RANKINGS),
    group("Synthesis", dataset::trace::SYNTHESIS),
    group("Audio Input", dataset::media::audio::AUDIO),
    group("Image Input", dataset::media::image::IMAGE),
    group("Video Input", dataset::media::video::VIDEO),
    group("Service", service::SERVICE),
    group("Plugins", extension::PLUGINS),
    group("Server Metrics", server_metrics::SERVER_METRICS),
    group("Network Latency", network_latency::NETWORK_LATENCY),
    group("GPU Telemetry", gpu_telemetry::GPU_TELEMETRY),
    group("UI", service::UI),
    group("Workers", service::WORKERS),
    group("Nodes", nodes::NODES),
    group("Cluster", cluster::CLUSTER),
    group("ZMQ Communication", service::ZMQ),
    group("Accuracy", accuracy::ACCURACY),
    group("Multi-Run", experiment::rows::MULTI_RUN),
    group("Capacity", experiment::capacity::CAPACITY),
];
