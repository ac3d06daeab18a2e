//! Load Generator: how requests are paced and when sending stops.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::BenchmarkDuration,
        &["benchmark-duration"],
        ValueKind::Float,
        "Stop sending after this long.",
    )
    .sweepable()
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::BenchmarkGracePeriod,
        &["benchmark-grace-period"],
        ValueKind::Float,
        "After the duration, wait this long for answers still on their way; `inf` for all of them.",
    )
    .at_least(0.0)
    .unit("s")
    .default("30; no limit with --user-centric-rate")
    .supported(),
    OptionSpec::new(
        OptionId::Concurrency,
        &["concurrency", "session-concurrency"],
        ValueKind::Int,
        "Sessions kept in flight, a new one starting as soon as one ends. In the other modes it is a ceiling.",
    )
    .sweepable()
    .at_least(1.0)
    .default("1; with a rate, users or a schedule no ceiling")
    .supported(),
    OptionSpec::new(
        OptionId::PrefillConcurrency,
        &["prefill-concurrency"],
        ValueKind::Int,
        "Most requests that may wait for their first token at one time; needs --streaming.",
    )
    .sweepable()
    .at_least(1.0)
    .supported(),
    OptionSpec::new(
        OptionId::RequestRate,
        &["request-rate"],
        ValueKind::Float,
        "Send at this rate whatever the server does (open loop). `inf` sends as fast as the ceiling lets.",
    )
    .sweepable()
    .above(0.0)
    .unit("req/s")
    .supported(),
    OptionSpec::new(
        OptionId::ArrivalPattern,
        &["arrival-pattern", "request-rate-mode"],
        ValueKind::Choice(&["concurrency_burst", "constant", "gamma", "poisson"]),
        "How the time between two requests is drawn when there is a rate.",
    )
    .default("poisson; gamma with --arrival-smoothness")
    .supported(),
    OptionSpec::new(
        OptionId::ArrivalSmoothness,
        &["arrival-smoothness", "vllm-burstiness"],
        ValueKind::Float,
        "Shape of gamma arrivals: below 1 bursts, 1 as Poisson, above 1 more even.",
    )
    .above(0.0)
    .default("1 for gamma")
    .supported(),
    OptionSpec::new(
        OptionId::RequestCount,
        &["request-count", "num-requests"],
        ValueKind::Int,
        "Stop after this many requests; of a fixed schedule, send the first so many.",
    )
    .sweepable()
    .at_least(1.0)
    .default("when nothing else stops the run: a file or trace once, else max(10, 2 x concurrency) requests, or as many as a rate sends in 10 s")
    .supported(),
    OptionSpec::new(
        OptionId::MeasurementInterval,
        &["measurement-interval"],
        ValueKind::Int,
        "Measure in windows, one after the other, until the last three agree; each lasts 1.2 times this long. The run ends \
         then, and fails when --max-trials windows have not agreed.",
    )
    .short("p")
    .at_least(1.0)
    .at_most(86_400_000.0)
    .unit("ms")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::StabilityPercentage,
        &["stability-percentage"],
        ValueKind::Float,
        "How far the last three windows may be apart in requests per second and in average latency; at 999 and above any \
         three agree.",
    )
    .short("s")
    .above(0.0)
    .unit("%")
    .default("10 with --measurement-interval")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::MaxTrials,
        &["max-trials"],
        ValueKind::Int,
        "Most windows of --measurement-interval.",
    )
    .at_least(3.0)
    .at_most(100_000.0)
    .default("10 with --measurement-interval")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::UntilCi,
        &["until-ci"],
        ValueKind::Text,
        "Stop when this number is known this well: `metric:stat:margin`, such as `time_to_first_token:p99:5%`, where the margin \
         is half of the confidence interval, as a share or in the metric's unit. Of several, all must be known. Needs a stop \
         condition beside it as the limit.",
    )
    .list()
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::ConcurrencyRampDuration,
        &["concurrency-ramp-duration"],
        ValueKind::Float,
        "Raise the concurrency from 1 to its target over this time.",
    )
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::PrefillConcurrencyRampDuration,
        &["prefill-concurrency-ramp-duration"],
        ValueKind::Float,
        "Raise the prefill concurrency to its target over this time.",
    )
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::RequestRateRampDuration,
        &["request-rate-ramp-duration"],
        ValueKind::Float,
        "Raise the request rate to its target over this time.",
    )
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::RequestRateSeries,
        &["request-rate-series"],
        ValueKind::Path,
        "JSON file with a list of points, each with `time_s` and `qps`; the rate is linear in between.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::RampShape,
        &["ramp-shape"],
        ValueKind::Choice(&["linear", "exponential", "poisson"]),
        "Shape of every ramp: even, slow at first (the square of the time), or in steps at random times.",
    )
    .default("linear")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::FailedRequestThreshold,
        &["failed-request-threshold"],
        ValueKind::Float,
        "End the run when a larger share of requests than this has failed.",
    )
    .at_least(0.0)
    .at_most(1.0)
    .supported(),
    OptionSpec::new(
        OptionId::TrajectoryStartMinRatio,
        &["trajectory-start-min-ratio"],
        ValueKind::Float,
        "Earliest point within a trace at which an agentic replay may begin.",
    )
    .at_least(0.0)
    .at_most(1.0)
    .default("0, as the scenario has it")
    .supported(),
    OptionSpec::new(
        OptionId::TrajectoryStartMaxRatio,
        &["trajectory-start-max-ratio"],
        ValueKind::Float,
        "Latest point within a trace at which an agentic replay may begin.",
    )
    .at_least(0.0)
    .at_most(1.0)
    .default("1, as the scenario has it")
    .supported(),
    OptionSpec::new(
        OptionId::BurstPhaseStarts,
        &["burst-phase-starts"],
        ValueKind::Flag,
        "Send the first requests of each agentic phase together.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::TraceIdleGapCapSeconds,
        &["trace-idle-gap-cap-seconds"],
        ValueKind::Float,
        "Shorten the idle gaps inside each Weka trace to this.",
    )
    .at_least(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::SystemIdleGapCapSeconds,
        &["system-idle-gap-cap-seconds"],
        ValueKind::Float,
        "Longest time for which an agentic replay may leave the whole server idle.",
    )
    .at_least(0.0)
    .unit("s")
    .supported(),
];
