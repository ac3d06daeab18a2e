//! Simulated users: how many, at which rate, and whether the data and the stop conditions are enough for them.

use aiperf_config::Parameter;
use aiperf_config::{DatasetConfig, DatasetSource, FileFormat, Pace, StopConditions};

use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::{ConfigError, RawOptions};

/// User-Centric Rate: simulated users.
pub(crate) const USER_CENTRIC: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::UserCentricRate,
        &["user-centric-rate"],
        ValueKind::Float,
        "Total request rate of --num-users simulated users. Each user waits for a response and then \
         pauses before the next turn.",
    )
    .above(0.0)
    .unit("req/s")
    .supported(),
    OptionSpec::new(OptionId::NumUsers, &["num-users"], ValueKind::Int, "Number of simulated users.")
        .sweepable(Parameter::Users)
        .at_least(1.0)
        .supported(),
];

pub(super) fn pace(
    raw: &RawOptions,
    dataset: &DatasetConfig,
    stop: &StopConditions,
    ceiling: Option<usize>,
) -> Result<Pace, ConfigError> {
    let id = OptionId::UserCentricRate;
    let (Some(per_second), Some(users)) = (raw.float(id)?, raw.int::<usize>(OptionId::NumUsers)?) else {
        return Err(raw.needs(id, OptionId::NumUsers, "the rate is shared among the users"));
    };
    check_turns(raw, dataset)?;
    check_counts(raw, users, stop)?;
    Ok(Pace::UserCentric { per_second, users, ceiling })
}

/// A user is known by the pause between its turns.
fn check_turns(raw: &RawOptions, dataset: &DatasetConfig) -> Result<(), ConfigError> {
    let id = OptionId::UserCentricRate;
    match &dataset.source {
        DatasetSource::Synthetic(synthetic) if synthetic.turns.mean() < 2.0 => {
            let needs = format!("{} of at least 2", raw.spelling(OptionId::ConversationTurnMean));
            let why = format!("users pause between turns; for single turns use {}", OptionId::RequestRate.flag());
            Err(raw.needs_text(id, &needs, &why))
        }
        DatasetSource::File(file) if file.format.is_some_and(|format| format != FileFormat::MultiTurn) => {
            let needs = format!("{} multi_turn", raw.spelling(OptionId::CustomDatasetType));
            Err(raw.needs_text(id, &needs, "users pause between the turns of a conversation"))
        }
        DatasetSource::Public(public) if !public.set.recipe.has_turns() => {
            let why = format!("users pause between turns, and conversations of {} have one turn", public.set.name);
            Err(raw.conflict(id, OptionId::PublicDataset, &why))
        }
        DatasetSource::Accuracy(_) => {
            let why = "users pause between turns, and a question is one turn";
            Err(raw.conflict(id, OptionId::AccuracyBenchmark, why))
        }
        _ => Ok(()),
    }
}

fn check_counts(raw: &RawOptions, users: usize, stop: &StopConditions) -> Result<(), ConfigError> {
    let enough = |count: Option<u64>| count.is_none_or(|count| count >= users as u64);
    if !enough(stop.requests) {
        let id = OptionId::RequestCount;
        let needs = format!("{} of at least {users}", raw.spelling(id));
        return Err(raw.needs_text(OptionId::NumUsers, &needs, "every user needs a request"));
    }
    if !enough(stop.sessions) {
        let needs = format!("{} of at least {users}", raw.spelling(OptionId::ConversationNum));
        return Err(raw.needs_text(OptionId::NumUsers, &needs, "every user needs a session"));
    }
    Ok(())
}
