//! The metrics that operators look at, under the same names for every engine.

mod aliases;
mod headline;
mod meanings;

pub use headline::{EngineReport, HeadlineValue, headlines};
pub(crate) use meanings::Meanings;

/// An inference engine or a proxy in front of one, recognised by the names of its metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    Vllm,
    Sglang,
    TrtLlm,
    Dynamo,
    Tgi,
    LlamaCpp,
    Triton,
    Nim,
    /// A proxy. It comes last: where an engine behind it has a page too, that one counts.
    LiteLlm,
}

impl Engine {
    const ALL: [Self; 9] = [
        Self::Vllm,
        Self::Sglang,
        Self::TrtLlm,
        Self::Dynamo,
        Self::Tgi,
        Self::LlamaCpp,
        Self::Triton,
        Self::Nim,
        Self::LiteLlm,
    ];

    /// The engine of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.name() == name)
    }

    /// How many programs with counts of their own may stand behind it: 0 if it runs the model itself.
    pub const fn layer(self) -> u8 {
        match self {
            Self::Vllm | Self::Sglang | Self::TrtLlm | Self::Tgi | Self::LlamaCpp | Self::Triton | Self::Nim => 0,
            Self::Dynamo => 1,
            Self::LiteLlm => 2,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Vllm => "vLLM",
            Self::Sglang => "SGLang",
            Self::TrtLlm => "TensorRT-LLM",
            Self::Dynamo => "Dynamo",
            Self::Tgi => "TGI",
            Self::LlamaCpp => "llama.cpp",
            Self::Triton => "Triton",
            Self::Nim => "NIM",
            Self::LiteLlm => "LiteLLM",
        }
    }
}

/// A metric that several engines have under different names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EngineMetric {
    RunningRequests,
    WaitingRequests,
    /// Share of the KV cache that is in use, 0 to 1.
    KvCacheUsage,
    PrefixCacheQueries,
    PrefixCacheHits,
    /// Share of prompt tokens that the server found in its cache, 0 to 1, as the server reports it.
    PrefixCacheHitRate,
    Preemptions,
    DraftTokens,
    AcceptedTokens,
    /// Share of draft tokens that were accepted, 0 to 1, as the server reports it.
    AcceptanceRate,
    AcceptanceLength,
    PromptTokens,
    GenerationTokens,
    FinishedRequests,
    TimeToFirstToken,
    QueueTime,
    PrefillTime,
    DecodeTime,
    RequestLatency,
}

impl EngineMetric {
    pub const ALL: [Self; 19] = [
        Self::RunningRequests,
        Self::WaitingRequests,
        Self::KvCacheUsage,
        Self::PrefixCacheQueries,
        Self::PrefixCacheHits,
        Self::PrefixCacheHitRate,
        Self::Preemptions,
        Self::DraftTokens,
        Self::AcceptedTokens,
        Self::AcceptanceRate,
        Self::AcceptanceLength,
        Self::PromptTokens,
        Self::GenerationTokens,
        Self::FinishedRequests,
        Self::TimeToFirstToken,
        Self::QueueTime,
        Self::PrefillTime,
        Self::DecodeTime,
        Self::RequestLatency,
    ];

    /// Whether several series of it are averaged, not added.
    pub(crate) const fn is_share(self) -> bool {
        matches!(self, Self::KvCacheUsage | Self::PrefixCacheHitRate | Self::AcceptanceRate | Self::AcceptanceLength)
    }

    /// Whether some engine has a metric of this name.
    pub(crate) fn names(family: &str) -> bool {
        aliases::ALIASES.iter().any(|alias| alias.is_name(family))
    }

    /// Whether it counts requests or tokens, so that it stands still when the server is idle.
    pub(crate) const fn is_count(self) -> bool {
        matches!(self, Self::PromptTokens | Self::GenerationTokens | Self::FinishedRequests)
    }

    /// A name for files.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::RunningRequests => "running_requests",
            Self::WaitingRequests => "waiting_requests",
            Self::KvCacheUsage => "kv_cache_usage",
            Self::PrefixCacheQueries => "prefix_cache_queries",
            Self::PrefixCacheHits => "prefix_cache_hits",
            Self::PrefixCacheHitRate => "prefix_cache_hit_rate",
            Self::Preemptions => "preemptions",
            Self::DraftTokens => "draft_tokens",
            Self::AcceptedTokens => "accepted_tokens",
            Self::AcceptanceRate => "acceptance_rate",
            Self::AcceptanceLength => "acceptance_length",
            Self::PromptTokens => "prompt_tokens",
            Self::GenerationTokens => "generation_tokens",
            Self::FinishedRequests => "finished_requests",
            Self::TimeToFirstToken => "time_to_first_token",
            Self::QueueTime => "queue_time",
            Self::PrefillTime => "prefill_time",
            Self::DecodeTime => "decode_time",
            Self::RequestLatency => "request_latency",
        }
    }

    /// A name for people, with its unit.
    pub const fn title(self) -> &'static str {
        match self {
            Self::RunningRequests => "Running Requests",
            Self::WaitingRequests => "Waiting Requests",
            Self::KvCacheUsage => "KV Cache Usage (%)",
            Self::PrefixCacheQueries => "Prefix Cache Queries (tokens)",
            Self::PrefixCacheHits => "Prefix Cache Hits (tokens)",
            Self::PrefixCacheHitRate => "Prefix Cache Hit Rate (%)",
            Self::Preemptions => "Preemptions",
            Self::DraftTokens => "Draft Tokens",
            Self::AcceptedTokens => "Accepted Draft Tokens",
            Self::AcceptanceRate => "Draft Acceptance Rate (%)",
            Self::AcceptanceLength => "Acceptance Length (tokens)",
            Self::PromptTokens => "Prompt Tokens",
            Self::GenerationTokens => "Generation Tokens",
            Self::FinishedRequests => "Finished Requests",
            Self::TimeToFirstToken => "Server Time to First Token (ms)",
            Self::QueueTime => "Server Queue Time (ms)",
            Self::PrefillTime => "Server Prefill Time (ms)",
            Self::DecodeTime => "Server Decode Time (ms)",
            Self::RequestLatency => "Server Request Latency (ms)",
        }
    }
}

#[cfg(test)]
mod tests;
