//! Which of the load modes a run has. Exactly one: two that are asked for together are an error, and so is an option that
//! only another mode has a use for.

use super::{Surroundings, promotion};
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Burst,
    Rate,
    Series,
    FixedSchedule,
    UserCentric,
}

impl Mode {
    /// The option that chooses it; a burst is what remains when none was given.
    const fn option(self) -> Option<OptionId> {
        match self {
            Self::Burst => None,
            Self::Rate => Some(OptionId::RequestRate),
            Self::Series => Some(OptionId::RequestRateSeries),
            Self::FixedSchedule => Some(OptionId::FixedSchedule),
            Self::UserCentric => Some(OptionId::UserCentricRate),
        }
    }

    /// The options that can give a warmup its rate in this mode.
    pub(super) fn warmup_rate(self) -> String {
        let own = OptionId::WarmupRequestRate.flag();
        if self == Self::Burst { format!("{own} or {}", OptionId::RequestRate.flag()) } else { own }
    }

    pub(super) const fn has_arrivals(self) -> bool {
        matches!(self, Self::Rate | Self::Series)
    }
}

/// Options that shape arrivals at a rate.
const OF_ARRIVALS: [OptionId; 3] =
    [OptionId::ArrivalPattern, OptionId::ArrivalSmoothness, OptionId::RequestRateRampDuration];

const OF_SCHEDULE: [OptionId; 3] =
    [OptionId::FixedScheduleAutoOffset, OptionId::FixedScheduleStartOffset, OptionId::FixedScheduleEndOffset];

/// Pauses between turns, which users of a fixed rate keep by themselves.
const PAUSES: [OptionId; 4] = [
    OptionId::ConversationTurnDelayMean,
    OptionId::ConversationTurnDelayStddev,
    OptionId::ConversationTurnDelayRatio,
    OptionId::InterTurnDelayCapSeconds,
];

pub(super) fn choose(raw: &RawOptions, around: &Surroundings<'_>) -> Result<Mode, ConfigError> {
    let fixed = raw.flag(OptionId::FixedSchedule)?;
    let kept = raw.flag(OptionId::NoFixedSchedule)?;
    if fixed && kept {
        let why = "one asks for the schedule of the data and the other for no schedule";
        return Err(raw.conflict(OptionId::FixedSchedule, OptionId::NoFixedSchedule, why));
    }
    if !fixed && promotion::applies(raw, around.environment, around.dataset)? {
        return Ok(Mode::FixedSchedule);
    }
    let asked = |mode: &Mode| match mode {
        Mode::FixedSchedule => fixed,
        mode => mode.option().is_some_and(|option| raw.is_given(option)),
    };
    let choices = [Mode::FixedSchedule, Mode::UserCentric, Mode::Series, Mode::Rate];
    let mut asked = choices.into_iter().filter(asked);
    let Some(mode) = asked.next() else { return Ok(Mode::Burst) };
    match (mode.option(), asked.next().and_then(Mode::option)) {
        (Some(first), Some(second)) => Err(raw.conflict(first, second, reason_for_one(mode))),
        _ => Ok(mode),
    }
}

fn reason_for_one(mode: Mode) -> &'static str {
    match mode {
        Mode::FixedSchedule => "a fixed schedule sends each request at the time that the data gives, at no fixed rate",
        Mode::UserCentric => "the users' rate is the rate of the whole run; it cannot have a second one",
        _ => "both set the rate; give one of them",
    }
}

/// Options that only another mode has a use for.
pub(super) fn refuse_foreign(raw: &RawOptions, mode: Mode) -> Result<(), ConfigError> {
    if mode != Mode::UserCentric && raw.is_given(OptionId::NumUsers) {
        let why = "only --user-centric-rate simulates users";
        return Err(raw.needs(OptionId::NumUsers, OptionId::UserCentricRate, why));
    }
    if mode != Mode::FixedSchedule
        && let Some(offset) = given(raw, &OF_SCHEDULE)
    {
        return Err(raw.needs(offset, OptionId::FixedSchedule, "without it the times of the data are not used"));
    }
    match mode {
        Mode::FixedSchedule => {
            let why = "the data gives the time of each request, so there are no arrivals to draw";
            refuse(raw, mode, &OF_ARRIVALS, why)
        }
        Mode::UserCentric => {
            let why = "each user sends its next turn when it is due, so there are no arrivals to draw";
            refuse(raw, mode, &OF_ARRIVALS, why)
        }
        Mode::Burst | Mode::Rate | Mode::Series => Ok(()),
    }
}

/// Warnings for pauses between turns that users of a fixed rate do not keep. The reference accepts them, too.
pub(super) fn pauses_without_effect(raw: &RawOptions, mode: Mode) -> Vec<String> {
    let given = PAUSES.into_iter().filter(|option| mode == Mode::UserCentric && raw.is_given(*option));
    let why = "the pause between turns follows from the rate and the number of users";
    given.map(|option| format!("{} has no effect: {why}", raw.spelling(option))).collect()
}

fn refuse(raw: &RawOptions, mode: Mode, options: &[OptionId], why: &str) -> Result<(), ConfigError> {
    match (given(raw, options), mode.option()) {
        (Some(option), Some(chooser)) => Err(raw.conflict(option, chooser, why)),
        _ => Ok(()),
    }
}

fn given(raw: &RawOptions, options: &[OptionId]) -> Option<OptionId> {
    options.iter().copied().find(|option| raw.is_given(*option))
}
