//! Conversation Input: how many conversations, how many turns, which pauses.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::ConversationNum,
        &["conversation-num", "num-conversations", "num-sessions"],
        ValueKind::Int,
        "Stop after this many sessions; also the number of conversations to make unless --num-dataset-entries says it.",
    )
    .called("num-sessions")
    .sweepable()
    .at_least(1.0)
    .supported(),
    OptionSpec::new(
        OptionId::NumDatasetEntries,
        &["num-dataset-entries", "num-prompts"],
        ValueKind::Int,
        "How many different conversations to make, or to take from the beginning of a file or public data set; they are used again when more are needed.",
    )
    .at_least(1.0)
    .default("--num-sessions, else --request-count, else 100")
    .supported(),
    OptionSpec::new(
        OptionId::ConversationTurnMean,
        &["conversation-turn-mean", "session-turns-mean"],
        ValueKind::Int,
        "Mean number of turns in a conversation, or its distribution.",
    )
    .called("session-turns-mean")
    .sweepable()
    .at_least(1.0)
    .unit("turns")
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::ConversationTurnStddev,
        &["conversation-turn-stddev", "session-turns-stddev"],
        ValueKind::Int,
        "Spread of the number of turns.",
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
        "Mean pause between two turns, or its distribution.",
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
        "Spread of that pause.",
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
        "Factor for every pause; 0 takes them away.",
    )
    .called("session-delay-ratio")
    .at_least(0.0)
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::InterTurnDelayCapSeconds,
        &["inter-turn-delay-cap-seconds"],
        ValueKind::Float,
        "Longest recorded pause to keep.",
    )
    .at_least(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::MaxIdleGapCapSeconds,
        &["max-idle-gap-cap-seconds"],
        ValueKind::Float,
        "Longest time without any request that is kept of a trace.",
    )
    .above(0.0)
    .unit("s")
    .supported(),
    OptionSpec::new(
        OptionId::ReplaySpeedup,
        &["replay-speedup"],
        ValueKind::Float,
        "Replay the trace this many times as fast.",
    )
    .above(0.0)
    .unit("×")
    .default("1")
    .supported(),
    OptionSpec::new(
        OptionId::OpenLoopReplay,
        &["open-loop-replay"],
        ValueKind::Flag,
        "Send later turns of a Baseten trace at their recorded times; otherwise after the recorded pauses.",
    )
    .negative("no-open-loop-replay")
    .default("true")
    .supported(),
    OptionSpec::new(
        OptionId::OpenLoopStrict,
        &["open-loop-strict"],
        ValueKind::Flag,
        "Send every row of a trace at its own time, as a session of its own.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::OmitKvHints,
        &["omit-kv-hints"],
        ValueKind::Flag,
        "Do not send a Baseten trace's block hashes.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::ForceMinTokens,
        &["force-min-tokens"],
        ValueKind::Flag,
        "Have the server produce at least the recorded number of tokens of a Baseten trace.",
    )
    .negative("no-force-min-tokens")
    .default("true")
    .supported(),
];
