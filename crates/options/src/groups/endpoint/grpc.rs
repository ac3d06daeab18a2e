//! What is spoken over gRPC: by which targets, with which tensors, which method.

use std::path::PathBuf;
use std::time::Duration;

use aiperf_address::Scheme;
use aiperf_config::{DescriptorSource, Environment, GrpcMethod, Target, defaults};
use aiperf_protocol::{EndpointKind, KserveBackend, MethodName, Wire};

use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

/// The longest message where nothing else is said: more than any text needs, little enough for a worker's memory.
const DEFAULT_MESSAGE_LIMIT: usize = 64 << 20;

/// Calls to the server in addition to the requests of the run.
const OVER_HTTP: [OptionId; 8] = [
    OptionId::ResetKvCache,
    OptionId::ResetKvCacheTimeoutSeconds,
    OptionId::ResetKvCacheMaxRetrySeconds,
    OptionId::ResetKvCachePath,
    OptionId::ServerProfiler,
    OptionId::ServerProfilerTimeoutSeconds,
    OptionId::ServerProfilerStartPath,
    OptionId::ServerProfilerStopPath,
];
const GRPC_TYPES: &str = "--endpoint-type kserve or dynamic_grpc";

/// The scheme of a URL that has none.
pub(super) fn usual_scheme(raw: &RawOptions) -> Result<Scheme, ConfigError> {
    let is_grpc = match raw.choice(OptionId::Transport)? {
        Some(transport) => transport == Scheme::Grpc.name(),
        // Declared types do not speak gRPC.
        None => {
            raw.text(OptionId::EndpointType).and_then(EndpointKind::from_name).is_some_and(EndpointKind::speaks_grpc)
        }
    };
    Ok(if is_grpc { Scheme::Grpc } else { Scheme::Http })
}

pub(super) fn wire(raw: &RawOptions, kind: EndpointKind, targets: &[Target]) -> Result<Wire, ConfigError> {
    let is_grpc = carried_by_grpc(raw, targets)?;
    if is_grpc && !kind.speaks_grpc() {
        let why = format!("the {} endpoint uses HTTP; use http:// or https://, or {GRPC_TYPES}", kind.facts().name);
        return Err(raw.conflict(OptionId::Url, OptionId::EndpointType, &why));
    }
    if !is_grpc && kind == EndpointKind::DynamicGrpc {
        return Err(ConfigError::Needs {
            flag: format!("{} {}", raw.spelling(OptionId::EndpointType), kind.facts().name),
            needs: "a grpc:// or grpcs:// URL".to_owned(),
            why: format!("{} names an HTTP server", raw.spelling(OptionId::Url)),
        });
    }
    if is_grpc && raw.is_given(OptionId::CustomEndpoint) {
        let why = "gRPC has methods instead of paths; name one with --grpc-method and --endpoint-type dynamic_grpc";
        return Err(raw.conflict(OptionId::CustomEndpoint, OptionId::Url, why));
    }
    if is_grpc && let Some(id) = OVER_HTTP.into_iter().find(|id| raw.is_given(*id)) {
        return Err(raw.conflict(id, OptionId::Url, "it is an HTTP call, which a gRPC server does not accept"));
    }
    let limit = raw.int(OptionId::GrpcMaxMessageSize)?;
    if !is_grpc {
        return match limit {
            None => Ok(Wire::Http),
            Some(_) => Err(raw.needs_text(OptionId::GrpcMaxMessageSize, "a grpc:// URL", "it limits gRPC messages")),
        };
    }
    Ok(Wire::Grpc { deadline: deadline(raw)?, message_limit: limit.unwrap_or(DEFAULT_MESSAGE_LIMIT) })
}

/// All targets alike. What no URL says, `--transport` or the endpoint type decides.
fn carried_by_grpc(raw: &RawOptions, targets: &[Target]) -> Result<bool, ConfigError> {
    let says = |target: &Target| match target {
        Target::Url(url) if url.scheme() != Scheme::Unix => Some(url.scheme().is_grpc()),
        Target::Url(_) | Target::Sim(_) => None,
    };
    let usual = usual_scheme(raw)? == Scheme::Grpc;
    let mut said = targets.iter().filter_map(says);
    let first = said.next();
    if said.any(|other| Some(other) != first) {
        let why = "all servers of a run must use the same protocol; give grpc:// URLs or http:// URLs, not both";
        return Err(raw.bad(OptionId::Url, "", why));
    }
    if let (Some(first), true) = (first, raw.is_given(OptionId::Transport))
        && first != usual
    {
        return Err(raw.conflict(OptionId::Transport, OptionId::Url, "the URL has another protocol"));
    }
    Ok(first.unwrap_or(usual))
}

/// The server is told only what the user chose.
fn deadline(raw: &RawOptions) -> Result<Option<Duration>, ConfigError> {
    Ok(super::request_timeout(raw)?.filter(|limit| *limit != defaults::REQUEST_TIMEOUT))
}

pub(super) fn backend(raw: &RawOptions, kind: EndpointKind) -> Result<KserveBackend, ConfigError> {
    let id = OptionId::Backend;
    let Some(name) = raw.choice(id)? else { return Ok(KserveBackend::default()) };
    if kind != EndpointKind::Kserve {
        return Err(raw.needs_text(id, "--endpoint-type kserve", "other endpoints have no tensors"));
    }
    Ok(KserveBackend::ALL.into_iter().find(|backend| backend.name() == name).unwrap_or_default())
}

pub(super) fn method(
    raw: &RawOptions,
    environment: &Environment,
    kind: EndpointKind,
) -> Result<Option<GrpcMethod>, ConfigError> {
    let (name_id, proto_id) = (OptionId::GrpcMethod, OptionId::GrpcProto);
    let (import_id, set_id) = (OptionId::GrpcImportPath, OptionId::GrpcDescriptorSet);
    if kind != EndpointKind::DynamicGrpc {
        return match [name_id, proto_id, import_id, set_id].into_iter().find(|id| raw.is_given(*id)) {
            None => Ok(None),
            Some(id) => Err(raw.needs_text(id, "--endpoint-type dynamic_grpc", "other endpoints know their methods")),
        };
    }
    let Some(text) = raw.text(name_id) else {
        return Err(raw.needs_text(
            OptionId::EndpointType,
            "--grpc-method package.Service/Method",
            "dynamic_grpc calls the method that it names",
        ));
    };
    let name = MethodName::parse(text).map_err(|error| raw.bad(name_id, text, &error.to_string()))?;
    let paths = |id: OptionId| -> Vec<PathBuf> {
        raw.list(id).into_iter().map(|path| environment.current_dir.join(path)).collect()
    };
    let files = paths(proto_id);
    let source = match raw.text(set_id) {
        Some(_) if !files.is_empty() => {
            return Err(raw.conflict(proto_id, set_id, "each of them describes the method; give one of them"));
        }
        Some(set) => DescriptorSource::Set(environment.current_dir.join(set)),
        None if files.is_empty() => DescriptorSource::Reflection,
        None => DescriptorSource::Protos { files, imports: paths(import_id) },
    };
    if raw.is_given(import_id) && !raw.is_given(proto_id) {
        return Err(raw.needs(import_id, proto_id, "it names the folders of their imports"));
    }
    Ok(Some(GrpcMethod { name, source }))
}

/// GenAI-Perf's type that runs the engine in its own process.
pub(super) fn refuse_engine(raw: &RawOptions) -> Result<(), ConfigError> {
    let id = OptionId::EndpointType;
    match raw.text(id) {
        Some(name) if name.to_ascii_lowercase().replace('-', "_") == "tensorrtllm_engine" => Err(raw.bad(
            id,
            name,
            "it runs the engine inside the client, and aiperf benchmarks servers; serve the engine with Triton's TensorRT-LLM \
             backend and use --endpoint-type kserve --backend tensorrtllm --url grpc://HOST:8001",
        )),
        _ => Ok(()),
    }
}
