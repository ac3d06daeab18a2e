//! How long generated prompts and their answers are: each by itself, in pairs, or in a window around a mean.

use aiperf_config::Parameter;
use aiperf_config::{Length, PromptLengths, RandomStyle, RangeRatio};

use super::length;
use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::grammar::{range_ratio, sequence};
use crate::{ConfigError, RawOptions};

/// Input Sequence Length (ISL): how long prompts are.
pub(crate) const INPUT_LENGTH: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::PromptInputTokensMean,
        &["prompt-input-tokens-mean", "synthetic-input-tokens-mean", "isl"],
        ValueKind::Int,
        "Mean length of generated prompts, or a distribution such as `lognormal:mean=100,median=60`.",
    )
    .called("isl")
    .sweepable(Parameter::InputTokensMean)
    .at_least(0.0)
    .unit("tokens")
    .default("550")
    .supported(),
    OptionSpec::new(
        OptionId::PromptInputTokensStddev,
        &["prompt-input-tokens-stddev", "synthetic-input-tokens-stddev", "isl-stddev"],
        ValueKind::Float,
        "Standard deviation of the length of generated prompts (normal distribution).",
    )
    .called("isl-stddev")
    .sweepable(Parameter::InputTokensStddev)
    .at_least(0.0)
    .unit("tokens")
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::PromptInputTokensBlockSize,
        &["prompt-input-tokens-block-size", "synthetic-input-tokens-block-size", "isl-block-size"],
        ValueKind::Int,
        "Number of tokens that one hash id of a trace stands for.",
    )
    .called("isl-block-size")
    .at_least(1.0)
    .unit("tokens")
    .default("512; 16 for bailian_trace")
    .supported(),
    OptionSpec::new(
        OptionId::SeqDist,
        &["seq-dist", "sequence-distribution"],
        ValueKind::Text,
        "Mix of input and output lengths with percentages, such as `128,64:25;512,128:75`.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::RandomRangeRatio,
        &["random-range-ratio"],
        ValueKind::Text,
        "Draw lengths uniformly from a window of this relative width around --isl and --osl, such as \
         `0.2`, or `{\"input\": 0.5, \"output\": 0.2}`.",
    )
    .supported(),
    OptionSpec::new(
        OptionId::RandomCorpusStyle,
        &["random-corpus-style"],
        ValueKind::Choice(&["vllm", "sglang"]),
        "Tool whose formula --random-range-ratio and `--prompt-corpus random` follow.",
    )
    .default("vllm")
    .supported(),
];

/// Output Sequence Length (OSL): how long answers shall be.
pub(crate) const OUTPUT_LENGTH: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::PromptOutputTokensMean,
        &["prompt-output-tokens-mean", "output-tokens-mean", "osl"],
        ValueKind::Int,
        "Mean output length to ask for, or a distribution such as `normal:mean=200,stddev=20`. With an \
         input file it applies to rows without a length.",
    )
    .called("osl")
    .sweepable(Parameter::OutputTokensMean)
    .at_least(0.0)
    .unit("tokens")
    .default("none: the server decides")
    .supported(),
    OptionSpec::new(
        OptionId::PromptOutputTokensStddev,
        &["prompt-output-tokens-stddev", "output-tokens-stddev", "osl-stddev"],
        ValueKind::Float,
        "Standard deviation of the output length to ask for (normal distribution).",
    )
    .called("osl-stddev")
    .sweepable(Parameter::OutputTokensStddev)
    .at_least(0.0)
    .unit("tokens")
    .default("0")
    .supported(),
];

const DEFAULT_INPUT_TOKENS: u32 = 550;

const MEANS: [OptionId; 2] = [OptionId::PromptInputTokensMean, OptionId::PromptOutputTokensMean];
const SPREADS: [OptionId; 2] = [OptionId::PromptInputTokensStddev, OptionId::PromptOutputTokensStddev];

pub(super) fn style(raw: &RawOptions) -> Result<RandomStyle, ConfigError> {
    Ok(match raw.choice(OptionId::RandomCorpusStyle)? {
        Some("sglang") => RandomStyle::Sglang,
        _ => RandomStyle::Vllm,
    })
}

/// Lengths of prompts; none at all are asked for by 0, where there is something else to send.
pub(super) fn input(raw: &RawOptions, has_media: bool) -> Result<PromptLengths, ConfigError> {
    if let Some(text) = raw.text(OptionId::SeqDist) {
        let taken = MEANS.into_iter().chain(SPREADS).chain([OptionId::RandomRangeRatio]);
        if let Some(other) = taken.into_iter().find(|id| raw.is_given(*id)) {
            return Err(raw.conflict(OptionId::SeqDist, other, "both set the lengths of prompts and outputs"));
        }
        let pairs = sequence::read(text).map_err(|reason| raw.bad(OptionId::SeqDist, text, &reason))?;
        return Ok(PromptLengths::Pairs(pairs));
    }
    if raw.is_given(OptionId::RandomRangeRatio) {
        return Ok(PromptLengths::Window(window(raw)?));
    }
    let (mean_id, stddev_id) = (OptionId::PromptInputTokensMean, OptionId::PromptInputTokensStddev);
    let length = length::read_or(raw, mean_id, stddev_id, f64::from(DEFAULT_INPUT_TOKENS))?;
    if length.mean() == 0.0 && !has_media {
        let typed = raw.text(mean_id).unwrap_or("0");
        let expected = "a request without text and without media would be empty";
        return Err(raw.bad(mean_id, typed, expected));
    }
    Ok(PromptLengths::Drawn(length))
}

/// Lengths of answers, for turns that bring none of their own.
pub(super) fn output(raw: &RawOptions) -> Result<Option<Length>, ConfigError> {
    let (mean_id, stddev_id) = (OptionId::PromptOutputTokensMean, OptionId::PromptOutputTokensStddev);
    if raw.is_given(OptionId::RandomRangeRatio) {
        let mean: Option<u32> = raw.int(mean_id)?;
        let (low, high) = style(raw)?.window(mean.map_or(0.0, f64::from), ratios(raw)?.output);
        return Ok(mean.map(|_| Length::Uniform { low: low.max(1.0), high: high.max(1.0) }));
    }
    if raw.is_given(stddev_id) && !raw.is_given(mean_id) {
        return Err(raw.needs(stddev_id, mean_id, "a standard deviation needs a mean"));
    }
    length::read(raw, mean_id, stddev_id)
}

fn window(raw: &RawOptions) -> Result<RangeRatio, ConfigError> {
    let id = OptionId::RandomRangeRatio;
    if let Some(spread) = SPREADS.into_iter().find(|id| raw.is_given(*id)) {
        return Err(raw.conflict(id, spread, "the window already sets the spread of the lengths"));
    }
    let described = |id: &OptionId| raw.text(*id).is_some_and(crate::grammar::length::is_description);
    if let Some(mean) = MEANS.into_iter().find(described) {
        return Err(raw.conflict(id, mean, "a window needs a number as its center; a distribution has its own spread"));
    }
    if !raw.is_given(OptionId::PromptOutputTokensMean) {
        return Err(raw.needs(
            id,
            OptionId::PromptOutputTokensMean,
            "output lengths are drawn from a window around it, too",
        ));
    }
    let mean_id = OptionId::PromptInputTokensMean;
    let mean = raw.int(mean_id)?.unwrap_or(DEFAULT_INPUT_TOKENS);
    if mean == 0 {
        return Err(raw.bad(mean_id, "0", "a window around 0 contains no prompt"));
    }
    Ok(RangeRatio { style: style(raw)?, mean, ratio: ratios(raw)?.input })
}

fn ratios(raw: &RawOptions) -> Result<range_ratio::Ratios, ConfigError> {
    let id = OptionId::RandomRangeRatio;
    let text = raw.text(id).unwrap_or_default();
    let (ratios, one_by_one) = range_ratio::read(text).map_err(|reason| raw.bad(id, text, &reason))?;
    let (fits, range): (fn(f64) -> bool, _) = match style(raw)? {
        RandomStyle::Vllm => (|ratio| (0.0..1.0).contains(&ratio), "a ratio must be at least 0 and below 1"),
        RandomStyle::Sglang if one_by_one => {
            return Err(raw.bad(id, text, "the sglang style takes one number for both; the vllm style takes two"));
        }
        RandomStyle::Sglang => {
            (|ratio| (0.0..=1.0).contains(&ratio), "a ratio of the sglang style must be from 0 to 1")
        }
    };
    if fits(ratios.input) && fits(ratios.output) { Ok(ratios) } else { Err(raw.bad(id, text, range)) }
}
