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
        "One option and its values, a list or start, stop and step; a run is made for each.",
    ),
    setting(
        "endpoint.model_selection_strategy",
        "--model-selection-strategy",
        Value,
        "round_robin",
        "How several models share the requests: round_robin or random.",
    ),
    setting("endpoint.backend", "--backend", Value, "tensorrtllm", "Of kserve: tensorrtllm or vllm."),
    setting("endpoint.custom", "--endpoint", Value, "", "Path at the server; that of the type when it is empty."),
    setting("endpoint.type", "--endpoint-type", Value, "kserve", "The API that is spoken."),
    setting("endpoint.streaming", "--streaming", Switch, "False", "Ask for answers piece by piece."),
    setting(
        "endpoint.server_metrics_urls",
        "--server-metrics-url",
        List,
        "http://localhost:9400/metrics",
        "Where readings of GPUs come from.",
    ),
    setting("endpoint.url", "--url", Value, "", "The server, as HOST:PORT or with a scheme."),
    setting("endpoint.grpc_method", "--grpc-method", Value, "", "Of dynamic_grpc: package.Service/Method."),
    setting(PROGRAM, "", Special, "perf_analyzer", "No other program is started: leave it as it is."),
    setting("perf_analyzer.verbose", "--verbose", Switch, "False", "Say more."),
    setting(
        STIMULUS,
        "",
        Special,
        "",
        "The load, one of: concurrency, request_rate, session_concurrency, fixed_schedule.",
    ),
    setting(
        "perf_analyzer.stability_percentage",
        "--stability-percentage",
        Value,
        "999",
        "How far the last three windows may be apart.",
    ),
    setting(
        "perf_analyzer.warmup_request_count",
        "--warmup-request-count",
        Value,
        "0",
        "Requests before the measured ones.",
    ),
    setting(MODE, "", Special, "request_count", "What ends the run: request_count or interval."),
    setting(NUMBER, "", Special, "", "So many requests, or windows of so many milliseconds."),
    setting("input.batch_size", "--batch-size", Value, "1", "Texts in a request."),
    setting("input.extra", "--extra-inputs", Each, "", "More fields of the body."),
    setting("input.goodput", "--goodput", Pairs, "", "What a request must reach to count as good."),
    setting("input.header", "--header", Each, "", "Headers."),
    setting("input.file", "--input-file", Value, "", "A file, a folder, synthetic:NAMES or payload:FILE."),
    setting("input.num_dataset_entries", "--num-dataset-entries", Value, "100", "How many different prompts are made."),
    setting("input.random_seed", "--random-seed", Value, "0", "What is drawn depends on it alone."),
    setting("input.audio.batch_size", "--batch-size-audio", Value, "1", "Clips in a request."),
    setting("input.audio.format", "--audio-format", Value, "wav", "wav or mp3."),
    setting("input.audio.depths", "--audio-depths", List, "16", "Bits of a sample."),
    setting("input.audio.sample_rates", "--audio-sample-rates", List, "16", "Thousands of samples in a second."),
    setting("input.audio.num_channels", "--audio-num-channels", Value, "1", "1 or 2."),
    setting("input.audio.length.mean", "--audio-length-mean", Value, "0", "Seconds; 0 makes none."),
    setting("input.audio.length.stddev", "--audio-length-stddev", Value, "0", "How much that varies."),
    setting("input.image.batch_size", "--batch-size-image", Value, "1", "Pictures in a request."),
    setting("input.image.format", "--image-format", Value, "png", "png or jpeg."),
    setting("input.image.width.mean", "--image-width-mean", Value, "0", "Pixels; 0 makes none."),
    setting("input.image.width.stddev", "--image-width-stddev", Value, "0", "How much that varies."),
    setting("input.image.height.mean", "--image-height-mean", Value, "0", "Pixels; 0 makes none."),
    setting("input.image.height.stddev", "--image-height-stddev", Value, "0", "How much that varies."),
    setting("input.output_tokens.mean", "--output-tokens-mean", Value, "", "Tokens that are asked for."),
    setting(
        "input.output_tokens.deterministic",
        "--output-tokens-mean-deterministic",
        Switch,
        "False",
        "Of kserve: no fewer than that.",
    ),
    setting("input.output_tokens.stddev", "--output-tokens-stddev", Value, "0", "How much that varies."),
    setting("input.synthetic_tokens.mean", "--isl", Value, "550", "Tokens of a prompt."),
    setting("input.synthetic_tokens.stddev", "--synthetic-input-tokens-stddev", Value, "0", "How much that varies."),
    setting("input.prefix_prompt.num", "--num-prefix-prompts", Value, "0", "Beginnings that prompts share."),
    setting("input.prefix_prompt.length", "--prefix-prompt-length", Value, "100", "Tokens of such a beginning."),
    setting("input.sessions.num", "--num-sessions", Value, "0", "Conversations; 0 sends single prompts."),
    setting("input.sessions.turns.mean", "--session-turns-mean", Value, "1", "Turns of a conversation."),
    setting("input.sessions.turns.stddev", "--session-turns-stddev", Value, "0", "How much that varies."),
    setting("input.sessions.turn_delay.mean", "--session-turn-delay-mean", Value, "0", "Milliseconds between turns."),
    setting("input.sessions.turn_delay.ratio", "--session-delay-ratio", Value, "1.0", "All pauses times this."),
    setting("input.sessions.turn_delay.stddev", "--session-turn-delay-stddev", Value, "0", "How much they vary."),
    setting("output.artifact_directory", "--artifact-dir", Value, "artifacts", "Folders of runs go into it."),
    setting("output.checkpoint_directory", "--checkpoint-dir", Value, "checkpoint", "Where checkpoint.json is."),
    setting(
        "output.profile_export_file",
        "--profile-export-file",
        Value,
        "profile_export.json",
        "The start of the names of files.",
    ),
    setting("output.generate_plots", "--generate-plots", Switch, "False", "Draw plots."),
    setting(
        "output.enable_checkpointing",
        "--enable-checkpointing",
        Switch,
        "False",
        "Do not make again what checkpoint.json has.",
    ),
    setting("tokenizer.name", "--tokenizer", Value, "", "That of the model when it is empty."),
    setting("tokenizer.revision", "--tokenizer-revision", Value, "main", "Which state of it."),
    setting(
        "tokenizer.trust_remote_code",
        "--tokenizer-trust-remote-code",
        Switch,
        "False",
        "Let the tokenizer run code of its own.",
    ),
    setting(PROCESS, "--input-directory", Value, "", "Folder with a folder for each run: they are merged."),
];
