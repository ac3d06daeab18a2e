//! Endpoint: where requests go and in which dialect.

use crate::catalogue::{OptionId, OptionSpec, Tokens, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(OptionId::ModelNames, &["model-names", "model"], ValueKind::Text, "Model to ask for, as the server knows it. With several, requests are spread over them.").called("model").short("m").list().default("none; `sim-model` with `--url sim:`").supported(),
    OptionSpec::new(OptionId::ModelSelectionStrategy, &["model-selection-strategy"], ValueKind::Choice(&["round_robin", "random", "weighted"]), "How one of several models is chosen for a request. `weighted` needs weights, which a command line cannot give.").default("round_robin").supported(),
    OptionSpec::new(OptionId::CustomEndpoint, &["custom-endpoint", "endpoint"], ValueKind::Text, "Path to use in place of the endpoint type's own; an empty text appends nothing to the URL.").called("endpoint").default("by endpoint type").supported(),
    OptionSpec::new(OptionId::EndpointType, &["endpoint-type"], ValueKind::Choice(&["chat", "completions", "responses", "messages", "embeddings", "nim_embeddings", "chat_embeddings", "nim_rankings", "hf_tei_rankings", "cohere_rankings", "huggingface_generate", "image_generation", "image_edit", "image_retrieval", "video_generation", "audio_transcription", "solido_rag", "template", "raw"]), "The API to speak (chat, completions and embeddings so far): it decides path, body, how answers are read and which metrics apply.").default("chat").supported(),
    OptionSpec::new(OptionId::Streaming, &["streaming"], ValueKind::Flag, "Ask for the answer as a stream, token by token. Without it there is no time to first token.").supported(),
    OptionSpec::new(OptionId::Url, &["url"], ValueKind::Text, "Server to send to: `http://` or `https://`, a bare `host:port`, or `sim:` for the built-in simulator (`sim:?ttft=40&itl=8`). Sessions take several in turn.").short("u").several(Tokens::OneOrMore).default("http://localhost:8000").supported(),
    OptionSpec::new(OptionId::UrlStrategy, &["url-strategy"], ValueKind::Choice(&["round_robin"]), "How one of several URLs is chosen.").default("round_robin").supported(),
    OptionSpec::new(OptionId::RequestTimeoutSeconds, &["request-timeout-seconds"], ValueKind::Float, "Longest time for one request, from connecting to the last byte; then it is cancelled and counts as failed. `inf` for none.").above(0.0).unit("s").default("21600").supported(),
    OptionSpec::new(OptionId::WaitForModelTimeout, &["wait-for-model-timeout"], ValueKind::Float, "Before the run, probe each server and model until it answers, for at most this long; 0 does not probe.").at_least(0.0).unit("s").default("0").supported(),
    OptionSpec::new(OptionId::WaitForModelMode, &["wait-for-model-mode"], ValueKind::Literal(&["models", "inference", "both"]), "What the probe asks: the list of models, a one-token request, or first one and then the other.").default("inference").supported(),
    OptionSpec::new(OptionId::WaitForModelInterval, &["wait-for-model-interval"], ValueKind::Float, "Pause between two probes.").above(0.0).unit("s").default("5").supported(),
    OptionSpec::new(OptionId::ResetKvCache, &["reset-kv-cache"], ValueKind::Flag, "Tell the server to empty its prefix cache before each run."),
    OptionSpec::new(OptionId::ResetKvCacheTimeoutSeconds, &["reset-kv-cache-timeout-seconds"], ValueKind::Float, "Limit for that call; giving it also switches the reset on.").above(0.0).unit("s").default("30"),
    OptionSpec::new(OptionId::ResetKvCachePath, &["reset-kv-cache-path"], ValueKind::Text, "Path of that call; giving it also switches the reset on.").default("/reset_prefix_cache"),
    OptionSpec::new(OptionId::ServerProfiler, &["server-profiler"], ValueKind::Flag, "Start the server's own profiler before the measured phase and stop it after."),
    OptionSpec::new(OptionId::ServerProfilerTimeoutSeconds, &["server-profiler-timeout-seconds"], ValueKind::Float, "Limit for those calls; giving it also switches the profiler on.").above(0.0).unit("s").default("30"),
    OptionSpec::new(OptionId::ServerProfilerStartPath, &["server-profiler-start-path"], ValueKind::Text, "Path that starts the profiler; giving it also switches it on.").default("/start_profile"),
    OptionSpec::new(OptionId::ServerProfilerStopPath, &["server-profiler-stop-path"], ValueKind::Text, "Path that stops the profiler; giving it also switches it on.").default("/stop_profile"),
    OptionSpec::new(OptionId::ApiKey, &["api-key"], ValueKind::Text, "Key sent as `Authorization: Bearer`. It is never written to a file or log.").supported(),
    OptionSpec::new(OptionId::Transport, &["transport", "transport-type"], ValueKind::Choice(&["http"]), "Protocol to use; known from the URL when not given.").default("by URL").supported(),
    OptionSpec::new(OptionId::UseLegacyMaxTokens, &["use-legacy-max-tokens"], ValueKind::Flag, "Put the output limit into `max_tokens` where the endpoint would use `max_completion_tokens`.").supported(),
    OptionSpec::new(OptionId::UseServerTokenCount, &["use-server-token-count"], ValueKind::Flag, "Believe the token counts that the server reports instead of tokenizing the answers here.").supported(),
    OptionSpec::new(OptionId::PerChunkUsage, &["per-chunk-usage"], ValueKind::Flag, "Have the server report usage with every chunk, so that inter-token latency knows how many tokens the first chunk held.").supported(),
    OptionSpec::new(OptionId::ConnectionReuseStrategy, &["connection-reuse-strategy"], ValueKind::Choice(&["pooled", "never", "sticky-user-sessions"]), "Whether connections are shared by all requests, opened for each, or kept per session.").default("pooled").supported(),
    OptionSpec::new(OptionId::DownloadVideoContent, &["download-video-content"], ValueKind::Flag, "Also fetch the finished video; the time for it counts as latency."),
    OptionSpec::new(OptionId::RequestContentType, &["request-content-type"], ValueKind::Choice(&["application/json", "multipart/form-data"]), "Encoding of the body.").default("by endpoint type"),
    OptionSpec::new(OptionId::SessionHeader, &["session-header"], ValueKind::Text, "Name of the header that carries the session's id, instead of `X-Correlation-ID`.").default("X-Correlation-ID").supported(),
    OptionSpec::new(OptionId::UuidAndStrip, &["uuid-and-strip"], ValueKind::Flag, "Send each image of a session once and afterwards only its id."),
];
