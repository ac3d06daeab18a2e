//! Endpoint: where requests go and in which dialect.

use aiperf_protocol::EndpointKind;

use crate::catalogue::{OptionId, OptionSpec, Tokens, ValueKind};

pub(crate) const ENDPOINT: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::ModelNames,
        &["model-names", "model"],
        ValueKind::Text,
        "Model name to send in each request, as the server knows it. With several names, requests are \
         spread over them.",
    )
    .called("model")
    .short("m")
    .list()
    .default("the only one that the server lists under `/v1/models`; `sim-model` with `--url sim:`")
    .supported(),
    OptionSpec::new(
        OptionId::ModelSelectionStrategy,
        &["model-selection-strategy"],
        ValueKind::Choice(&["round_robin", "random", "weighted"]),
        "How the model of a request is chosen when --model names several. `weighted` needs --model-weights.",
    )
    .default("round_robin")
    .supported(),
    OptionSpec::new(
        OptionId::ModelWeights,
        &["model-weights"],
        ValueKind::Text,
        "Share of the requests that each model of --model gets with `--model-selection-strategy weighted`, such as `0.8,0.2`. The \
         shares add up to 1.",
    )
    .list()
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::CustomEndpoint,
        &["custom-endpoint", "endpoint"],
        ValueKind::Text,
        "Path to send requests to, instead of the endpoint type's own path. An empty value appends \
         nothing to the URL.",
    )
    .called("endpoint")
    .default("by endpoint type")
    .supported(),
    OptionSpec::new(
        OptionId::EndpointType,
        &["endpoint-type"],
        ValueKind::Choice(EndpointKind::NAMES),
        "API that the server speaks. It decides the path, the request body, how responses are read and \
         which metrics apply.",
    )
    .default("chat")
    .supported(),
    OptionSpec::new(
        OptionId::Streaming,
        &["streaming"],
        ValueKind::Flag,
        "Ask for streamed responses. Without it there is no time to first token and no inter-token \
         latency.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::Url,
        &["url"],
        ValueKind::Text,
        "Server to send requests to, such as `http://localhost:8000`. Also `https://`, `grpc://`, \
         `grpcs://`, a bare `host:port`, a Unix socket (`unix:/run/server.sock`, or \
         `unix:/run/server.sock:/base/path`), or `sim:` for the built-in simulator \
         (`sim:?ttft=40&itl=8`). With several URLs, sessions use them in turn.",
    )
    .short("u")
    .several(Tokens::OneOrMore)
    .default("http://localhost:8000")
    .supported(),
    OptionSpec::new(
        OptionId::UrlStrategy,
        &["url-strategy"],
        ValueKind::Choice(&["round_robin"]),
        "How the server of a session is chosen when --url names several.",
    )
    .default("round_robin")
    .supported(),
    OptionSpec::new(
        OptionId::RequestTimeoutSeconds,
        &["request-timeout-seconds"],
        ValueKind::Float,
        "Time limit for one request, from connecting to the last byte. A request that takes longer is \
         cancelled and counts as failed. `inf` means no limit.",
    )
    .above(0.0)
    .unit("s")
    .default("21600")
    .supported(),
    OptionSpec::new(
        OptionId::WaitForModelTimeout,
        &["wait-for-model-timeout"],
        ValueKind::Float,
        "Before the run, probe each server and model until it answers, for at most this long. 0 does not \
         probe.",
    )
    .at_least(0.0)
    .unit("s")
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::WaitForModelMode,
        &["wait-for-model-mode"],
        ValueKind::Literal(&["models", "inference", "both"]),
        "What a readiness probe asks for: the model list (`models`), a one-token request (`inference`), \
         or both in this order (`both`).",
    )
    .default("inference")
    .supported(),
    OptionSpec::new(
        OptionId::WaitForModelInterval,
        &["wait-for-model-interval"],
        ValueKind::Float,
        "Pause between two readiness probes.",
    )
    .above(0.0)
    .unit("s")
    .default("5")
    .supported(),
    OptionSpec::new(
        OptionId::ResetKvCache,
        &["reset-kv-cache"],
        ValueKind::Flag,
        "Tell the server to empty its prefix cache before each run.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::ResetKvCacheTimeoutSeconds,
        &["reset-kv-cache-timeout-seconds"],
        ValueKind::Float,
        "Time limit for the call that empties the server's prefix cache. Implies --reset-kv-cache.",
    )
    .above(0.0)
    .unit("s")
    .default("30")
    .supported(),
    OptionSpec::new(
        OptionId::ResetKvCacheMaxRetrySeconds,
        &["reset-kv-cache-max-retry-seconds"],
        ValueKind::Float,
        "How long the call that empties the server's prefix cache is repeated if the server is busy or cannot be reached. Implies \
         --reset-kv-cache.",
    )
    .at_least(0.0)
    .unit("s")
    .default("60")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::ResetKvCachePath,
        &["reset-kv-cache-path"],
        ValueKind::Text,
        "Path of the call that empties the server's prefix cache. Implies --reset-kv-cache.",
    )
    .default("/reset_prefix_cache")
    .supported(),
    OptionSpec::new(
        OptionId::ServerProfiler,
        &["server-profiler"],
        ValueKind::Flag,
        "Start the server's own profiler before the measured phase and stop it afterwards.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::ServerProfilerTimeoutSeconds,
        &["server-profiler-timeout-seconds"],
        ValueKind::Float,
        "Time limit for each call that starts or stops the server's profiler. Implies \
         --server-profiler.",
    )
    .above(0.0)
    .unit("s")
    .default("30")
    .supported(),
    OptionSpec::new(
        OptionId::ServerProfilerStartPath,
        &["server-profiler-start-path"],
        ValueKind::Text,
        "Path of the call that starts the server's profiler. Implies --server-profiler.",
    )
    .default("/start_profile")
    .supported(),
    OptionSpec::new(
        OptionId::ServerProfilerStopPath,
        &["server-profiler-stop-path"],
        ValueKind::Text,
        "Path of the call that stops the server's profiler. Implies --server-profiler.",
    )
    .default("/stop_profile")
    .supported(),
    OptionSpec::new(
        OptionId::ApiKey,
        &["api-key"],
        ValueKind::Text,
        "API key to send as `Authorization: Bearer KEY`. It is never written to a file or log.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::Transport,
        &["transport", "transport-type"],
        ValueKind::Choice(&["http", "grpc"]),
        "Protocol to use. By default the URL decides; if it has no scheme, `kserve` and `dynamic_grpc` \
         use gRPC and all others HTTP.",
    )
    .default("by URL")
    .supported(),
    OptionSpec::new(
        OptionId::UseLegacyMaxTokens,
        &["use-legacy-max-tokens"],
        ValueKind::Flag,
        "Send the output limit as `max_tokens` instead of `max_completion_tokens`.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::UseServerTokenCount,
        &["use-server-token-count"],
        ValueKind::Flag,
        "Use the token counts that the server reports (`usage`) instead of tokenizing prompts and \
         responses. With --input-file no tokenizer is loaded then.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::PerChunkUsage,
        &["per-chunk-usage"],
        ValueKind::Flag,
        "Ask the server to report usage with every chunk, so that inter-token latency knows how many \
         tokens the first chunk held.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::ConnectionReuseStrategy,
        &["connection-reuse-strategy"],
        ValueKind::Choice(&["pooled", "never", "sticky-user-sessions"]),
        "How connections are used: shared by all requests (`pooled`), opened for each request (`never`), \
         or kept for each session (`sticky-user-sessions`).",
    )
    .default("pooled")
    .supported(),
    OptionSpec::new(
        OptionId::HttpVersion,
        &["http-version"],
        ValueKind::Literal(&["1.1", "2"]),
        "HTTP version to use. With 2, the requests of a worker share a connection, up to the server's \
         stream limit. `http://` servers must accept HTTP/2 directly (prior knowledge).",
    )
    .default("1.1")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::SourceAddress,
        &["source-address"],
        ValueKind::Text,
        "Local addresses to connect from, used in turn. One address has about 28,000 ports for \
         connections to one server.",
    )
    .list()
    .default("the system's choice")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::NoResend,
        &["no-resend"],
        ValueKind::Flag,
        "Never send a request again. Otherwise a request is sent again if the server closed the \
         connection within 50 ms of sending without a byte of a response, or said that it did not take \
         the request (HTTP/2 GOAWAY, REFUSED_STREAM); `resent_request_count` counts these.",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::Preconnect,
        &["preconnect"],
        ValueKind::Flag,
        "Open the connections that a phase needs before it starts: one for each session that can be under \
         way (--concurrency, --num-users), or one per worker with --http-version 2. Otherwise the first \
         requests open them, and their latencies include it.",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::CaCert,
        &["ca-cert"],
        ValueKind::Path,
        "PEM file with the CA certificates to trust, instead of the system's. The variable \
         `SSL_CERT_FILE` does the same.",
    )
    .default("the system's")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::ClientCert,
        &["client-cert"],
        ValueKind::Path,
        "PEM file with the client certificate for servers that ask for one, followed by its intermediate \
         certificates.",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::ClientKey,
        &["client-key"],
        ValueKind::Path,
        "PEM file with the private key of --client-cert.",
    )
    .default("in the file of `--client-cert`")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::Insecure,
        &["insecure"],
        ValueKind::Flag,
        "Accept any server certificate, as `AIPERF_HTTP_SSL_VERIFY=false` does.",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::DownloadVideoContent,
        &["download-video-content"],
        ValueKind::Flag,
        "Download each finished video. The download time counts as latency.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::RequestContentType,
        &["request-content-type"],
        ValueKind::Choice(&["application/json", "multipart/form-data", "application-json", "multipart-form-data"]),
        "Encoding of the request body. Each endpoint type supports one encoding; others are rejected.",
    )
    .default("by endpoint type")
    .supported(),
    OptionSpec::new(
        OptionId::SessionHeader,
        &["session-header"],
        ValueKind::Text,
        "Name of the header that carries the session id.",
    )
    .default("X-Correlation-ID")
    .supported(),
    OptionSpec::new(
        OptionId::UuidAndStrip,
        &["uuid-and-strip"],
        ValueKind::Flag,
        "Send each image of a session once and afterwards only its id (`image_uuids` of a single_turn \
         file).",
    )
    .supported(),
    OptionSpec::new(
        OptionId::Backend,
        &["backend"],
        ValueKind::Choice(&["tensorrtllm", "vllm", "python"]),
        "Backend of a `kserve` model, which decides the tensor names: one tensor per sampling parameter \
         (`tensorrtllm`), one tensor with all of them as JSON (`vllm`), or the tensors that the model \
         lists (`python`).",
    )
    .default("tensorrtllm")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::GrpcMethod,
        &["grpc-method"],
        ValueKind::Text,
        "gRPC method that `dynamic_grpc` calls, as `package.Service/Method`.",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::GrpcProto,
        &["grpc-proto"],
        ValueKind::Path,
        "`.proto` files that describe the method of --grpc-method. Without them and without \
         --grpc-descriptor-set the server is asked (reflection).",
    )
    .list()
    .default("from the server (reflection)")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::GrpcImportPath,
        &["grpc-import-path"],
        ValueKind::Path,
        "Folders to search for imports of the --grpc-proto files.",
    )
    .list()
    .default("next to the files")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::GrpcDescriptorSet,
        &["grpc-descriptor-set"],
        ValueKind::Path,
        "Descriptor set that describes the gRPC method, as written by `protoc --include_imports \
         --descriptor_set_out`.",
    )
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::GrpcMaxMessageSize,
        &["grpc-max-message-size"],
        ValueKind::Int,
        "Largest gRPC message to send or receive. A call with a larger message fails.",
    )
    .at_least(1.0)
    .at_most(4_294_967_295.0)
    .unit("bytes")
    .default("67108864")
    .ours()
    .supported(),
];
