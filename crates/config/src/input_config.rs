//! The configuration as result files show it: the reference's section and field names, only what was set or derived, and
//! no secrets.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::defaults;
use crate::section::Section;
use crate::{
    AutoPlots, Config, DatasetSource, ExportLevel, GpuTelemetry, LogLevel, ModelSelection, NetworkLatency, PhaseConfig,
    PhaseKind, RttProbing, UiKind,
};

impl Config {
    /// The `input_config` of the summary file.
    pub fn to_input_config(&self) -> Value {
        let mut root = Map::new();
        root.insert("models".to_owned(), self.models_section());
        root.insert("endpoint".to_owned(), crate::endpoint::export::section(&self.endpoint));
        root.insert("datasets".to_owned(), json!([self.dataset_section()]));
        // The warmup of an agentic replay belongs to it and is nobody's setting.
        let is_set = |phase: &&PhaseConfig| phase.kind == PhaseKind::Profiling || !phase.pace.is_agentic();
        let phases: Vec<Value> =
            self.phases.iter().filter(is_set).map(|phase| crate::phase::export::section(self, phase)).collect();
        root.insert("phases".to_owned(), Value::Array(phases));
        root.insert("artifacts".to_owned(), self.artifacts_section());
        if !self.output.goodput.is_empty() {
            let slos: Map<String, Value> = self.output.goodput.iter().map(|(tag, x)| (tag.clone(), json!(x))).collect();
            root.insert("slos".to_owned(), Value::Object(slos));
        }
        root.insert("tokenizer".to_owned(), self.tokenizer_section());
        let gpus = self.gpu_telemetry.as_ref().map_or_else(|| json!({"enabled": false}), GpuTelemetry::section);
        root.insert("gpu_telemetry".to_owned(), gpus);
        root.insert("server_metrics".to_owned(), crate::server_metrics::section(self.server_metrics.as_ref()));
        root.insert("network_latency".to_owned(), self.network_latency_section());
        root.insert("otel".to_owned(), crate::otel::section(self.otel.as_ref()));
        root.insert("mlflow".to_owned(), crate::mlflow::section(self.mlflow.as_ref()));
        root.insert("wandb".to_owned(), crate::wandb::section(self.wandb.as_ref()));
        if let (Some(accuracy), DatasetSource::Accuracy(source)) = (&self.accuracy, &self.dataset.source) {
            root.insert("accuracy".to_owned(), crate::accuracy::section(accuracy, source));
        }
        root.insert("runtime".to_owned(), self.runtime_section());
        if self.output.log_level != LogLevel::Info {
            root.insert("logging".to_owned(), json!({"level": self.output.log_level.name()}));
        }
        if let Some(capacity) = &self.capacity {
            root.insert("capacity".to_owned(), capacity.section());
        }
        if let Some(scenario) = &self.scenario {
            root.insert("scenario".to_owned(), json!(scenario.name));
            if scenario.overridden {
                root.insert("unsafe_override".to_owned(), json!(true));
            }
        }
        Value::Object(root)
    }

    fn models_section(&self) -> Value {
        let mut section = Map::new();
        let mut items: Vec<Value> = self.dataset.models.iter().map(|name| json!({"name": &**name})).collect();
        match &self.dataset.model_selection {
            ModelSelection::RoundRobin => {}
            ModelSelection::Random => {
                section.insert("strategy".to_owned(), json!("random"));
            }
            ModelSelection::Weighted(weights) => {
                section.insert("strategy".to_owned(), json!("weighted"));
                for (item, weight) in items.iter_mut().zip(weights.iter()) {
                    item["weight"] = json!(weight);
                }
            }
        }
        section.insert("items".to_owned(), Value::Array(items));
        Value::Object(section)
    }

    fn network_latency_section(&self) -> Value {
        match self.network_latency {
            None => json!({"enabled": false}),
            Some(NetworkLatency::Given(rtt)) => json!({"enabled": true, "mean_ms": rtt.as_secs_f64() * 1e3}),
            Some(NetworkLatency::Measured(probing)) => {
                let mut section = Section::default();
                section.put("enabled", true);
                let usual = RttProbing::default().interval;
                let other = (probing.interval != usual).then_some(probing.interval.as_secs_f64());
                section.put_some("ping_interval", other);
                section.finish()
            }
        }
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
        section.put_some("slice_duration", output.slice_duration.map(|length| length.as_secs_f64()));
        section.put_if("export_outputs_json", output.export_outputs);
        section.put_if("export_records_parquet", output.export_parquet);
        section.put_if("export_genai_perf", output.export_genai_perf);
        section.put_if("html", output.html);
        section.put("auto_plot", output.plots != AutoPlots::Off);
        section.put("plot_required", output.plots == AutoPlots::Required);
        section.finish()
    }

    fn tokenizer_section(&self) -> Value {
        let model = self.dataset.models.first().map_or(defaults::TOKENIZER, |model: &Arc<str>| &**model);
        let mut section = Section::default();
        // There is no text to count on some endpoints.
        if self.endpoint.kind.facts().tokenizes_input {
            section.put("name", self.endpoint.tokenizer_name(model));
        }
        if self.endpoint.tokenizer_revision != "main" {
            section.put("revision", self.endpoint.tokenizer_revision.as_str());
        }
        section.put_if("apply_chat_template", self.endpoint.apply_chat_template);
        section.finish()
    }

    fn runtime_section(&self) -> Value {
        let mut section = Section::default();
        section.put(
            "ui",
            match self.output.ui {
                UiKind::Dashboard => "dashboard",
                UiKind::Simple => "simple",
                UiKind::None => "none",
            },
        );
        section.put_some("workers", self.workers_max);
        section.put_some("record_processors", self.record_processors);
        section.put_some("api_port", self.api.as_ref().map(|api| api.port));
        section
            .put_some("api_host", self.api.as_ref().map(|api| api.host.as_str()).filter(|host| *host != "127.0.0.1"));
        section.finish()
    }
}
