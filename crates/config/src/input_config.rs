//! The configuration as result files show it: the reference's section and field names, only what was set or derived, and
//! no secrets.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::dataset::DEFAULT_ENTRIES;
use crate::endpoint::{BUILTIN_TOKENIZER, DEFAULT_REQUEST_TIMEOUT};
use crate::redact::{self, REDACTED};
use crate::{
    Arrival, Config, DatasetSource, EndpointConfig, ExportLevel, GracePeriod, Length, LogLevel, ModelSelection, Pace,
    PhaseConfig, PhaseKind, Sampling, SyntheticSource, SystemPrompt, Target, UiKind,
};

impl Config {
    /// The `input_config` of the summary file.
    pub fn to_input_config(&self) -> Value {
        let mut root = Map::new();
        root.insert("models".to_owned(), self.models_section());
        root.insert("endpoint".to_owned(), endpoint_section(&self.endpoint));
        root.insert("datasets".to_owned(), json!([self.dataset_section()]));
        let phases: Vec<Value> = self.warmup.iter().chain([&self.profiling]).map(phase_section).collect();
        root.insert("phases".to_owned(), Value::Array(phases));
        root.insert("artifacts".to_owned(), self.artifacts_section());
        if !self.output.goodput.is_empty() {
            let slos: Map<String, Value> = self.output.goodput.iter().map(|(tag, x)| (tag.clone(), json!(x))).collect();
            root.insert("slos".to_owned(), Value::Object(slos));
        }
        root.insert("tokenizer".to_owned(), self.tokenizer_section());
        // Nothing of these is collected or sent.
        for name in ["gpu_telemetry", "server_metrics", "network_latency"] {
            root.insert(name.to_owned(), json!({"enabled": false}));
        }
        for name in ["otel", "mlflow", "wandb"] {
            root.insert(name.to_owned(), json!({}));
        }
        root.insert("runtime".to_owned(), self.runtime_section());
        if self.output.log_level != LogLevel::Info {
            root.insert("logging".to_owned(), json!({"level": self.output.log_level.name()}));
        }
        Value::Object(root)
    }

    fn models_section(&self) -> Value {
        let mut section = Map::new();
        if self.dataset.model_selection == ModelSelection::Random {
            section.insert("strategy".to_owned(), json!("random"));
        }
        let items: Vec<Value> = self.dataset.models.iter().map(|name| json!({"name": &**name})).collect();
        section.insert("items".to_owned(), Value::Array(items));
        Value::Object(section)
    }

    fn dataset_section(&self) -> Value {
        let mut section = Section::named("main");
        match &self.dataset.source {
            DatasetSource::Synthetic(synthetic) => {
                section.put("type", "synthetic");
                section.put_some("entries", self.stated_entries(synthetic.entries));
            }
            DatasetSource::File(file) => {
                section.put("type", "file");
                section.put("path", file.path.to_string_lossy());
                section.put_some("format", file.format.map(|_| "single_turn"));
            }
        }
        section.put_some("random_seed", self.random_seed);
        section.put_some(
            "sampling",
            match self.dataset.sampling {
                Sampling::Sequential => None,
                Sampling::Random => Some("random"),
                Sampling::Shuffle => Some("shuffle"),
            },
        );
        let osl = self.dataset.output_tokens.map(length);
        match &self.dataset.source {
            DatasetSource::Synthetic(synthetic) => {
                section.put("prompts", prompts(synthetic, osl));
                section.put_some("prefix_prompts", self.prefix_prompts(synthetic));
            }
            DatasetSource::File(_) => section.put_some("osl", osl),
        }
        if let SystemPrompt::Verbatim(text) = &self.dataset.system_prompt {
            section.put("system_prompt", &**text);
        }
        section.finish()
    }

    /// The default number goes unsaid, unless it is the number of requests or sessions.
    fn stated_entries(&self, entries: usize) -> Option<usize> {
        let stop = &self.profiling.stop;
        let counted = [stop.requests, stop.sessions].contains(&Some(entries as u64));
        (entries != DEFAULT_ENTRIES || counted).then_some(entries)
    }

    fn prefix_prompts(&self, synthetic: &SyntheticSource) -> Option<Value> {
        if let Some(prefix) = synthetic.prefix {
            return Some(json!({"pool_size": prefix.pool_size, "length": prefix.tokens}));
        }
        let mut section = Section::default();
        if let SystemPrompt::Synthetic(tokens) = self.dataset.system_prompt {
            section.put("shared_system_length", tokens);
        }
        section.put_some("user_context_length", synthetic.user_context_tokens);
        section.finish_unless_empty()
    }

    fn artifacts_section(&self) -> Value {
        let output = &self.output;
        let mut section = Section::default();
        section.put("dir", output.dir.to_string_lossy());
        section.put_some("prefix", output.prefix.as_deref());
        match output.level {
            ExportLevel::Summary => {
                section.put("records", false);
                section.put("raw", false);
            }
            ExportLevel::Records => {}
            ExportLevel::Raw => {
                section.put("records", json!(["jsonl"]));
                section.put("raw", true);
            }
        }
        section.put_if("trace", output.export_http_trace);
        section.put_if("show_trace_timing", output.show_trace_timing);
        section.put("auto_plot", false);
        section.put("plot_required", false);
        section.finish()
    }

    fn tokenizer_section(&self) -> Value {
        let model = self.dataset.models.first().map_or(BUILTIN_TOKENIZER, |model: &Arc<str>| &**model);
        let mut section = Section::default();
        section.put("name", self.endpoint.tokenizer_name(model));
        if self.endpoint.tokenizer_revision != "main" {
            section.put("revision", self.endpoint.tokenizer_revision.as_str());
        }
        section.finish()
    }

    fn runtime_section(&self) -> Value {
        let mut section = Section::default();
        section.put(
            "ui",
            match self.output.ui {
                UiKind::Simple => "simple",
                UiKind::None => "none",
            },
        );
        section.put_some("workers", self.workers_max);
        section.put_some("record_processors", self.record_processors);
        section.finish()
    }
}

fn endpoint_section(endpoint: &EndpointConfig) -> Value {
    let urls: Vec<String> = endpoint.targets.iter().map(Target::display).collect();
    let mut section = Section::default();
    section.put("urls", urls);
    section.put("type", endpoint.kind.facts().name);
    section.put_some("path", endpoint.custom_path.as_deref());
    section.put_some("api_key", endpoint.api_key.as_ref().map(|_| REDACTED));
    match endpoint.request_timeout {
        None => section.put("timeout", "inf"),
        Some(DEFAULT_REQUEST_TIMEOUT) => {}
        Some(timeout) => section.put("timeout", timeout.as_secs_f64()),
    }
    section.put_if("streaming", endpoint.streaming);
    section.put_if("use_legacy_max_tokens", endpoint.legacy_max_tokens);
    section.put_if("use_server_token_count", endpoint.server_token_count);
    section.put_if("per_chunk_usage", endpoint.per_chunk_usage);
    if !endpoint.headers.is_empty() {
        let shown = |(name, value): &(String, String)| {
            let value = if redact::is_secret_header(name) { REDACTED } else { value };
            (name.clone(), json!(value))
        };
        section.put("headers", Value::Object(endpoint.headers.iter().map(shown).collect()));
    }
    if !endpoint.extra_inputs.is_empty() {
        section.put("extra", Value::Object(endpoint.extra_inputs.clone()));
    }
    section.put_some("session_header", endpoint.session_header.as_deref());
    section.finish()
}

fn phase_section(phase: &PhaseConfig) -> Value {
    let mut section = Section::named(phase.kind.name());
    section.put("kind", phase.kind.name());
    let (kind, concurrency, rate) = match &phase.pace {
        Pace::Concurrency(n) => ("concurrency", Some(*n), None),
        Pace::Rate { rate, arrival, ceiling } => {
            let kind = match arrival {
                Arrival::Constant => "constant",
                Arrival::Poisson => "poisson",
                Arrival::Gamma { .. } => "gamma",
            };
            (kind, *ceiling, rate.points.first().map(|point| point.per_second))
        }
        Pace::FixedSchedule { ceiling, .. } => ("fixed_schedule", *ceiling, None),
        Pace::UserCentric { per_second, ceiling, .. } => ("user_centric", *ceiling, Some(*per_second)),
    };
    section.put("type", kind);
    section.put_if("exclude_from_results", phase.kind == PhaseKind::Warmup);
    section.put_some("requests", phase.stop.requests);
    section.put_some("sessions", phase.stop.sessions);
    section.put_some("duration", phase.stop.duration.as_ref().map(Duration::as_secs_f64));
    section.put_some("concurrency", concurrency);
    // JSON has no infinity.
    section.put_some("rate", rate.map(|rate| if rate.is_finite() { json!(rate) } else { json!("inf") }));
    if let Pace::Rate { arrival: Arrival::Gamma { smoothness }, .. } = phase.pace {
        section.put("smoothness", smoothness);
    }
    match phase.grace {
        GracePeriod::Limited(limit) => section.put("grace_period", limit.as_secs_f64()),
        GracePeriod::Unlimited => {
            section.put_some(
                "grace_period",
                phase.stop.duration.filter(|_| phase.kind == PhaseKind::Profiling).map(|_| "inf"),
            );
        }
    }
    section.finish()
}

fn prompts(synthetic: &SyntheticSource, osl: Option<Value>) -> Value {
    let mut section = Section::default();
    section.put("isl", length(synthetic.input_tokens));
    section.put_some("osl", osl);
    section.put_some("batch_size", Some(synthetic.batch_size).filter(|size| *size != 1));
    section.finish()
}

fn length(length: Length) -> Value {
    let mut section = Section::default();
    section.put("mean", length.mean);
    section.put_some("stddev", Some(length.stddev).filter(|spread| *spread != 0.0));
    section.finish()
}

/// A JSON object that leaves out what is not set.
#[derive(Default)]
struct Section(Map<String, Value>);

impl Section {
    fn named(name: &str) -> Self {
        let mut section = Section::default();
        section.put("name", name);
        section
    }

    fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    fn put_some(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    fn put_if(&mut self, key: &str, value: bool) {
        if value {
            self.put(key, true);
        }
    }

    fn finish(self) -> Value {
        Value::Object(self.0)
    }

    fn finish_unless_empty(self) -> Option<Value> {
        (!self.0.is_empty()).then(|| self.finish())
    }
}
