//! Writes the fields whose value has a form of its own.

use std::path::Path;

use aiperf_options::catalogue::{Arity, OptionId};
use aiperf_options::{read_length_pairs, read_sla_filter};
use serde_json::{Map, Value, json};

use super::section::{Writer, rate_series};
use super::value::{is_on, literal, number, scalar};
use crate::field::{ADAPTIVE_SCALE, NETWORK_LATENCY, OwnForm, SERVER_METRICS, ServerCall};

/// Limits `METRIC:STAT:OP:THRESHOLD` as a list of maps. The options were resolved before, so each can be read.
fn limits(tokens: &[String]) -> Value {
    let limits = tokens.iter().flat_map(|token| token.split(',')).filter_map(|text| read_sla_filter(text).ok());
    let limit = |limit: aiperf_config::SlaFilter| {
        json!({
            "metricTag": limit.metric,
            "stat": limit.stat,
            "op": limit.op.name(),
            "threshold": number(&limit.threshold.to_string()),
        })
    };
    limits.map(limit).collect()
}

impl Writer<'_> {
    pub(super) fn own(&mut self, form: OwnForm) -> Option<Value> {
        match form {
            OwnForm::Models => self.models(),
            OwnForm::Timeout => {
                let given = self.take(OptionId::RequestTimeoutSeconds)?;
                let text = given.values.first()?;
                let is_unlimited = text.parse().is_ok_and(|seconds: f64| seconds.is_infinite());
                Some(if is_unlimited { json!(0) } else { number(text) })
            }
            OwnForm::ServerCall(call) => self.server_call(call),
            OwnForm::Records => match self.export_level()? {
                "summary" => Some(json!(false)),
                "records" => Some(json!(["jsonl"])),
                _ => None,
            },
            OwnForm::Raw => {
                let level = self.export_level();
                self.take(OptionId::ExportLevel);
                level.filter(|level| *level == "raw").map(|_| json!(true))
            }
            OwnForm::GpuTelemetry => self.gpu_telemetry(),
            OwnForm::ServerMetrics => {
                let asked_for_nothing =
                    self.options().get(OptionId::ServerMetrics).is_some_and(|given| given.values.is_empty());
                if asked_for_nothing {
                    self.take(OptionId::ServerMetrics);
                }
                let section = self.section(SERVER_METRICS);
                (!section.is_empty()).then_some(Value::Object(section))
            }
            OwnForm::NetworkLatency => {
                let has_mean = self.options().get(OptionId::NetworkLatencyMean).is_some();
                let mut section = self.section(NETWORK_LATENCY);
                if has_mean {
                    section.insert("enabled".to_owned(), json!(true));
                }
                (!section.is_empty()).then_some(Value::Object(section))
            }
            OwnForm::Stream(word) => {
                let words = self.stream_words()?;
                if word == "traces" {
                    self.take(OptionId::Stream);
                }
                let is_on = words.iter().any(|one| one == word || (one == "default" && word != "traces"));
                Some(Value::Bool(is_on))
            }
            OwnForm::FileFormat => self.one(OptionId::CustomDatasetType),
            OwnForm::Strict => {
                let given = self.take(OptionId::Strict)?;
                let codes: Vec<Value> = given
                    .values
                    .iter()
                    .flat_map(|token| token.split(','))
                    .filter(|code| !code.trim().is_empty())
                    .map(|code| Value::from(code.trim()))
                    .collect();
                Some(if codes.is_empty() { json!(true) } else { Value::Array(codes) })
            }
            OwnForm::SequenceDistribution => {
                let given = self.take(OptionId::SeqDist)?;
                let pairs = read_length_pairs(given.values.first()?).unwrap_or_default();
                let pair = |pair: &aiperf_config::Weighted<aiperf_config::LengthPair>| {
                    let mut map = Map::new();
                    for (name, length) in [("isl", &pair.value.input), ("osl", &pair.value.output)] {
                        map.insert(name.to_owned(), number(&length.mean().to_string()));
                        if let aiperf_config::Length::Normal { stddev, .. } = length
                            && *stddev > 0.0
                        {
                            map.insert(format!("{name}Stddev"), number(&stddev.to_string()));
                        }
                    }
                    map.insert("probability".to_owned(), number(&pair.weight.to_string()));
                    Value::Object(map)
                };
                Some(pairs.iter().map(pair).collect())
            }
            OwnForm::Rate => self.one(OptionId::UserCentricRate).or_else(|| self.one(OptionId::RequestRate)),
            OwnForm::RateSeries => {
                let given = self.take(OptionId::RequestRateSeries)?;
                given.values.first().map(|text| rate_series(text))
            }
            OwnForm::Ramp(id) => self.ramp(id),
            OwnForm::AdaptiveScale => {
                let section = self.section(ADAPTIVE_SCALE);
                (!section.is_empty()).then_some(Value::Object(section))
            }
            OwnForm::Sla => self.take(OptionId::AdaptiveScaleSla).map(|given| limits(&given.values)),
            // Settings of other options, or of the section around them.
            OwnForm::Template
            | OwnForm::Summary
            | OwnForm::UserFiles
            | OwnForm::GpuCollector
            | OwnForm::GpuView
            | OwnForm::Discovery
            | OwnForm::InlineRecords
            | OwnForm::PhaseType => None,
        }
    }

    fn models(&mut self) -> Option<Value> {
        let strategy = self.one(OptionId::ModelSelectionStrategy);
        let names = self.words(OptionId::ModelNames);
        let weights = self.words(OptionId::ModelWeights);
        if strategy.is_none() && weights.is_empty() {
            let mut names: Vec<Value> = names.iter().map(|name| literal(name)).collect();
            return match names.len() {
                0 => None,
                1 => names.pop(),
                _ => Some(Value::Array(names)),
            };
        }
        let mut models = Map::new();
        models.extend(strategy.map(|strategy| ("strategy".to_owned(), strategy)));
        let item = |(place, name): (usize, &String)| {
            let mut item = Map::from_iter([("name".to_owned(), literal(name))]);
            item.extend(weights.get(place).map(|weight| ("weight".to_owned(), number(weight))));
            Value::Object(item)
        };
        models.insert("items".to_owned(), names.iter().enumerate().map(item).collect());
        Some(Value::Object(models))
    }

    /// All values of an option, split at commas if it takes lists that way.
    fn words(&mut self, id: OptionId) -> Vec<String> {
        let commas = matches!(id.spec().arity, Arity::List(form) if form.commas);
        let Some(given) = self.take(id) else { return Vec::new() };
        let split = |token: &String| -> Vec<String> {
            let pieces: Vec<&str> = if commas { token.split(',').map(str::trim).collect() } else { vec![token] };
            pieces.into_iter().filter(|piece| !piece.is_empty()).map(ToOwned::to_owned).collect()
        };
        given.values.iter().flat_map(split).collect()
    }

    fn server_call(&mut self, call: ServerCall) -> Option<Value> {
        let (flag, fields) = call.fields();
        let settings = self.section(fields);
        // Settings switch it on, too.
        match self.take(flag) {
            Some(given) if !is_on(&given.values) => Some(json!(false)),
            Some(_) if settings.is_empty() => Some(json!(true)),
            _ => (!settings.is_empty()).then_some(Value::Object(settings)),
        }
    }

    fn export_level(&self) -> Option<&'static str> {
        let text = self.options().get(OptionId::ExportLevel)?.values.first()?.to_ascii_lowercase();
        ["summary", "records", "raw"].into_iter().find(|level| *level == text)
    }

    fn gpu_telemetry(&mut self) -> Option<Value> {
        if let Some(given) = self.take(OptionId::NoGpuTelemetry)
            && is_on(&given.values)
        {
            return Some(json!({"enabled": false}));
        }
        self.options().get(OptionId::GpuTelemetry)?;
        let mut section = Map::from_iter([("enabled".to_owned(), json!(true))]);
        let mut urls = Vec::new();
        for word in self.words(OptionId::GpuTelemetry) {
            match word.to_ascii_lowercase().as_str() {
                "pynvml" | "nvml" | "amdsmi" => drop(section.insert("collector".to_owned(), literal(&word))),
                "dashboard" => drop(section.insert("mode".to_owned(), json!("realtime_dashboard"))),
                lower if Path::new(lower).extension().is_some_and(|end| end == "csv") => {
                    drop(section.insert("metricsFile".to_owned(), literal(&word)));
                }
                _ => urls.push(literal(&word)),
            }
        }
        if !urls.is_empty() {
            section.insert("urls".to_owned(), Value::Array(urls));
        }
        Some(Value::Object(section))
    }

    fn stream_words(&self) -> Option<Vec<String>> {
        let given = self.options().get(OptionId::Stream)?;
        let words = given.values.iter().flat_map(|token| token.split(','));
        Some(words.map(|word| word.trim().to_ascii_lowercase()).collect())
    }

    fn ramp(&mut self, id: OptionId) -> Option<Value> {
        let given = self.take(id)?;
        let seconds = scalar(id, given.values.first()?);
        let shape = self.options().get(OptionId::RampShape).and_then(|given| given.values.first().cloned());
        self.take(OptionId::RampShape);
        Some(match shape {
            Some(shape) => json!({"duration": seconds, "strategy": shape.to_ascii_lowercase()}),
            None => seconds,
        })
    }
}
