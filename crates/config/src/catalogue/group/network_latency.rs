//! Network Latency: the round trip of the network.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::NetworkLatencyAutomatic,
        &["network-latency-automatic"],
        ValueKind::Flag,
        "Measure the network's round trip during the run, and add metrics without it.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::NetworkLatencyMean,
        &["network-latency-mean"],
        ValueKind::Float,
        "Round trip to subtract, if it is known.",
    )
    .at_least(0.0)
    .unit("ms")
    .supported(),
    OptionSpec::new(
        OptionId::NetworkLatencyPingInterval,
        &["network-latency-ping-interval"],
        ValueKind::Float,
        "Pause between two measurements of the round trip.",
    )
    .above(0.0)
    .unit("s")
    .default("1")
    .supported(),
];
