//! Load Generator: how requests are paced and when sending stops.

use aiperf_config::Parameter;

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

/// Request Cancellation: requests cut off on purpose.
pub(crate) const CANCELLATION: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::RequestCancellationRate,
        &["request-cancellation-rate"],
        ValueKind::Float,
        "Percentage of requests to cancel on purpose.",
    )
    .above(0.0)
    .at_most(100.0)
    .unit("%")
    .supported(),
    OptionSpec::new(
        OptionId::RequestCancellationDelay,
        &["request-cancellation-delay"],
        ValueKind::Float,
        "Time between the end of sending a request and cancelling it on purpose.",
    )
    .at_least(0.0)
    .unit("s")
    .default("0")
    .supported(),
];

pub(crate) const LOAD_GENERATOR: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::BenchmarkDuration,
        &["benchmark-duration"],
        ValueKind::Float,
        "Stop sending after this time.",
    )
    .sweepable(Parameter::Duration)
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::BenchmarkGracePeriod,
        &["benchmark-grace-period"],
        ValueKind::Float,
        "After --benchmark-duration, wait this long for responses in flight. `inf` waits for all of them.",
    )
    .at_least(0.0)
    .unit("s")
    .default("30; no limit with --user-centric-rate")
    .supported(),
    OptionSpec::new(
        OptionId::Concurrency,
        &["concurrency", "session-concurrency"],
        ValueKind::Int,
        "Sessions to keep in flight; a new one starts as soon as one ends. With a rate, users or a \
         schedule it is an upper limit.",
    )
    .sweepable(Parameter::Concurrency)
    .at_least(1.0)
    .default("1; no limit with a rate, users or a schedule")
    .supported(),
    OptionSpec::new(
        OptionId::PrefillConcurrency,
        &["prefill-concurrency"],
        ValueKind::Int,
        "Maximum number of requests that wait for their first token at the same time. Needs --streaming.",
    )
    .sweepable(Parameter::PrefillConcurrency)
    .at_least(1.0)
    .supported(),
    OptionSpec::new(
        OptionId::RequestRate,
        &["request-rate"],
        ValueKind::Float,
        "Send at this rate whatever the server does (open loop). `inf` sends as fast as --concurrency allows.",
    )
    .sweepable(Parameter::RequestRate)
    .above(0.0)
    .unit("req/s")
    .supported(),
    OptionSpec::new(
        OptionId::ArrivalPattern,
        &["arrival-pattern", "request-rate-mode"],
        ValueKind::Choice(&["concurrency_burst", "constant", "gamma", "poisson"]),
        "How the time between two requests is drawn when there is a request rate.",
    )
    .default("poisson; gamma with --arrival-smoothness")
    .supported(),
    OptionSpec::new(
        OptionId::ArrivalSmoothness,
        &["arrival-smoothness", "vllm-burstiness"],
        ValueKind::Float,
        "Shape of gamma arrivals: below 1 bursty, 1 as Poisson, above 1 more regular.",
    )
    .above(0.0)
    .default("1 for gamma")
    .supported(),
    OptionSpec::new(
        OptionId::RequestCount,
        &["request-count", "num-requests"],
        ValueKind::Int,
        "Stop after this many requests. Of a fixed schedule, the first ones are sent.",
    )
    .sweepable(Parameter::RequestCount)
    .at_least(1.0)
    .default(
        "when nothing else stops the run: a file or trace once, else max(10, 2 x concurrency) requests, \
         or as many as a rate sends in 10 s",
    )
    .supported(),
    OptionSpec::new(
        OptionId::MeasurementInterval,
        &["measurement-interval"],
        ValueKind::Int,
        "Measure in windows of 1.2 times this length until the last three agree. The run fails if \
         --max-trials windows have not agreed.",
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
        "How far the last three windows of --measurement-interval may differ in request rate and in \
         average latency. At 999 and above any three windows agree.",
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
        "Maximum number of windows of --measurement-interval.",
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
        "Stop when a statistic is known precisely enough: `metric:stat:margin`, such as \
         `time_to_first_token:p99:5%`. The margin is half the width of the confidence interval, in \
         percent or in the metric's unit. With several, all must be reached. Needs another stop condition \
         as the limit.",
    )
    .list()
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::ConcurrencyRampDuration,
        &["concurrency-ramp-duration"],
        ValueKind::Float,
        "Raise the concurrency from 1 to its target over this time. `20:exponential` also gives the shape.",
    )
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::PrefillConcurrencyRampDuration,
        &["prefill-concurrency-ramp-duration"],
        ValueKind::Float,
        "Raise the prefill concurrency to its target over this time. `20:exponential` also gives the shape.",
    )
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::RequestRateRampDuration,
        &["request-rate-ramp-duration"],
        ValueKind::Float,
        "Raise the request rate to its target over this time. `20:exponential` also gives the shape.",
    )
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::RequestRateSeries,
        &["request-rate-series"],
        ValueKind::Path,
        "JSON file with a list of points, each with `time_s` and `qps`. The rate is interpolated \
         linearly between them.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::RampShape,
        &["ramp-shape"],
        ValueKind::Choice(&["linear", "exponential", "poisson"]),
        "Shape of ramps that have none of their own: even (`linear`), slow at first (`exponential`, by the square of the time), \
         or in steps at random times (`poisson`).",
    )
    .default("linear")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::FailedRequestThreshold,
        &["failed-request-threshold"],
        ValueKind::Float,
        "Stop the run if more than this share of the requests has failed, 0 to 1. Checked once 10 \
         requests, or --concurrency requests if that is more, have finished.",
    )
    .at_least(0.0)
    .at_most(1.0)
    .supported(),
    OptionSpec::new(
        OptionId::UnreachableTimeout,
        &["unreachable-timeout"],
        ValueKind::Float,
        "End the run with exit code 1 if all requests have failed to connect for this long. 0 never ends it.",
    )
    .at_least(0.0)
    .unit("s")
    .default("10")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::TrajectoryStartMinRatio,
        &["trajectory-start-min-ratio"],
        ValueKind::Float,
        "Earliest point of a trace at which an agentic replay may start, as a share of the trace.",
    )
    .at_least(0.0)
    .at_most(1.0)
    .default("0, as the scenario has it")
    .supported(),
    OptionSpec::new(
        OptionId::TrajectoryStartMaxRatio,
        &["trajectory-start-max-ratio"],
        ValueKind::Float,
        "Latest point of a trace at which an agentic replay may start, as a share of the trace.",
    )
    .at_least(0.0)
    .at_most(1.0)
    .default("1, as the scenario has it")
    .supported(),
    OptionSpec::new(
        OptionId::BurstPhaseStarts,
        &["burst-phase-starts"],
        ValueKind::Flag,
        "Send the first requests of each phase of an agentic replay at the same time.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::TraceIdleGapCapSeconds,
        &["trace-idle-gap-cap-seconds"],
        ValueKind::Float,
        "Shorten idle gaps inside each Weka trace to at most this long.",
    )
    .at_least(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::SystemIdleGapCapSeconds,
        &["system-idle-gap-cap-seconds"],
        ValueKind::Float,
        "Maximum time for which an agentic replay may leave the whole server idle.",
    )
    .at_least(0.0)
    .unit("s")
    .supported(),
];
