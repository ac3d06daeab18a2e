//! Every key of GenAI-Perf's YAML, and the option that it stands for. The reader of such files and the writer of a skeleton both go by
//! it.

/// One key.
#[derive(Debug)]
pub(crate) struct ConfigSetting {
    /// From the top, with dots between.
    pub(crate) path: &'static str,
    pub(crate) option: &'static str,
    pub(crate) takes: SettingForm,
    /// What holds without it; a key with this value says nothing new.
    pub(crate) usual: &'static str,
    pub(crate) about: &'static str,
}

/// How a value becomes one of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingForm {
    Value,
    /// `true` gives the option.
    Switch,
    /// All values after one option.
    List,
    /// `name: value`, one or several.
    Pairs,
    /// Pairs, each with an option of its own.
    Each,
    /// Read together with others.
    Special,
}

use SettingForm::{Each, List, Pairs, Special, Switch, Value};

const fn setting(
    path: &'static str,
    option: &'static str,
    takes: SettingForm,
    usual: &'static str,
    about: &'static str,
) -> ConfigSetting {
    ConfigSetting { path, option, takes, usual, about }
}

/// Sections whose presence says what is run.
pub(crate) const ANALYZE: &str = "analyze";
pub(crate) const PROCESS: &str = "process.input_path";
pub(crate) const STIMULUS: &str = "perf_analyzer.stimulus";
pub(crate) const MODE: &str = "perf_analyzer.measurement.mode";
pub(crate) const NUMBER: &str = "perf_analyzer.measurement.num";
pub(crate) const PROGRAM: &str = "perf_analyzer.path";

/// In the order of a skeleton.
pub(crate) const SETTINGS: &[ConfigSetting] = &[
    setting("model_names", "--model", List, "", "Model or list of models, as the server knows them."),
    setting("model_name", "--model", List, "", "The same."),
    setting(
        ANALYZE,
        "--sweep-type",
        Special,
        "",
        "One setting and its values, as a list or as start, stop and step; one run is made per value.",
    ),
    setting(
        "endpoint.model_selection_strategy",
        "--model-selection-strategy",
        Value,
        "round_robin",
        "How several models share the requests: round_robin or random.",
    ),
    setting("endpoint.backend", "--backend", Value, "tensorrtllm", "Backend of a kserve model: tensorrtllm or vllm."),
    setting("endpoint.custom", "--endpoint", Value, "", "Path on the server; by default that of the endpoint type."),
    setting("endpoint.type", "--endpoint-type", Value, "kserve", "API of the server."),
    setting("endpoint.streaming", "--streaming", Switch, "False", "Ask for streamed responses."),
    setting(
        "endpoint.server_metrics_urls",
        "--server-metrics-url",
        List,
        "http://localhost:9400/metrics",
        "URLs of GPU telemetry.",
    ),
    setting("endpoint.url", "--url", Value, "", "Server, as HOST:PORT or as a URL."),
    setting(
        "endpoint.grpc_method",
        "--grpc-method",
        Value,
        "",
        "Method that dynamic_grpc calls, as package.Service/Method.",
    ),
    setting(PROGRAM, "", Special, "perf_analyzer", "aiperf starts no other program: do not change this."),
    setting("perf_analyzer.verbose", "--verbose", Switch, "False", "Log more."),
    setting(
        STIMULUS,
        "",
        Special,
        "",
        "Load: one of concurrency, request_rate, session_concurrency and fixed_schedule, with its value.",
    ),
    setting(
        "perf_analyzer.stability_percentage",
        "--stability-percentage",
        Value,
        "999",
        "Maximum difference in percent between the last three windows.",
    ),
    setting("perf_analyzer.warmup_request_count", "--warmup-request-count", Value, "0", "Number of warmup requests."),
    setting(MODE, "", Special, "request_count", "What ends the run: request_count or interval."),
    setting(NUMBER, "", Special, "", "Number of requests, or length of a window in milliseconds."),
    setting("input.batch_size", "--batch-size", Value, "1", "Number of texts per request."),
    setting("input.extra", "--extra-inputs", Each, "", "Fields to add to each request body."),
    setting("input.goodput", "--goodput", Pairs, "", "SLO limits that a request must meet to count as good."),
    setting("input.header", "--header", Each, "", "Headers to send with each request."),
    setting("input.file", "--input-file", Value, "", "A file, a folder, synthetic:NAMES or payload:FILE."),
    setting(
        "input.num_dataset_entries",
        "--num-dataset-entries",
        Value,
        "100",
        "Number of different prompts to generate.",
    ),
    setting("input.random_seed", "--random-seed", Value, "0", "Seed of everything random."),
    setting("input.audio.batch_size", "--batch-size-audio", Value, "1", "Number of audio clips per request."),
    setting("input.audio.format", "--audio-format", Value, "wav", "File format of audio clips: wav or mp3."),
    setting("input.audio.depths", "--audio-depths", List, "16", "Bit depths of audio clips."),
    setting("input.audio.sample_rates", "--audio-sample-rates", List, "16", "Sample rates of audio clips in kHz."),
    setting("input.audio.num_channels", "--audio-num-channels", Value, "1", "Channels of an audio clip: 1 or 2."),
    setting(
        "input.audio.length.mean",
        "--audio-length-mean",
        Value,
        "0",
        "Mean length of an audio clip in seconds; 0 sends no audio.",
    ),
    setting(
        "input.audio.length.stddev",
        "--audio-length-stddev",
        Value,
        "0",
        "Standard deviation of the length of an audio clip in seconds.",
    ),
    setting("input.image.batch_size", "--batch-size-image", Value, "1", "Number of images per request."),
    setting("input.image.format", "--image-format", Value, "png", "File format of images: png or jpeg."),
    setting(
        "input.image.width.mean",
        "--image-width-mean",
        Value,
        "0",
        "Mean width of an image in pixels; 0 sends no images.",
    ),
    setting(
        "input.image.width.stddev",
        "--image-width-stddev",
        Value,
        "0",
        "Standard deviation of the width of an image in pixels.",
    ),
    setting(
        "input.image.height.mean",
        "--image-height-mean",
        Value,
        "0",
        "Mean height of an image in pixels; 0 sends no images.",
    ),
    setting(
        "input.image.height.stddev",
        "--image-height-stddev",
        Value,
        "0",
        "Standard deviation of the height of an image in pixels.",
    ),
    setting("input.output_tokens.mean", "--output-tokens-mean", Value, "", "Mean number of output tokens to ask for."),
    setting(
        "input.output_tokens.deterministic",
        "--output-tokens-mean-deterministic",
        Switch,
        "False",
        "Make a kserve model produce at least that many output tokens.",
    ),
    setting(
        "input.output_tokens.stddev",
        "--output-tokens-stddev",
        Value,
        "0",
        "Standard deviation of the number of output tokens.",
    ),
    setting("input.synthetic_tokens.mean", "--isl", Value, "550", "Mean length of a prompt in tokens."),
    setting(
        "input.synthetic_tokens.stddev",
        "--synthetic-input-tokens-stddev",
        Value,
        "0",
        "Standard deviation of the length of a prompt in tokens.",
    ),
    setting("input.prefix_prompt.num", "--num-prefix-prompts", Value, "0", "Number of prefixes that prompts share."),
    setting(
        "input.prefix_prompt.length",
        "--prefix-prompt-length",
        Value,
        "100",
        "Length of a shared prefix in tokens.",
    ),
    setting("input.sessions.num", "--num-sessions", Value, "0", "Number of conversations; 0 sends single prompts."),
    setting("input.sessions.turns.mean", "--session-turns-mean", Value, "1", "Mean number of turns of a conversation."),
    setting(
        "input.sessions.turns.stddev",
        "--session-turns-stddev",
        Value,
        "0",
        "Standard deviation of the number of turns of a conversation.",
    ),
    setting(
        "input.sessions.turn_delay.mean",
        "--session-turn-delay-mean",
        Value,
        "0",
        "Mean pause between two turns in milliseconds.",
    ),
    setting(
        "input.sessions.turn_delay.ratio",
        "--session-delay-ratio",
        Value,
        "1.0",
        "Factor for every pause between turns.",
    ),
    setting(
        "input.sessions.turn_delay.stddev",
        "--session-turn-delay-stddev",
        Value,
        "0",
        "Standard deviation of the pause between two turns in milliseconds.",
    ),
    setting("output.artifact_directory", "--artifact-dir", Value, "artifacts", "Folder for the folders of runs."),
    setting("output.checkpoint_directory", "--checkpoint-dir", Value, "checkpoint", "Folder of checkpoint.json."),
    setting(
        "output.profile_export_file",
        "--profile-export-file",
        Value,
        "profile_export.json",
        "Prefix of the names of all exported files.",
    ),
    setting("output.generate_plots", "--generate-plots", Switch, "False", "Draw plots."),
    setting(
        "output.enable_checkpointing",
        "--enable-checkpointing",
        Switch,
        "False",
        "Skip runs that are in checkpoint.json.",
    ),
    setting("tokenizer.name", "--tokenizer", Value, "", "Tokenizer; by default that of the model."),
    setting("tokenizer.revision", "--tokenizer-revision", Value, "main", "Branch, tag or commit of the tokenizer."),
    setting(
        "tokenizer.trust_remote_code",
        "--tokenizer-trust-remote-code",
        Switch,
        "False",
        "Allow the tokenizer to run its own code.",
    ),
    setting(PROCESS, "--input-directory", Value, "", "Folder that contains the artifact folders of the runs to merge."),
];
