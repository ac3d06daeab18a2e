//! The inputs of recipes: limits, bounds and shapes, and which recipe takes which of them.

use aiperf_config::{SlaFilter, SlaOp};

use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

const TTFT_RECIPE: &str = "max-throughput-ttft-sla";
const ITL_RECIPE: &str = "max-throughput-itl-sla";
const UNDER_SLA: &str = "max-concurrency-under-sla";
const GOODPUT: &str = "max-goodput-under-slo";
const RAMP: &str = "concurrency-ramp";
const PREFILL: &str = "prefill-ttft-curve";
const DECODE: &str = "decode-itl-curve";
const PARETO: &str = "pareto-sweep";

/// Each input with the recipes that take it.
const TAKEN_BY: [(OptionId, &[&str]); 20] = [
    (OptionId::TtftSlaMs, &[TTFT_RECIPE, UNDER_SLA, GOODPUT]),
    (OptionId::ItlSlaMs, &[ITL_RECIPE, UNDER_SLA, GOODPUT]),
    (OptionId::TpotSlaMs, &[ITL_RECIPE, UNDER_SLA, GOODPUT]),
    (OptionId::E2eSlaMs, &[UNDER_SLA, GOODPUT]),
    (OptionId::ErrorRateSla, &[UNDER_SLA]),
    (OptionId::SloAttainmentFraction, &[GOODPUT]),
    (OptionId::SearchStyle, &[UNDER_SLA]),
    (OptionId::DegradationThreshold, &[RAMP]),
    (OptionId::DegradationMetricTag, &[RAMP]),
    (OptionId::DegradationStat, &[RAMP]),
    (OptionId::IslOslPairs, &[PARETO]),
    (OptionId::IslMin, &[PREFILL]),
    (OptionId::IslMax, &[PREFILL]),
    (OptionId::IslSteps, &[PREFILL]),
    (OptionId::OslMin, &[DECODE]),
    (OptionId::OslMax, &[DECODE]),
    (OptionId::OslSteps, &[DECODE]),
    (OptionId::ConcurrencyMin, &[TTFT_RECIPE, ITL_RECIPE, UNDER_SLA, GOODPUT, RAMP, DECODE]),
    (OptionId::ConcurrencyMax, &[TTFT_RECIPE, ITL_RECIPE, UNDER_SLA, GOODPUT, RAMP, DECODE]),
    (OptionId::ConcurrencySteps, &[UNDER_SLA, RAMP, DECODE]),
];

/// All inputs of recipes.
pub(in super::super) const INPUTS: [OptionId; 20] = {
    let mut ids = [OptionId::TtftSlaMs; 20];
    let mut place = 0;
    while place < ids.len() {
        ids[place] = TAKEN_BY[place].0;
        place += 1;
    }
    ids
};

/// Options that a recipe sets to values of its own.
const SET_BY: [(&[&str], OptionId); 4] = [
    (&[TTFT_RECIPE, ITL_RECIPE, UNDER_SLA, GOODPUT, RAMP, PREFILL, DECODE], OptionId::Concurrency),
    (&[PREFILL, PARETO], OptionId::PromptInputTokensMean),
    (&[DECODE, PARETO], OptionId::PromptOutputTokensMean),
    (&[GOODPUT], OptionId::Goodput),
];

/// The limits of a recipe, as far as they were given.
#[derive(Debug)]
pub(super) struct Inputs<'a> {
    raw: &'a RawOptions,
    recipe: &'static str,
    pub(super) ttft: Option<f64>,
    pub(super) itl: Option<f64>,
    pub(super) e2e: Option<f64>,
}

impl<'a> Inputs<'a> {
    pub(super) fn read(raw: &'a RawOptions, recipe: &'static str, streaming: bool) -> Result<Self, ConfigError> {
        for (id, recipes) in TAKEN_BY {
            if raw.is_given(id) && !recipes.contains(&recipe) {
                let why = format!("the recipe {recipe} does not use it; it is for {}", recipes.join(", "));
                return Err(raw.conflict(id, OptionId::SearchRecipe, &why));
            }
        }
        for (recipes, id) in SET_BY {
            if recipes.contains(&recipe) && raw.is_given(id) {
                return Err(raw.conflict(id, OptionId::SearchRecipe, &format!("the recipe {recipe} sets it")));
            }
        }
        let (itl, tpot) = (raw.float(OptionId::ItlSlaMs)?, raw.float(OptionId::TpotSlaMs)?);
        if itl.is_some() && tpot.is_some() && itl != tpot {
            return Err(raw.conflict(
                OptionId::ItlSlaMs,
                OptionId::TpotSlaMs,
                "both limit the same time, and their values differ",
            ));
        }
        let inputs = Self {
            raw,
            recipe,
            ttft: raw.float(OptionId::TtftSlaMs)?,
            itl: itl.or(tpot),
            e2e: raw.float(OptionId::E2eSlaMs)?,
        };
        let needs_streaming = ![RAMP, UNDER_SLA].contains(&recipe) || inputs.ttft.is_some() || inputs.itl.is_some();
        if needs_streaming && !streaming {
            let why = format!("{recipe} is about single tokens, whose times only a streamed reply has");
            return Err(raw.needs(OptionId::SearchRecipe, OptionId::Streaming, &why));
        }
        Ok(inputs)
    }

    /// An input without which the recipe has nothing to look for.
    pub(super) fn required<T>(&self, value: Option<T>, flag: &str) -> Result<T, ConfigError> {
        let why = format!("{} is about the limit that it sets", self.recipe);
        value.ok_or_else(|| ConfigError::Needs {
            flag: self.raw.spelling(OptionId::SearchRecipe),
            needs: flag.to_owned(),
            why,
        })
    }

    pub(super) fn ttft_filter(&self) -> Option<SlaFilter> {
        self.ttft.map(|limit| super::filter("time_to_first_token", "p95", SlaOp::Lt, limit))
    }

    pub(super) fn itl_filter(&self) -> Option<SlaFilter> {
        self.itl.map(|limit| super::filter("inter_token_latency", "p95", SlaOp::Lt, limit))
    }

    /// The shapes of `--isl-osl-pairs`.
    pub(super) fn pairs(&self) -> Result<Vec<(i64, i64)>, ConfigError> {
        let id = OptionId::IslOslPairs;
        let text = self.required(self.raw.text(id), "--isl-osl-pairs")?;
        let positive = |text: &str| text.trim().parse::<i64>().ok().filter(|length| *length > 0);
        let pair = |piece: &str| {
            let (isl, osl) = piece.split_once('/')?;
            Some((positive(isl)?, positive(osl)?))
        };
        let pairs = text.split(',').filter(|piece| !piece.trim().is_empty()).map(pair).collect::<Option<Vec<_>>>();
        let form = "write pairs of an input and an output length, such as 128/128,512/256";
        pairs.filter(|pairs| !pairs.is_empty()).ok_or_else(|| self.raw.bad(id, text, form))
    }
}

/// The ends of a range of whole numbers, and their rule.
pub(super) fn bounds(
    raw: &RawOptions,
    low: OptionId,
    high: OptionId,
    usual: (i64, i64),
) -> Result<(i64, i64), ConfigError> {
    let (least, most) = (raw.int(low)?.unwrap_or(usual.0), raw.int(high)?.unwrap_or(usual.1));
    if least < most {
        return Ok((least, most));
    }
    let id = if raw.is_given(low) { low } else { high };
    Err(raw.bad(id, raw.text(id).unwrap_or_default(), &format!("the range from {least} to {most} is empty")))
}

/// Whole numbers that are evenly spaced on a logarithmic scale, both ends included, without repetitions.
pub(super) fn log_steps(least: i64, most: i64, steps: usize) -> impl Iterator<Item = i64> {
    let last = steps.saturating_sub(1).max(1);
    let ratio = (most as f64 / least as f64).ln();
    let mut before = None;
    (0..steps).filter_map(move |step| {
        let value = (least as f64 * (ratio * step as f64 / last as f64).exp()).round() as i64;
        let is_new = before != Some(value);
        before = Some(value);
        is_new.then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_evenly_spaced_on_a_logarithmic_scale() {
        assert_eq!(log_steps(1, 1000, 8).collect::<Vec<_>>(), [1, 3, 7, 19, 52, 139, 373, 1000]);
        assert_eq!(log_steps(1, 3, 8).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(log_steps(8, 64, 3).collect::<Vec<_>>(), [8, 23, 64]);
    }
}
