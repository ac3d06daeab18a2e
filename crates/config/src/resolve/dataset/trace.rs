//! Options about traces.

use crate::catalogue::OptionId;
use crate::{ConfigError, FileFormat, FormatOption, RawOptions, Replay, TraceOptions, TraceSynthesis};

/// What every trace heeds.
const OF_TRACES: [OptionId; 12] = [
    OptionId::SynthesisSpeedupRatio,
    OptionId::SynthesisPrefixLenMultiplier,
    OptionId::SynthesisPrefixRootMultiplier,
    OptionId::SynthesisPromptLenMultiplier,
    OptionId::SynthesisOutputLenMultiplier,
    OptionId::SynthesisMaxIsl,
    OptionId::SynthesisMaxOsl,
    OptionId::ReplaySpeedup,
    OptionId::MaxIdleGapCapSeconds,
    OptionId::OpenLoopStrict,
    OptionId::TraceSessionSampleRatio,
    OptionId::IgnoreTraceDelays,
];
/// What only means something where the trace has block ids.
const OF_BLOCKS: [OptionId; 3] = [
    OptionId::PromptInputTokensBlockSize,
    OptionId::SynthesisPrefixLenMultiplier,
    OptionId::SynthesisPrefixRootMultiplier,
];
/// What has no effect on a trace whose times are forgotten.
const OF_TIME: [OptionId; 4] = [
    OptionId::SynthesisSpeedupRatio,
    OptionId::ReplaySpeedup,
    OptionId::MaxIdleGapCapSeconds,
    OptionId::InterTurnDelayCapSeconds,
];

pub(super) fn resolve(raw: &RawOptions) -> Result<TraceOptions, ConfigError> {
    let usual = TraceSynthesis::default();
    let factor = |id| raw.float(id).map(|factor| factor.unwrap_or(1.0));
    let options = TraceOptions {
        block_size: raw.int(OptionId::PromptInputTokensBlockSize)?,
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
        },
    };
    if options.ignore_times
        && let Some(other) = OF_TIME.into_iter().find(|id| raw.is_given(*id))
    {
        let why = "there are no times and pauses left to change";
        return Err(raw.conflict(other, OptionId::IgnoreTraceDelays, why));
    }
    Ok(options)
}

/// The options given that only traces heed.
pub(super) fn conditional(raw: &RawOptions) -> Result<Vec<FormatOption>, ConfigError> {
    let mut given = Vec::new();
    for id in OF_TRACES.into_iter().chain(OF_BLOCKS) {
        let said = match id {
            OptionId::OpenLoopStrict | OptionId::IgnoreTraceDelays => raw.flag(id)?,
            _ => raw.is_given(id),
        };
        if !said {
            continue;
        }
        let (heeded_by, why): (fn(FileFormat) -> bool, _) = if OF_BLOCKS.contains(&id) {
            (|format| format.facts().has_blocks, "it is about block ids, which only some traces have")
        } else {
            (|format| format.facts().is_trace, "it changes recorded load, which this format does not hold")
        };
        given.push(FormatOption { flag: raw.spelling(id), heeded_by, why });
    }
    Ok(given)
}

/// The first option about traces that was given.
pub(super) fn given(raw: &RawOptions) -> Option<OptionId> {
    OF_TRACES.into_iter().chain(OF_BLOCKS).find(|id| raw.is_given(*id))
}
