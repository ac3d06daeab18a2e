//! What every measurement of a run has in common: the resource, and the attributes of the GenAI conventions.

use aiperf_config::OtelConfig;
use aiperf_protocol::EndpointKind;

use crate::message::{KeyValue, OtlpResource, OtlpScope};

/// The provider if the user names none.
const OTHER_PROVIDER: &str = "_OTHER";

/// The run as its measurements describe it.
#[derive(Debug, Clone)]
pub struct DescribedRun {
    /// Of this program.
    pub version: String,
    pub endpoint: EndpointKind,
    /// At least one.
    pub models: Vec<String>,
    /// Host and port of the server, if there is one server.
    pub server: Option<(String, u16)>,
}

/// Attributes that are the same in all measurements, made once.
#[derive(Debug)]
pub(crate) struct CommonAttributes {
    resource: Vec<KeyValue>,
    /// Attributes of the user, which take the place of others with the same name.
    given: Vec<KeyValue>,
    pub(crate) gen_ai: Vec<KeyValue>,
    /// `chat MODEL`.
    pub(crate) span_name: String,
    version: String,
}

impl CommonAttributes {
    pub(crate) fn new(run: &DescribedRun, config: &OtelConfig) -> Self {
        let model = run.models.join(",");
        let operation = operation_name(run.endpoint);
        let provider = config.provider.as_deref().unwrap_or(OTHER_PROVIDER);
        let mut gen_ai = vec![
            KeyValue::text("gen_ai.operation.name", operation),
            KeyValue::text("gen_ai.provider.name", provider),
            KeyValue::text("gen_ai.request.model", model.clone()),
        ];
        if let Some((host, port)) = &run.server {
            gen_ai.push(KeyValue::text("server.address", host.clone()));
            gen_ai.push(KeyValue::int("server.port", i64::from(*port)));
        }
        let resource = vec![
            KeyValue::text("service.name", "aiperf"),
            KeyValue::text("service.version", run.version.clone()),
            KeyValue::text("aiperf.endpoint.type", run.endpoint.facts().name),
            KeyValue::text("aiperf.model.name", model.clone()),
        ];
        let given =
            config.resource_attributes.iter().map(|(name, value)| KeyValue::text(name, value.clone())).collect();
        Self { resource, given, gen_ai, span_name: format!("{operation} {model}"), version: run.version.clone() }
    }

    /// The resource of a run with this id.
    pub(crate) fn resource(&self, benchmark_id: &str) -> OtlpResource {
        let mut attributes = self.resource.clone();
        if !benchmark_id.is_empty() {
            attributes.push(KeyValue::text("service.instance.id", benchmark_id));
            attributes.push(KeyValue::text("aiperf.benchmark.id", benchmark_id));
        }
        attributes.retain(|ours| self.given.iter().all(|theirs| theirs.key != ours.key));
        attributes.extend(self.given.iter().cloned());
        OtlpResource { attributes }
    }

    pub(crate) fn scope(&self) -> OtlpScope {
        OtlpScope { name: "aiperf".to_owned(), version: self.version.clone() }
    }
}

/// `gen_ai.operation.name`; an endpoint that the conventions have no word for keeps its own name.
fn operation_name(endpoint: EndpointKind) -> &'static str {
    match endpoint {
        EndpointKind::Chat
        | EndpointKind::Responses
        | EndpointKind::Messages
        | EndpointKind::Vision
        | EndpointKind::Multimodal => "chat",
        EndpointKind::Completions | EndpointKind::HuggingfaceGenerate | EndpointKind::Generate => "text_completion",
        EndpointKind::Embeddings
        | EndpointKind::NimEmbeddings
        | EndpointKind::ChatEmbeddings
        | EndpointKind::Nvclip => "embeddings",
        other => other.facts().name,
    }
}
