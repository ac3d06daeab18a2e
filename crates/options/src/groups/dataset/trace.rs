//! Options about traces.

use aiperf_config::{
    AgentReplay, Environment, FileFormat, FormatOption, Replay, TraceCorpus, TraceOptions, TraceSynthesis,
};
use serde_json::{Map, Value};

use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::{ConfigError, RawOptions};

/// Synthesis: changes to a trace.
pub(crate) const SYNTHESIS: &[OptionSpec] = &[
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

/// What every trace heeds.
const OF_TRACES: [OptionId; 9] = [
    OptionId::SynthesisSpeedupRatio,
    OptionId::SynthesisPrefixLenMultiplier,
    OptionId::SynthesisPrefixRootMultiplier,
    OptionId::SynthesisPromptLenMultiplier,
    OptionId::SynthesisOutputLenMultiplier,
    OptionId::ReplaySpeedup,
    OptionId::MaxIdleGapCapSeconds,
    OptionId::OpenLoopStrict,
    OptionId::TraceSessionSampleRatio,
];
/// What only means something where the trace has block ids.
const OF_BLOCKS: [OptionId; 3] = [
    OptionId::PromptInputTokensBlockSize,
    OptionId::SynthesisPrefixLenMultiplier,
    OptionId::SynthesisPrefixRootMultiplier,
];
/// What only means something for literal prompts with their durations and hashes.
const OF_BASETEN: [OptionId; 3] = [OptionId::OpenLoopReplay, OptionId::OmitKvHints, OptionId::ForceMinTokens];
/// Body fields that a Baseten trace fills.
const BASETEN_FIELDS: [&str; 3] = ["min_tokens", "hash_ids", "block_size"];
/// What recorded sessions of agents heed, as all traces do.
const OF_ALL: [OptionId; 3] = [OptionId::SynthesisMaxIsl, OptionId::SynthesisMaxOsl, OptionId::IgnoreTraceDelays];
/// What only they heed.
const OF_AGENTS: [OptionId; 3] =
    [OptionId::UseThinkTimeOnly, OptionId::TraceIdleGapCapSeconds, OptionId::MaxContextLength];
/// What has no effect on a trace whose times are forgotten.
const OF_TIME: [OptionId; 6] = [
    OptionId::SynthesisSpeedupRatio,
    OptionId::ReplaySpeedup,
    OptionId::MaxIdleGapCapSeconds,
    OptionId::InterTurnDelayCapSeconds,
    OptionId::UseThinkTimeOnly,
    OptionId::TraceIdleGapCapSeconds,
];

pub(super) fn resolve(raw: &RawOptions, environment: &Environment) -> Result<TraceOptions, ConfigError> {
    let usual = TraceSynthesis::default();
    let tuning = crate::variables::read(&environment.variables)?;
    let factor = |id| raw.float(id).map(|factor| factor.unwrap_or(1.0));
    let options = TraceOptions {
        block_size: raw.int(OptionId::PromptInputTokensBlockSize)?,
        corpus: corpus(raw)?,
        ignore_times: raw.flag(OptionId::IgnoreTraceDelays)?,
        synthesis: TraceSynthesis {
            speedup: factor(OptionId::SynthesisSpeedupRatio)?,
            prefix_len: factor(OptionId::SynthesisPrefixLenMultiplier)?,
            prefix_roots: raw.int(OptionId::SynthesisPrefixRootMultiplier)?.unwrap_or(usual.prefix_roots),
            prompt_len: factor(OptionId::SynthesisPromptLenMultiplier)?,
            output_len: factor(OptionId::SynthesisOutputLenMultiplier)?,
            max_isl: raw.int(OptionId::SynthesisMaxIsl)?,
            max_osl: raw.int(OptionId::SynthesisMaxOsl)?,
        },
        replay: Replay {
            speedup: factor(OptionId::ReplaySpeedup)?,
            max_idle_gap_ms: raw.seconds(OptionId::MaxIdleGapCapSeconds)?.map(|cap| cap.as_secs_f64() * 1e3),
            strict: raw.flag(OptionId::OpenLoopStrict)?,
            session_share: factor(OptionId::TraceSessionSampleRatio)?,
            closed_loop: raw.is_given(OptionId::OpenLoopReplay) && !raw.flag(OptionId::OpenLoopReplay)?,
            block_hints: !raw.flag(OptionId::OmitKvHints)?,
            session_column: tuning.session_column,
            min_tokens: !raw.is_given(OptionId::ForceMinTokens) || raw.flag(OptionId::ForceMinTokens)?,
        },
        agents: AgentReplay {
            think_time_only: raw.flag(OptionId::UseThinkTimeOnly)?,
            idle_gap_cap_s: raw.seconds(OptionId::TraceIdleGapCapSeconds)?.map(|cap| cap.as_secs_f64()),
            max_context: raw.int(OptionId::MaxContextLength)?,
            entries: raw.int(OptionId::NumDatasetEntries)?,
            detection: tuning.agents,
        },
    };
    if options.replay.closed_loop && options.replay.strict {
        let why = "one keeps the turns of a session in order and the other sends every row at its own time";
        return Err(raw.conflict(OptionId::OpenLoopReplay, OptionId::OpenLoopStrict, why));
    }
    if options.ignore_times
        && let Some(other) = first_said(raw, &OF_TIME)?
    {
        let why = "it changes the recorded times and pauses, which are ignored";
        return Err(raw.conflict(other, OptionId::IgnoreTraceDelays, why));
    }
    Ok(options)
}

/// Words or program text; random tokens cannot be cut into blocks that are the same in every prompt.
fn corpus(raw: &RawOptions) -> Result<Option<TraceCorpus>, ConfigError> {
    let id = OptionId::PromptCorpus;
    match raw.choice(id)? {
        Some("sonnet") => Ok(Some(TraceCorpus::Prose)),
        Some("coding") => Ok(Some(TraceCorpus::Code)),
        Some("random") => {
            let data = if raw.is_given(OptionId::InputFile) { OptionId::InputFile } else { OptionId::PublicDataset };
            Err(raw.conflict(id, data, "prompts for recorded data are generated text; use sonnet or coding"))
        }
        _ => Ok(None),
    }
}

/// The options given that only traces heed.
pub(super) fn conditional(raw: &RawOptions) -> Result<Vec<FormatOption>, ConfigError> {
    let mut given = Vec::new();
    for id in all() {
        if !is_said(raw, id)? {
            continue;
        }
        let (heeded_by, why): (fn(FileFormat) -> bool, _) = if OF_BASETEN.contains(&id) {
            (|format| format == FileFormat::BasetenTrace, "only baseten_trace files have the data for it")
        } else if id == OptionId::SynthesisPromptLenMultiplier {
            (
                |format| format.facts().is_trace && format != FileFormat::BasetenTrace,
                "it changes prompts that are made from recorded lengths, which this format does not have",
            )
        } else if id == OptionId::PromptInputTokensBlockSize {
            let heeded_by = |format: FileFormat| format.facts().has_blocks || format == FileFormat::Tracelab;
            (
                heeded_by,
                "it applies to block ids, which only some traces have, and Weka traces give their own block \
         size",
            )
        } else if OF_BLOCKS.contains(&id) {
            (|format| format.facts().has_blocks, "it applies to block ids, which only some traces have")
        } else if OF_ALL.contains(&id) {
            let heeded_by = |format: FileFormat| format.facts().is_trace || format.facts().is_agentic;
            (heeded_by, "it changes recorded load, which this format does not contain")
        } else if OF_AGENTS.contains(&id) {
            (|format| format.facts().is_agentic, "it applies to recorded agent sessions (weka_trace, tracelab)")
        } else {
            (|format| format.facts().is_trace, "it changes recorded load with times or lengths of its own")
        };
        given.push(FormatOption { flag: raw.spelling(id), heeded_by, why });
    }
    if raw.is_given(OptionId::PromptCorpus) {
        given.push(FormatOption {
            flag: raw.spelling(OptionId::PromptCorpus),
            heeded_by: |format| {
                format.facts().is_agentic || format.facts().is_trace && format != FileFormat::BasetenTrace
            },
            why: "it sets the text of generated prompts, and this format has its own prompts",
        });
    }
    Ok(given)
}

fn all() -> impl Iterator<Item = OptionId> {
    OF_TRACES.into_iter().chain(OF_BLOCKS).chain(OF_BASETEN).chain(OF_ALL).chain(OF_AGENTS)
}

/// Whether an option was given, and a flag not as off.
fn is_said(raw: &RawOptions, id: OptionId) -> Result<bool, ConfigError> {
    match id {
        OptionId::OpenLoopStrict | OptionId::IgnoreTraceDelays | OptionId::UseThinkTimeOnly => raw.flag(id),
        _ => Ok(raw.is_given(id)),
    }
}

fn first_said(raw: &RawOptions, ids: &[OptionId]) -> Result<Option<OptionId>, ConfigError> {
    for id in ids {
        if is_said(raw, *id)? {
            return Ok(Some(*id));
        }
    }
    Ok(None)
}

/// The first option about traces that was given.
pub(super) fn given(raw: &RawOptions) -> Option<OptionId> {
    all().find(|id| raw.is_given(*id))
}

/// `--extra-inputs` that a Baseten trace would overwrite.
pub(super) fn colliding_inputs(raw: &RawOptions, extra_inputs: &Map<String, Value>) -> Option<FormatOption> {
    BASETEN_FIELDS.into_iter().any(|field| extra_inputs.contains_key(field)).then(|| FormatOption {
        flag: raw.spelling(OptionId::ExtraInputs),
        heeded_by: |format| format != FileFormat::BasetenTrace,
        why: "min_tokens, hash_ids and block_size come from the rows of the trace; leave them out, or say --omit-kv-hints or \
              --no-force-min-tokens and put them into the trace",
    })
}
