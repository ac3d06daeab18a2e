//! Where requests go and how they are shaped.

pub(crate) mod export;
pub(crate) mod placeholder;

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use aiperf_address::{Address, ConnectionReuse, HttpVersion, Proxies, Secret, TlsOptions};
use aiperf_protocol::{EndpointKind, KserveBackend, MethodName, TemplateText, Wire};
use aiperf_redact as redact;
use serde_json::{Map, Value};

use crate::{defaults, is_placeholder};

/// One server to send to.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A base URL or a Unix socket.
    Url(Address),
    /// `sim:?ttft=40&itl=8`: the embedded simulator, started for this run.
    Sim(SimTarget),
}

impl Target {
    /// As result files and messages show it: without passwords and keys.
    pub fn display(&self) -> String {
        match self {
            Self::Url(address) => redact::shown_url(address.as_str()),
            Self::Sim(SimTarget { query }) if query.is_empty() => "sim:".to_owned(),
            Self::Sim(SimTarget { query }) => format!("sim:?{query}"),
        }
    }
}

/// Options of an embedded simulator, as written after the `?`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimTarget {
    pub query: String,
}

#[derive(Debug, Clone)]
pub struct EndpointConfig {
    pub kind: EndpointKind,
    /// At least one.
    pub targets: Vec<Target>,
    /// `Some("")` appends nothing to the base URL.
    pub custom_path: Option<String>,
    /// Already switched off where the endpoint type cannot stream.
    pub streaming: bool,
    /// `None`: no limit.
    pub request_timeout: Option<Duration>,
    pub api_key: Option<Secret>,
    /// In the order given.
    pub headers: Vec<(String, String)>,
    pub session_header: Option<String>,
    pub connection_reuse: ConnectionReuse,
    pub http_version: HttpVersion,
    /// What carries requests; the same to all targets.
    pub wire: Wire,
    /// How a `kserve` model names its tensors.
    pub backend: KserveBackend,
    /// What `dynamic_grpc` calls.
    pub method: Option<GrpcMethod>,
    /// Addresses that connections leave from; empty: the system chooses.
    pub source_addresses: Vec<IpAddr>,
    pub tls: TlsOptions,
    /// A request that the server left without an answer may be sent again where it cannot have been worked on.
    pub resend: bool,
    /// The connections that a phase needs are opened before it starts.
    pub preconnect: bool,
    /// As the environment has them; used only where `Tuning::trust_env` says so.
    pub proxies: Proxies,
    /// The servers' prefix caches are emptied before the run.
    pub reset_kv_cache: Option<ResetKvCache>,
    /// The servers' own profilers run while the run is measured.
    pub server_profiler: Option<ServerProfiler>,
    /// A probe of every server before the run, where asked for.
    pub readiness: Option<Readiness>,
    /// Merged over every body.
    pub extra_inputs: Map<String, Value>,
    /// What the bodies of the template endpoint are made of.
    pub template: Option<TemplateText>,
    /// Where the content of responses stands (`JMESPath`), for the template and raw endpoints; `None`: found by shape.
    pub response_field: Option<String>,
    /// Fetch finished videos as part of the request.
    pub download_video: bool,
    pub legacy_max_tokens: bool,
    pub server_token_count: bool,
    pub per_chunk_usage: bool,
    /// `None`: the model's own, see `tokenizer_name`.
    pub tokenizer: Option<String>,
    pub tokenizer_revision: String,
    pub tokenizer_trust_remote_code: bool,
    /// Input is counted as the server's chat template lays it out.
    pub apply_chat_template: bool,
}

impl EndpointConfig {
    /// Why no request says how many tokens may be generated; `None` where requests can.
    pub fn no_limit(&self) -> Option<String> {
        let facts = self.kind.facts();
        if !facts.produces_tokens {
            return Some(format!("the {} endpoint generates no text", facts.name));
        }
        if !facts.sends_limit {
            return Some(format!("a request to the {} endpoint has no field for it", facts.name));
        }
        let silent = self.template.as_ref().is_some_and(|template| !template.may_write_limit);
        silent.then(|| "the payload template does not write {{ max_tokens }}".to_owned())
    }

    /// The tokenizer for a model: the one asked for, `builtin` for a name that stands for no real model, else the model's own.
    pub fn tokenizer_name<'a>(&'a self, model: &'a str) -> &'a str {
        match &self.tokenizer {
            Some(name) => name,
            None if is_placeholder(model) => defaults::TOKENIZER,
            None => model,
        }
    }
}

/// Waits until the server can answer before anything is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Readiness {
    pub timeout: Duration,
    pub interval: Duration,
    pub mode: ReadinessMode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadinessMode {
    /// The model is listed.
    Models,
    /// A one-token request is answered.
    #[default]
    Inference,
    Both,
}

impl ReadinessMode {
    /// As `--wait-for-model-mode` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Models => "models",
            Self::Inference => "inference",
            Self::Both => "both",
        }
    }
}

/// `--reset-kv-cache`: a call before the run that empties the prefix cache of each server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResetKvCache {
    /// Path of the call; it replaces the path of the server's URL.
    pub path: String,
    /// Time limit for one call.
    pub timeout: Duration,
    /// How long the call is repeated if the server is busy or cannot be reached.
    pub max_retry: Duration,
}

/// `--server-profiler`: calls that start and stop the profiler of each server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerProfiler {
    pub start_path: String,
    pub stop_path: String,
    /// Time limit for one call.
    pub timeout: Duration,
}

/// A method of a gRPC service, and where its description comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrpcMethod {
    pub name: MethodName,
    pub source: DescriptorSource,
}

/// Where the description of a gRPC method comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DescriptorSource {
    /// The server describes it (reflection).
    Reflection,
    /// `.proto` files, and the folders to search for their imports.
    Protos { files: Vec<PathBuf>, imports: Vec<PathBuf> },
    /// A serialized descriptor set.
    Set(PathBuf),
}
