//! The turns of generated conversations and the pauses between them.

use aiperf_config::Parameter;
use aiperf_config::defaults;
use aiperf_config::{Length, TurnDelay};

use super::length;
use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::{ConfigError, RawOptions};

/// Conversation Input: how many conversations, how many turns, which pauses.
pub(crate) const CONVERSATION: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::ConversationNum,
        &["conversation-num", "num-conversations", "num-sessions"],
        ValueKind::Int,
        "Stop after this many sessions. Also the number of conversations to generate, unless \
         --num-dataset-entries is given.",
    )
    .called("num-sessions")
    .sweepable(Parameter::SessionCount)
    .at_least(1.0)
    .supported(),
    OptionSpec::new(
        OptionId::NumDatasetEntries,
        &["num-dataset-entries", "num-prompts"],
        ValueKind::Int,
        "Number of different conversations to generate, or to take from the beginning of a file or \
         public data set. They are used again if more are needed.",
    )
    .at_least(1.0)
    .default("--num-sessions, else --request-count, else 100")
    .supported(),
    OptionSpec::new(
        OptionId::ConversationTurnMean,
        &["conversation-turn-mean", "session-turns-mean"],
        ValueKind::Int,
        "Mean number of turns of a conversation, or a distribution such as `uniform:low=1,high=5`.",
    )
    .called("session-turns-mean")
    .sweepable(Parameter::TurnsMean)
    .at_least(1.0)
    .unit("turns")
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::ConversationTurnStddev,
        &["conversation-turn-stddev", "session-turns-stddev"],
        ValueKind::Int,
        "Standard deviation of the number of turns of a conversation.",
    )
    .called("session-turns-stddev")
    .at_least(0.0)
    .unit("turns")
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::ConversationTurnDelayMean,
        &["conversation-turn-delay-mean", "session-turn-delay-mean"],
        ValueKind::Float,
        "Mean pause between two turns of a session, or a distribution such as `lognormal:mean=2000,median=1500`.",
    )
    .called("session-turn-delay-mean")
    .at_least(0.0)
    .unit("ms")
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::ConversationTurnDelayStddev,
        &["conversation-turn-delay-stddev", "session-turn-delay-stddev"],
        ValueKind::Float,
        "Standard deviation of the pause between two turns of a session.",
    )
    .called("session-turn-delay-stddev")
    .at_least(0.0)
    .unit("ms")
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::ConversationTurnDelayRatio,
        &["conversation-turn-delay-ratio", "session-delay-ratio"],
        ValueKind::Float,
        "Factor for every pause between turns; 0 removes the pauses.",
    )
    .called("session-delay-ratio")
    .at_least(0.0)
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::InterTurnDelayCapSeconds,
        &["inter-turn-delay-cap-seconds"],
        ValueKind::Float,
        "Shorten recorded pauses between turns to at most this long.",
    )
    .at_least(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::MaxIdleGapCapSeconds,
        &["max-idle-gap-cap-seconds"],
        ValueKind::Float,
        "Shorten stretches of a trace without any request to at most this long.",
    )
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::ReplaySpeedup,
        &["replay-speedup"],
        ValueKind::Float,
        "Replay a trace this many times faster.",
    )
    .above(0.0)
    .unit("×")
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::OpenLoopReplay,
        &["open-loop-replay"],
        ValueKind::Flag,
        "Send later turns of a Baseten trace at their recorded times.",
    )
    .negative(
        "no-open-loop-replay",
        "Send later turns of a Baseten trace after their recorded pauses, not at their recorded times.",
    )
    .default("true")
    .supported(),
    OptionSpec::new(
        OptionId::OpenLoopStrict,
        &["open-loop-strict"],
        ValueKind::Flag,
        "Send every row of a trace at its recorded time, as a session of its own.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::OmitKvHints,
        &["omit-kv-hints"],
        ValueKind::Flag,
        "Do not send the block hashes of a Baseten trace.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::ForceMinTokens,
        &["force-min-tokens"],
        ValueKind::Flag,
        "Make the server produce at least the recorded number of tokens of a Baseten trace.",
    )
    .negative("no-force-min-tokens", "Let the server stop before the recorded number of tokens of a Baseten trace.")
    .default("true")
    .supported(),
];

pub(super) fn count(raw: &RawOptions) -> Result<Length, ConfigError> {
    length::read_or(raw, OptionId::ConversationTurnMean, OptionId::ConversationTurnStddev, defaults::TURNS.mean())
}

pub(super) fn delay(raw: &RawOptions, turns: &Length, warnings: &mut Vec<String>) -> Result<TurnDelay, ConfigError> {
    let (mean_id, stddev_id) = (OptionId::ConversationTurnDelayMean, OptionId::ConversationTurnDelayStddev);
    let ratio_id = OptionId::ConversationTurnDelayRatio;
    let described = length::read(raw, mean_id, stddev_id)?;
    let ratio = raw.float(ratio_id)?;
    if ratio.is_some() && described.is_none() {
        return Err(raw.needs(ratio_id, mean_id, "without it there is no pause to multiply"));
    }
    let pause_ms = described.filter(|pause| pause.mean() > 0.0);
    if pause_ms.is_none() && raw.float(stddev_id)?.is_some_and(|stddev| stddev > 0.0) {
        let needs = format!("{} above 0", raw.spelling(mean_id));
        return Err(raw.needs_text(stddev_id, &needs, "a standard deviation needs a mean"));
    }
    if pause_ms.is_some() && *turns == defaults::TURNS {
        warnings.push(format!(
            "{} has no effect: a conversation has one turn; give {} for more",
            raw.spelling(mean_id),
            OptionId::ConversationTurnMean.flag()
        ));
    }
    Ok(TurnDelay { pause_ms, ratio: ratio.unwrap_or(1.0) })
}
