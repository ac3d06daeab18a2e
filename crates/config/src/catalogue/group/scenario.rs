//! Scenario: locked scenarios.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::Scenario,
        &["scenario"],
        ValueKind::Text,
        "Named scenario whose settings may not be changed.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::UnsafeOverride,
        &["unsafe-override"],
        ValueKind::Flag,
        "Only warn about settings that the scenario forbids.",
    )
    .supported(),
];
