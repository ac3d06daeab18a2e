//! The schema of fields whose value has a form of its own.

use aiperf_options::catalogue::OptionId;
use serde_json::{Map, Value, json};

use super::field::{described, of_option, scalar, section};
use super::{object, written};
use crate::field::{ADAPTIVE_SCALE, GPU_TELEMETRY, NETWORK_LATENCY, OwnForm, SERVER_METRICS};

pub(super) fn schema(form: OwnForm) -> Value {
    let truth = || json!({"$ref": "#/$defs/truth"});
    match form {
        OwnForm::Models => models(),
        OwnForm::Timeout => described(
            json!({"$ref": "#/$defs/duration"}),
            "Time limit of a request in seconds; 0 waits without a limit. Option: --request-timeout-seconds.",
        ),
        OwnForm::Template => described(
            object(written(&[
                ("body", "Jinja template of the request body, rendered for each request.", json!({"type": "string"})),
                ("response_field", "JMESPath expression of the content in a response.", json!({"type": "string"})),
            ])),
            "Request body and response of an API of your own (`type: template`).",
        ),
        OwnForm::ServerCall(call) => {
            let (flag, fields) = call.fields();
            of_option(flag, json!({"anyOf": [truth(), section(fields, &Map::new())]}))
        }
        OwnForm::Summary => json!({"description": "The summary is always written.", "type": ["boolean", "array"]}),
        OwnForm::Records => json!({
            "description": "[jsonl]: one line for each request; false: only the summary. Option: --export-level.",
            "anyOf": [truth(), {"type": "array", "items": {"enum": ["jsonl"]}}]
        }),
        OwnForm::Raw => described(truth(), "Also store requests and responses. Option: --export-level raw."),
        OwnForm::GpuTelemetry => switchable(OptionId::GpuTelemetry, &section(GPU_TELEMETRY, &Map::new())),
        OwnForm::GpuCollector => {
            json!({"description": "Where telemetry of GPUs comes from.", "enum": ["dcgm", "pynvml", "nvml", "amdsmi"]})
        }
        OwnForm::GpuView => {
            json!({"description": "Whether telemetry is also shown live.", "enum": ["summary", "realtime_dashboard"]})
        }
        OwnForm::ServerMetrics => switchable(OptionId::ServerMetrics, &section(SERVER_METRICS, &Map::new())),
        OwnForm::Discovery => json!({
            "description": "How metrics pages are found: at the servers' own addresses. `mode: kubernetes` is refused.",
            "type": "object"
        }),
        OwnForm::NetworkLatency => json!({
            "description": "Network round-trip time, so that latencies are also reported without it.",
            "anyOf": [truth(), section(NETWORK_LATENCY, &Map::new())]
        }),
        OwnForm::Stream(word) => {
            described(truth(), &format!("Whether {word} are sent to the collector. Option: --stream."))
        }
        OwnForm::UserFiles => {
            let file = object(written(&[
                ("path", "Path within the artifact folder.", json!({"type": "string"})),
                ("format", "Format; it follows from the end of the path.", json!({"enum": ["json", "yaml", "text"]})),
                (
                    "content",
                    "Contents. Templates know the variables, model, endpoint_url, artifact_dir and epoch.",
                    json!(true),
                ),
            ]));
            json!({"description": "Files of your own, written into the artifact folder.", "type": "array", "items": file})
        }
        OwnForm::FileFormat => {
            let mut formats: Vec<Value> =
                OptionId::CustomDatasetType.spec().members().iter().map(|name| json!(name)).collect();
            formats.push(json!("auto"));
            described(
                json!({"anyOf": [{"enum": formats}, {"$ref": "#/$defs/reference"}]}),
                "Format of the rows; auto looks into the file. Default: single_turn. Option: --custom-dataset-type.",
            )
        }
        OwnForm::Strict => of_option(
            OptionId::Strict,
            json!({"anyOf": [truth(), {"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        ),
        OwnForm::InlineRecords => json!({
            "description": "Rows of the data set, in place of a file; for random_pool also a map of pools.",
            "type": ["array", "object"]
        }),
        OwnForm::SequenceDistribution => {
            let number = || json!({"type": ["number", "string"]});
            let entry = object(written(&[
                ("isl", "Input tokens.", number()),
                ("osl", "Output tokens.", number()),
                ("isl_stddev", "Standard deviation of the input tokens.", number()),
                ("osl_stddev", "Standard deviation of the output tokens.", number()),
                ("probability", "Share of requests in percent.", number()),
            ]));
            of_option(OptionId::SeqDist, json!({"type": "array", "minItems": 1, "items": entry}))
        }
        OwnForm::PhaseType => json!({
            "description": "How requests are paced: a number in flight, a rate, users, or the times of the data. Default: concurrency.",
            "anyOf": [{"enum": super::phases::TYPES}, {"$ref": "#/$defs/reference"}]
        }),
        OwnForm::Rate => described(
            scalar(OptionId::RequestRate.spec()),
            "Requests per second; for user_centric the turns of all users per second. Options: --request-rate, --user-centric-rate.",
        ),
        OwnForm::RateSeries => {
            let point = object(written(&[
                ("time_s", "Seconds since the start of the phase.", json!({"type": "number"})),
                ("qps", "Requests per second from then on.", json!({"type": "number"})),
            ]));
            let points = json!({"type": "array", "minItems": 2, "items": point});
            let series = object(written(&[
                ("path", "JSON file with the points.", json!({"type": "string"})),
                ("points", "The points themselves.", points.clone()),
            ]));
            of_option(OptionId::RequestRateSeries, json!({"anyOf": [series, points]}))
        }
        OwnForm::Ramp(id) => {
            let ramp = object(written(&[
                ("duration", "Time until the full load.", json!({"$ref": "#/$defs/duration"})),
                ("strategy", "Shape of the rise.", json!({"enum": ["linear", "exponential", "poisson"]})),
                ("type", "Another name of `strategy`.", json!({"enum": ["linear", "exponential", "poisson"]})),
            ]));
            of_option(id, json!({"anyOf": [{"$ref": "#/$defs/duration"}, ramp]}))
        }
        OwnForm::AdaptiveScale => {
            of_option(OptionId::AdaptiveScale, json!({"anyOf": [truth(), section(ADAPTIVE_SCALE, &Map::new())]}))
        }
        OwnForm::Sla => of_option(OptionId::AdaptiveScaleSla, json!({"type": ["object", "array"]})),
    }
}

fn models() -> Value {
    let name = json!({"type": ["string", "number"]});
    let item = object(written(&[
        ("name", "Name of the model.", name.clone()),
        (
            "weight",
            "Share of the requests, from 0 to 1, with `strategy: weighted`.",
            json!({"type": ["number", "string"]}),
        ),
        ("lora", "Refused: name the adapter as the model, as servers expect it.", json!({"not": {}})),
        ("modalities", "Refused: the data set says what requests contain.", json!({"not": {}})),
        ("tokenizer", "Refused: all models are counted with one tokenizer.", json!({"not": {}})),
    ]));
    let items = json!({"type": "array", "minItems": 1, "items": {"anyOf": [name, item]}});
    let strategy = scalar(OptionId::ModelSelectionStrategy.spec());
    let advanced = object(written(&[
        ("strategy", "How the model of a request is chosen.", strategy),
        ("items", "Models.", items.clone()),
    ]));
    of_option(OptionId::ModelNames, json!({"anyOf": [name, items, advanced]}))
}

/// A section that may also be a URL, or true or false.
fn switchable(id: OptionId, section: &Value) -> Value {
    of_option(id, json!({"anyOf": [{"$ref": "#/$defs/truth"}, {"type": "string"}, section]}))
}
