//! Where requests go: `benchmark.endpoint` and `benchmark.tokenizer`.

use aiperf_options::catalogue::OptionId;

use super::Form::{Duration, Flag, List, Map, NegatedFlag, Own, Scalar};
use super::{Field, OwnForm, ServerCall};

pub(super) const ENDPOINT: &[Field] = &[
    Field::new("urls", List(OptionId::Url)).alias("url"),
    Field::new("url_strategy", Scalar(OptionId::UrlStrategy)),
    Field::new("type", Scalar(OptionId::EndpointType)),
    Field::new("path", Scalar(OptionId::CustomEndpoint)),
    Field::new("api_key", Scalar(OptionId::ApiKey)),
    Field::new("timeout", Own(OwnForm::Timeout)),
    Field::new("streaming", Flag(OptionId::Streaming)),
    Field::new("transport", Scalar(OptionId::Transport)),
    Field::new("connection_reuse", Scalar(OptionId::ConnectionReuseStrategy)),
    Field::new("use_legacy_max_tokens", Flag(OptionId::UseLegacyMaxTokens)),
    Field::new("use_server_token_count", Flag(OptionId::UseServerTokenCount)),
    Field::new("per_chunk_usage", Flag(OptionId::PerChunkUsage)),
    Field::new("download_video_content", Flag(OptionId::DownloadVideoContent)),
    Field::new("uuid_and_strip", Flag(OptionId::UuidAndStrip)),
    Field::new("template", Own(OwnForm::Template)),
    Field::new("headers", Map(OptionId::Header)),
    Field::new("extra", Map(OptionId::ExtraInputs)),
    Field::new("request_content_type", Scalar(OptionId::RequestContentType)),
    Field::new("session_header", Scalar(OptionId::SessionHeader)),
    Field::new("wait_for_model_timeout", Duration(OptionId::WaitForModelTimeout)),
    Field::new("wait_for_model_interval", Duration(OptionId::WaitForModelInterval)),
    Field::new("wait_for_model_mode", Scalar(OptionId::WaitForModelMode)),
    Field::new("reset_kv_cache", Own(OwnForm::ServerCall(ServerCall::ResetKvCache))),
    Field::new("server_profiler", Own(OwnForm::ServerCall(ServerCall::Profiler))),
    // The reference has no fields for these.
    Field::new("http_version", Scalar(OptionId::HttpVersion)),
    Field::new("source_address", List(OptionId::SourceAddress)),
    Field::new("ca_cert", Scalar(OptionId::CaCert)),
    Field::new("client_cert", Scalar(OptionId::ClientCert)),
    Field::new("client_key", Scalar(OptionId::ClientKey)),
    Field::new("insecure", Flag(OptionId::Insecure)),
    Field::new("resend", NegatedFlag(OptionId::NoResend)),
    Field::new("preconnect", Flag(OptionId::Preconnect)),
    Field::new("backend", Scalar(OptionId::Backend)),
    Field::new("grpc_method", Scalar(OptionId::GrpcMethod)),
    Field::new("grpc_proto", List(OptionId::GrpcProto)),
    Field::new("grpc_import_path", List(OptionId::GrpcImportPath)),
    Field::new("grpc_descriptor_set", List(OptionId::GrpcDescriptorSet)),
    Field::new("grpc_max_message_size", Scalar(OptionId::GrpcMaxMessageSize)),
];

pub(super) const TOKENIZER: &[Field] = &[
    Field::new("name", Scalar(OptionId::Tokenizer)),
    Field::new("revision", Scalar(OptionId::TokenizerRevision)),
    Field::new("trust_remote_code", Flag(OptionId::TokenizerTrustRemoteCode)),
    Field::new("apply_chat_template", Flag(OptionId::ApplyChatTemplate)),
];

pub(super) const RESET_KV_CACHE: &[Field] = &[
    Field::new("timeout_seconds", Duration(OptionId::ResetKvCacheTimeoutSeconds)),
    Field::new("max_retry_seconds", Duration(OptionId::ResetKvCacheMaxRetrySeconds)),
    Field::new("path", Scalar(OptionId::ResetKvCachePath)),
];

pub(super) const SERVER_PROFILER: &[Field] = &[
    Field::new("timeout_seconds", Duration(OptionId::ServerProfilerTimeoutSeconds)),
    Field::new("start_path", Scalar(OptionId::ServerProfilerStartPath)),
    Field::new("stop_path", Scalar(OptionId::ServerProfilerStopPath)),
];
