//! Scenario: locked scenarios.

use aiperf_config::SCENARIO;

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::Scenario,
        &["scenario"],
        ValueKind::Literal(&[SCENARIO]),
        "Benchmark scenario with locked settings.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::UnsafeOverride,
        &["unsafe-override"],
        ValueKind::Flag,
        "Only warn about settings that the scenario forbids. The results are then marked as not valid for submission.",
    )
    .supported(),
];
