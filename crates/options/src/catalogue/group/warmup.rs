//! Warmup: load before the measured phase.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::WarmupRequestCount,
        &["warmup-request-count", "num-warmup-requests"],
        ValueKind::Int,
        "Warm up with this many requests first; the results leave them out.",
    )
    .at_least(1.0)
    .supported(),
    OptionSpec::new(
        OptionId::WarmupDuration,
        &["warmup-duration"],
        ValueKind::Float,
        "Warm up for this long first; the results leave these requests out.",
    )
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::AgenticCacheWarmupDuration,
        &["agentic-cache-warmup-duration"],
        ValueKind::Float,
        "Before an agentic replay, fill the server's cache for this long with one-token responses and no pauses.",
    )
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::AgenticWarmupGracePeriod,
        &["agentic-warmup-grace-period"],
        ValueKind::Float,
        "Maximum time to wait for the last responses of an agentic warmup.",
    )
    .at_least(0.0)
    .unit("s")
    .default("no limit")
    .supported(),
    OptionSpec::new(
        OptionId::NumWarmupSessions,
        &["num-warmup-sessions"],
        ValueKind::Int,
        "Warm up with this many sessions first; the results leave them out.",
    )
    .at_least(1.0)
    .supported(),
    OptionSpec::new(
        OptionId::WarmupConcurrency,
        &["warmup-concurrency"],
        ValueKind::Int,
        "Concurrency during the warmup.",
    )
    .at_least(1.0)
    .default("as --concurrency")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupPrefillConcurrency,
        &["warmup-prefill-concurrency"],
        ValueKind::Int,
        "Prefill concurrency during the warmup.",
    )
    .at_least(1.0)
    .default("as --prefill-concurrency")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupRequestRate,
        &["warmup-request-rate"],
        ValueKind::Float,
        "Request rate during the warmup.",
    )
    .above(0.0)
    .unit("req/s")
    .default("as --request-rate")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupArrivalPattern,
        &["warmup-arrival-pattern"],
        ValueKind::Choice(&["concurrency_burst", "constant", "gamma", "poisson"]),
        "Arrival pattern during the warmup.",
    )
    .default("as --arrival-pattern")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupGracePeriod,
        &["warmup-grace-period"],
        ValueKind::Float,
        "After --warmup-duration, wait this long for responses in flight. `inf` waits for all of them.",
    )
    .at_least(0.0)
    .unit("s")
    .default("no limit")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupConcurrencyRampDuration,
        &["warmup-concurrency-ramp-duration"],
        ValueKind::Float,
        "Raise the concurrency of the warmup to its target over this time.",
    )
    .above(0.0)
    .unit("s")
    .default("as --concurrency-ramp-duration")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupPrefillConcurrencyRampDuration,
        &["warmup-prefill-concurrency-ramp-duration"],
        ValueKind::Float,
        "Raise the prefill concurrency of the warmup to its target over this time.",
    )
    .above(0.0)
    .unit("s")
    .default("as --prefill-concurrency-ramp-duration")
    .supported(),
    OptionSpec::new(
        OptionId::WarmupRequestRateRampDuration,
        &["warmup-request-rate-ramp-duration"],
        ValueKind::Float,
        "Raise the request rate of the warmup to its target over this time.",
    )
    .above(0.0)
    .unit("s")
    .default("as --request-rate-ramp-duration")
    .supported(),
];
