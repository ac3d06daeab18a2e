//! Synthesis: changes to a trace.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::SynthesisSpeedupRatio,
        &["synthesis-speedup-ratio"],
        ValueKind::Float,
        "Replay the trace this many times faster: its times and pauses are divided by this.",
    )
    .above(0.0)
    .unit("×")
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::SynthesisPrefixLenMultiplier,
        &["synthesis-prefix-len-multiplier"],
        ValueKind::Float,
        "Factor for the lengths of the prefixes that requests of the trace share.",
    )
    .above(0.0)
    .unit("×")
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::SynthesisPrefixRootMultiplier,
        &["synthesis-prefix-root-multiplier"],
        ValueKind::Int,
        "Number of independent copies of the trace's prefixes.",
    )
    .at_least(1.0)
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::SynthesisPromptLenMultiplier,
        &["synthesis-prompt-len-multiplier"],
        ValueKind::Float,
        "Factor for the part of each prompt that no other request of the trace shares.",
    )
    .above(0.0)
    .unit("×")
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::SynthesisOutputLenMultiplier,
        &["synthesis-output-len-multiplier"],
        ValueKind::Float,
        "Factor for the output lengths of the trace.",
    )
    .at_least(0.0)
    .unit("×")
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::SynthesisMaxIsl,
        &["synthesis-max-isl"],
        ValueKind::Int,
        "Skip requests of the trace with a longer prompt than this.",
    )
    .at_least(1.0)
    .unit("tokens")
    .supported(),
    OptionSpec::new(
        OptionId::SynthesisMaxOsl,
        &["synthesis-max-osl"],
        ValueKind::Int,
        "Upper limit for the output lengths of the trace.",
    )
    .at_least(1.0)
    .unit("tokens")
    .supported(),
];
