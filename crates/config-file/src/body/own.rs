//! Fields whose value has a form of its own.

use aiperf_options::catalogue::OptionId;
use serde_json::{Value, json};

use super::reader::{Reader, list, must_be_map, scalar, truth};
use super::{duration, models, sla, user_files};
use crate::FileError;
use crate::field::{ADAPTIVE_SCALE, Field, GPU_TELEMETRY, NETWORK_LATENCY, OwnForm, SERVER_METRICS, ServerCall};
use crate::names::snake;
use crate::yaml::{Node, NodeValue};

impl Reader<'_> {
    pub(super) fn own(&mut self, form: OwnForm, node: &Node, path: &str) -> Result<(), FileError> {
        let wrong = |problem: String| FileError::at(node.position, path, problem);
        match form {
            OwnForm::Models => models::read(self, node, path)?,
            OwnForm::Timeout => {
                let seconds = duration::seconds(node).map_err(wrong)?;
                let is_zero = seconds.parse() == Ok(0.0);
                self.put(
                    OptionId::RequestTimeoutSeconds,
                    node,
                    path,
                    vec![if is_zero { "inf".to_owned() } else { seconds }],
                );
            }
            OwnForm::Template => self.template(node, path)?,
            OwnForm::ServerCall(call) => self.server_call(call, node, path)?,
            OwnForm::Summary => {
                if truth(node) == Ok(false) {
                    return Err(wrong("the summary is always written; leave out the key".to_owned()));
                }
            }
            OwnForm::Records => {
                self.combined_at = Some(self.spelling(node, path));
                self.records = Some(match node.value {
                    NodeValue::List(ref formats) => !formats.is_empty(),
                    _ => truth(node).map_err(|_| wrong("must be [jsonl] or false".to_owned()))?,
                });
            }
            OwnForm::Raw => {
                self.combined_at = Some(self.spelling(node, path));
                self.raw = Some(truth(node).map_err(wrong)?);
            }
            OwnForm::GpuTelemetry => {
                self.switchable(node, path, GPU_TELEMETRY, OptionId::GpuTelemetry, OptionId::NoGpuTelemetry)?;
            }
            OwnForm::GpuCollector => match scalar(node).map_err(wrong)?.as_str() {
                "dcgm" => {}
                library @ ("pynvml" | "nvml" | "amdsmi") => {
                    self.add(OptionId::GpuTelemetry, node, path, library.to_owned());
                }
                other => return Err(wrong(format!("{other:?} is not a collector; choose dcgm, pynvml or amdsmi"))),
            },
            OwnForm::GpuView => match scalar(node).map_err(wrong)?.as_str() {
                "summary" => {}
                "realtime_dashboard" => self.add(OptionId::GpuTelemetry, node, path, "dashboard".to_owned()),
                other => return Err(wrong(format!("{other:?} is not a mode; choose summary or realtime_dashboard"))),
            },
            OwnForm::ServerMetrics => {
                self.switchable(node, path, SERVER_METRICS, OptionId::ServerMetrics, OptionId::NoServerMetrics)?;
            }
            OwnForm::Discovery => {
                let mode = node.get("mode").and_then(Node::word);
                if mode.as_deref() == Some("kubernetes") {
                    return Err(wrong(
                        "pages are looked for in a cluster by `aiperf kube profile`; for a run on this machine list them under `urls`"
                            .to_owned(),
                    ));
                }
                let spelling = self.spelling(node, path);
                self.warn(format!("{spelling} has no effect: pages are found at the servers' own addresses"));
            }
            OwnForm::NetworkLatency => match node.value {
                NodeValue::Bool(on) => self.put(OptionId::NetworkLatencyAutomatic, node, path, vec![on.to_string()]),
                _ => self.network_latency(node, path)?,
            },
            OwnForm::Stream(word) => {
                self.combined_at = Some(self.spelling(node, path));
                let on = truth(node).map_err(wrong)?;
                self.streams.push((word, on));
            }
            OwnForm::UserFiles => self.user_files = user_files::read(node, path)?,
            OwnForm::FileFormat => {
                let format = scalar(node).map_err(wrong)?;
                if format != "auto" {
                    self.put(OptionId::CustomDatasetType, node, path, vec![format]);
                }
            }
            OwnForm::Strict => match (&node.value, truth(node)) {
                (NodeValue::List(_), _) => self.put(OptionId::Strict, node, path, list(node).map_err(wrong)?),
                (_, Ok(true)) => self.put(OptionId::Strict, node, path, Vec::new()),
                (_, Ok(false)) => {}
                (_, Err(_)) => self.put(OptionId::Strict, node, path, vec![scalar(node).map_err(wrong)?]),
            },
            OwnForm::InlineRecords => {
                self.put(OptionId::InputFile, node, path, vec![format!("inline:{}", node.to_json())]);
            }
            OwnForm::SequenceDistribution => {
                self.put(OptionId::SeqDist, node, path, vec![sequence_distribution(node, path)?]);
            }
            // The phase reader knows the other fields of the phase, which these depend on.
            OwnForm::PhaseType | OwnForm::Rate => {}
            OwnForm::RateSeries => {
                let value = match node.get("path").and_then(Node::word) {
                    Some(file) => file,
                    None => rate_points(node).to_string(),
                };
                self.put(OptionId::RequestRateSeries, node, path, vec![value]);
            }
            OwnForm::Ramp(id) => self.ramp(id, node, path)?,
            OwnForm::AdaptiveScale => match node.value {
                NodeValue::Map(_) => {
                    // The settings alone switch it on; `enabled` may say otherwise.
                    self.put(OptionId::AdaptiveScale, node, path, vec!["true".to_owned()]);
                    self.section(node, path, ADAPTIVE_SCALE)?;
                }
                _ => self.put(OptionId::AdaptiveScale, node, path, vec![truth(node).map_err(wrong)?.to_string()]),
            },
            OwnForm::Sla => {
                for limit in sla::read(node, path)? {
                    self.add(OptionId::AdaptiveScaleSla, node, path, limit.to_string());
                }
            }
        }
        Ok(())
    }

    fn template(&mut self, node: &Node, path: &str) -> Result<(), FileError> {
        must_be_map(node, path)?;
        let mut inputs = serde_json::Map::new();
        for entry in node.entries() {
            let path = format!("{path}.{}", entry.key);
            let text = scalar(&entry.value).map_err(|problem| FileError::at(entry.value.position, &path, problem))?;
            match snake(&entry.key).as_str() {
                "body" => inputs.insert("payload_template".to_owned(), Value::from(text)),
                "response_field" => inputs.insert("response_field".to_owned(), Value::from(text)),
                _ => return Err(super::reader::unknown(entry, &path, ["body", "response_field"].into_iter())),
            };
        }
        self.add(OptionId::ExtraInputs, node, path, Value::Object(inputs).to_string());
        Ok(())
    }

    fn server_call(&mut self, call: ServerCall, node: &Node, path: &str) -> Result<(), FileError> {
        let (flag, fields) = call.fields();
        if matches!(node.value, NodeValue::Map(_)) {
            self.put(flag, node, path, vec!["true".to_owned()]);
            return self.section(node, path, fields);
        }
        let on = truth(node).map_err(|problem| FileError::at(node.position, path, problem))?;
        self.put(flag, node, path, vec![on.to_string()]);
        Ok(())
    }

    /// A section that may also be a URL, or true or false.
    fn switchable(
        &mut self,
        node: &Node,
        path: &str,
        fields: &'static [Field],
        on: OptionId,
        off: OptionId,
    ) -> Result<(), FileError> {
        match &node.value {
            NodeValue::Bool(true) => Ok(()),
            NodeValue::Bool(false) => {
                self.put(off, node, path, vec!["true".to_owned()]);
                Ok(())
            }
            NodeValue::Text(url) => {
                self.add(on, node, path, url.clone());
                Ok(())
            }
            _ => self.section(node, path, fields),
        }
    }

    /// An interval or a mean without `enabled` says nothing; `enabled: false` with them says that they wait for another day.
    fn network_latency(&mut self, node: &Node, path: &str) -> Result<(), FileError> {
        must_be_map(node, path)?;
        let enabled = node.get("enabled").map(truth).transpose();
        let enabled = enabled.map_err(|problem| FileError::at(node.position, format!("{path}.enabled"), problem))?;
        if enabled == Some(true) {
            // A mean that is given is used instead of measurements.
            let has_mean = node.entries().iter().any(|entry| snake(&entry.key) == "mean_ms");
            for entry in node.entries() {
                let name = snake(&entry.key);
                if !(has_mean && name == "enabled") {
                    self.entry(entry, &format!("{path}.{}", entry.key), NETWORK_LATENCY, &[])?;
                }
            }
            return Ok(());
        }
        for entry in node.entries() {
            let name = snake(&entry.key);
            if !NETWORK_LATENCY.iter().any(|field| field.is_called(&name)) {
                return self.entry(entry, &format!("{path}.{}", entry.key), NETWORK_LATENCY, &[]);
            }
        }
        Ok(())
    }

    fn ramp(&mut self, id: OptionId, node: &Node, path: &str) -> Result<(), FileError> {
        let wrong = |problem: String| FileError::at(node.position, path, problem);
        if !matches!(node.value, NodeValue::Map(_)) {
            self.put(id, node, path, vec![duration::seconds(node).map_err(wrong)?]);
            return Ok(());
        }
        let mut seconds = None;
        let mut strategy = None;
        for entry in node.entries() {
            let path = format!("{path}.{}", entry.key);
            let wrong = |problem: String| FileError::at(entry.value.position, path.as_str(), problem);
            match entry.key.as_str() {
                "duration" => seconds = Some(duration::seconds(&entry.value).map_err(wrong)?),
                "strategy" | "type" => strategy = Some(scalar(&entry.value).map_err(wrong)?),
                _ => return Err(super::reader::unknown(entry, &path, ["duration", "strategy"].into_iter())),
            }
        }
        let seconds = seconds.ok_or_else(|| wrong("a ramp needs a duration".to_owned()))?;
        let value = strategy.map_or(seconds.clone(), |strategy| format!("{seconds}:{strategy}"));
        self.put(id, node, path, vec![value]);
        Ok(())
    }
}

/// The points of a rate series with the names that the option knows.
fn rate_points(node: &Node) -> Value {
    let points = node.get("points").unwrap_or(node);
    let NodeValue::List(items) = &points.value else { return node.to_json() };
    let point = |item: &Node| {
        let pairs = item.entries().iter().map(|entry| (snake(&entry.key), entry.value.to_json()));
        if item.entries().is_empty() { item.to_json() } else { Value::Object(pairs.collect()) }
    };
    Value::Array(items.iter().map(point).collect())
}

/// As the JSON form of `--seq-dist`. Shares that add up to nearly 100 are taken as shares of their sum.
fn sequence_distribution(node: &Node, path: &str) -> Result<String, FileError> {
    let NodeValue::List(items) = &node.value else {
        return Err(FileError::at(node.position, path, format!("must be a list, not {}", node.kind())));
    };
    let mut pairs = Vec::new();
    let mut sum = 0.0;
    for (index, item) in items.iter().enumerate() {
        let mut pair = serde_json::Map::new();
        for entry in item.entries() {
            let name = match snake(&entry.key).as_str() {
                name @ ("isl" | "osl" | "isl_stddev" | "osl_stddev") => name.to_owned(),
                "probability" => "prob".to_owned(),
                _ => {
                    let known = ["isl", "osl", "isl_stddev", "osl_stddev", "probability"];
                    return Err(super::reader::unknown(
                        entry,
                        &format!("{path}[{index}].{}", entry.key),
                        known.into_iter(),
                    ));
                }
            };
            pair.insert(name, entry.value.to_json());
        }
        sum += pair.get("prob").and_then(Value::as_f64).unwrap_or(0.0);
        pairs.push(pair);
    }
    if (99.0..=101.0).contains(&sum) && (sum - 100.0).abs() > 1e-9 {
        for pair in &mut pairs {
            if let Some(share) = pair.get("prob").and_then(Value::as_f64) {
                pair.insert("prob".to_owned(), json!(share * 100.0 / sum));
            }
        }
    }
    Ok(json!({ "pairs": pairs }).to_string())
}
