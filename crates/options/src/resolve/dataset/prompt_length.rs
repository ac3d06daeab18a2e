//! How long generated prompts and their answers are: each by itself, in pairs, or in a window around a mean.

use aiperf_config::{Length, PromptLengths, RandomStyle, RangeRatio};

use crate::catalogue::OptionId;
use crate::grammar::{range_ratio, sequence};
use crate::resolve::length;
use crate::{ConfigError, RawOptions};

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
            return Err(raw.conflict(OptionId::SeqDist, other, "both say how long prompts and answers are"));
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
        let expected = "a request without text and without media would have nothing in it";
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
        return Err(raw.needs(stddev_id, mean_id, "a spread needs a mean"));
    }
    length::read(raw, mean_id, stddev_id)
}

fn window(raw: &RawOptions) -> Result<RangeRatio, ConfigError> {
    let id = OptionId::RandomRangeRatio;
    if let Some(spread) = SPREADS.into_iter().find(|id| raw.is_given(*id)) {
        return Err(raw.conflict(id, spread, "the window says how far lengths spread"));
    }
    let described = |id: &OptionId| raw.text(*id).is_some_and(crate::grammar::length::is_description);
    if let Some(mean) = MEANS.into_iter().find(described) {
        return Err(raw.conflict(id, mean, "a window lies around a number; a distribution has its own spread"));
    }
    if !raw.is_given(OptionId::PromptOutputTokensMean) {
        return Err(raw.needs(id, OptionId::PromptOutputTokensMean, "answers are drawn from a window around it, too"));
    }
    let mean_id = OptionId::PromptInputTokensMean;
    let mean = raw.int(mean_id)?.unwrap_or(DEFAULT_INPUT_TOKENS);
    if mean == 0 {
        return Err(raw.bad(mean_id, "0", "a window around 0 has no prompt in it"));
    }
    Ok(RangeRatio { style: style(raw)?, mean, ratio: ratios(raw)?.input })
}

fn ratios(raw: &RawOptions) -> Result<range_ratio::Ratios, ConfigError> {
    let id = OptionId::RandomRangeRatio;
    let text = raw.text(id).unwrap_or_default();
    let (ratios, one_by_one) = range_ratio::read(text).map_err(|reason| raw.bad(id, text, &reason))?;
    let (fits, range): (fn(f64) -> bool, _) = match style(raw)? {
        RandomStyle::Vllm => (|ratio| (0.0..1.0).contains(&ratio), "a ratio is at least 0 and below 1"),
        RandomStyle::Sglang if one_by_one => {
            return Err(raw.bad(id, text, "the sglang style takes one number for both; the vllm style takes two"));
        }
        RandomStyle::Sglang => (|ratio| (0.0..=1.0).contains(&ratio), "a ratio of the sglang style is from 0 to 1"),
    };
    if fits(ratios.input) && fits(ratios.output) { Ok(ratios) } else { Err(raw.bad(id, text, range)) }
}
