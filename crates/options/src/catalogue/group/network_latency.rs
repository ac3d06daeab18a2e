//! Network Latency: the round trip of the network.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::NetworkLatencyAutomatic,
        &["network-latency-automatic"],
        ValueKind::Flag,
        "Measure the network round trip during the run, and add metrics that leave it out.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::NetworkLatencyMean,
        &["network-latency-mean"],
        ValueKind::Float,
        "Known network round trip, which additional metrics leave out.",
    )
    .at_least(0.0)
    .unit("ms")
    .supported(),
    OptionSpec::new(
        OptionId::NetworkLatencyPingInterval,
        &["network-latency-ping-interval"],
        ValueKind::Float,
        "Pause between two measurements of the network round trip.",
    )
    .above(0.0)
    .unit("s")
    .default("1")
    .supported(),
];
