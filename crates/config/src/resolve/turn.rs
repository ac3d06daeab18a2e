//! The turns of generated conversations and the pauses between them.

use crate::catalogue::OptionId;
use crate::dataset::SINGLE_TURN;
use crate::{ConfigError, Length, RawOptions, TurnDelay};

pub(super) fn count(raw: &RawOptions) -> Result<Length, ConfigError> {
    let mean = raw.int::<u32>(OptionId::ConversationTurnMean)?.map_or(SINGLE_TURN.mean, f64::from);
    let stddev = raw.int::<u32>(OptionId::ConversationTurnStddev)?.map_or(SINGLE_TURN.stddev, f64::from);
    Ok(Length { mean, stddev })
}

pub(super) fn delay(raw: &RawOptions, turns: Length, warnings: &mut Vec<String>) -> Result<TurnDelay, ConfigError> {
    let (mean_id, stddev_id) = (OptionId::ConversationTurnDelayMean, OptionId::ConversationTurnDelayStddev);
    let ratio_id = OptionId::ConversationTurnDelayRatio;
    let mean = raw.float(mean_id)?;
    let stddev = raw.float(stddev_id)?.unwrap_or(0.0);
    let ratio = raw.float(ratio_id)?;
    if stddev > 0.0 && mean.unwrap_or(0.0) == 0.0 {
        let needs = format!("{} above 0", raw.spelling(mean_id));
        return Err(raw.needs_text(stddev_id, &needs, "a spread needs a mean"));
    }
    if ratio.is_some() && mean.is_none() {
        return Err(raw.needs(ratio_id, mean_id, "there is no pause to multiply without it"));
    }
    let mean_ms = mean.unwrap_or(0.0);
    if mean_ms > 0.0 && turns == SINGLE_TURN {
        warnings.push(format!(
            "{} has no effect: a conversation has one turn; give {} for more",
            raw.spelling(mean_id),
            OptionId::ConversationTurnMean.flag()
        ));
    }
    Ok(TurnDelay { mean_ms, stddev_ms: stddev, ratio: ratio.unwrap_or(1.0) })
}
