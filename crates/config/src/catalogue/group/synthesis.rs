//! Synthesis: changes to a trace.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::SynthesisSpeedupRatio,
        &["synthesis-speedup-ratio"],
        ValueKind::Float,
        "Replay the trace this many times as fast.",
    )
    .above(0.0)
    .unit("×")
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::SynthesisPrefixLenMultiplier,
        &["synthesis-prefix-len-multiplier"],
        ValueKind::Float,
        "Factor for the lengths of prefixes that requests share.",
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
        "Factor for the part of a prompt that is its own.",
    )
    .above(0.0)
    .unit("×")
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::SynthesisOutputLenMultiplier,
        &["synthesis-output-len-multiplier"],
        ValueKind::Float,
        "Factor for output lengths.",
    )
    .at_least(0.0)
    .unit("×")
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::SynthesisMaxIsl,
        &["synthesis-max-isl"],
        ValueKind::Int,
        "Leave out requests with a longer prompt than this.",
    )
    .at_least(1.0)
    .unit("tokens")
    .supported(),
    OptionSpec::new(OptionId::SynthesisMaxOsl, &["synthesis-max-osl"], ValueKind::Int, "Longest output to ask for.")
        .at_least(1.0)
        .unit("tokens")
        .supported(),
];
