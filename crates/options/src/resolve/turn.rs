//! The turns of generated conversations and the pauses between them.

use aiperf_config::defaults;
use aiperf_config::{Length, TurnDelay};

use super::length;
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

pub(super) fn count(raw: &RawOptions) -> Result<Length, ConfigError> {
    length::read_or(raw, OptionId::ConversationTurnMean, OptionId::ConversationTurnStddev, defaults::TURNS.mean())
}

pub(super) fn delay(raw: &RawOptions, turns: &Length, warnings: &mut Vec<String>) -> Result<TurnDelay, ConfigError> {
    let (mean_id, stddev_id) = (OptionId::ConversationTurnDelayMean, OptionId::ConversationTurnDelayStddev);
    let ratio_id = OptionId::ConversationTurnDelayRatio;
    let described = length::read(raw, mean_id, stddev_id)?;
    let ratio = raw.float(ratio_id)?;
    if ratio.is_some() && described.is_none() {
        return Err(raw.needs(ratio_id, mean_id, "there is no pause to multiply without it"));
    }
    let pause_ms = described.filter(|pause| pause.mean() > 0.0);
    if pause_ms.is_none() && raw.float(stddev_id)?.is_some_and(|stddev| stddev > 0.0) {
        let needs = format!("{} above 0", raw.spelling(mean_id));
        return Err(raw.needs_text(stddev_id, &needs, "a spread needs a mean"));
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
