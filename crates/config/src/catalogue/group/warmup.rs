//! Warmup: load before the measured phase.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::WarmupRequestCount,
        &["warmup-request-count", "num-warmup-requests"],
        ValueKind::Int,
        "Warm up first, with this many requests that the results leave out.",
    )
    .at_least(1.0)
    .supported(),
    OptionSpec::new(OptionId::WarmupDuration, &["warmup-duration"], ValueKind::Float, "Warm up first, for this long.")
        .above(0.0)
        .unit("s")
        .supported(),
    OptionSpec::new(
        OptionId::AgenticCacheWarmupDuration,
        &["agentic-cache-warmup-duration"],
        ValueKind::Float,
        "Further agentic warmup with one-token answers and no pauses.",
    )
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::AgenticWarmupGracePeriod,
        &["agentic-warmup-grace-period"],
        ValueKind::Float,
        "Longest wait for the agentic warmup to drain.",
    )
    .at_least(0.0)
    .unit("s")
    .default("waits for all")
    .supported(),
    OptionSpec::new(
        OptionId::NumWarmupSessions,
        &["num-warmup-sessions"],
        ValueKind::Int,
        "Warm up first, with this many sessions.",
    )
    .at_least(1.0)
    .supported(),
    OptionSpec::new(
        OptionId::WarmupConcurrency,
        &["warmup-concurrency"],
        ValueKind::Int,
        "Concurrency while warming up.",
    )
    .at_least(1.0)
    .default("as --concurrency")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupPrefillConcurrency,
        &["warmup-prefill-concurrency"],
        ValueKind::Int,
        "Prefill concurrency while warming up.",
    )
    .at_least(1.0)
    .default("as --prefill-concurrency")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupRequestRate,
        &["warmup-request-rate"],
        ValueKind::Float,
        "Request rate while warming up.",
    )
    .above(0.0)
    .unit("req/s")
    .default("as --request-rate")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupArrivalPattern,
        &["warmup-arrival-pattern"],
        ValueKind::Choice(&["concurrency_burst", "constant", "gamma", "poisson"]),
        "Arrival pattern while warming up.",
    )
    .default("as --arrival-pattern")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupGracePeriod,
        &["warmup-grace-period"],
        ValueKind::Float,
        "After --warmup-duration, wait this long for answers still on their way; `inf` for all of them.",
    )
    .at_least(0.0)
    .unit("s")
    .default("waits for all")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupConcurrencyRampDuration,
        &["warmup-concurrency-ramp-duration"],
        ValueKind::Float,
        "Concurrency ramp while warming up.",
    )
    .above(0.0)
    .unit("s")
    .default("as --concurrency-ramp-duration")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupPrefillConcurrencyRampDuration,
        &["warmup-prefill-concurrency-ramp-duration"],
        ValueKind::Float,
        "Prefill concurrency ramp while warming up.",
    )
    .above(0.0)
    .unit("s")
    .default("as --prefill-concurrency-ramp-duration")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupRequestRateRampDuration,
        &["warmup-request-rate-ramp-duration"],
        ValueKind::Float,
        "Request rate ramp while warming up.",
    )
    .above(0.0)
    .unit("s")
    .default("as --request-rate-ramp-duration")
    .supported(),
];
