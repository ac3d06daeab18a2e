//! How often each configuration is run, with which seeds, and when that is enough.

use aiperf_config::{Cell, Convergence, ConvergenceMode, ConvergenceStat, Seeds, Trials};

use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

/// Taken where several runs shall be alike and no seed was given.
const USUAL_SEED: u64 = 42;

/// Options that mean nothing with one run of each configuration.
const OF_TRIALS: [OptionId; 4] = [
    OptionId::ProfileRunCooldownSeconds,
    OptionId::ProfileRunDisableWarmupAfterFirst,
    OptionId::VarySeedPerTrial,
    OptionId::ConvergenceMetric,
];

/// Options about a rule that another one asks for.
const OF_CONVERGENCE: [OptionId; 4] = [
    OptionId::ConvergenceStat,
    OptionId::ConvergenceThreshold,
    OptionId::ConvergenceMode,
    OptionId::ConvergenceMinRuns,
];

const SEVERAL: &str = "--num-profile-runs above 1";

pub(super) fn resolve(raw: &RawOptions, swept: bool) -> Result<Trials, ConfigError> {
    let count = raw.int(OptionId::NumProfileRuns)?.unwrap_or(1);
    if count == 1 {
        if let Some(id) = OF_TRIALS.into_iter().find(|id| raw.is_given(*id)) {
            return Err(raw.needs_text(id, SEVERAL, "it applies to repeated runs, and there is one run"));
        }
        if raw.is_given(OptionId::SetConsistentSeed) && !swept {
            let needs = format!("{SEVERAL} or a list of values");
            return Err(raw.needs_text(
                OptionId::SetConsistentSeed,
                &needs,
                "there is one run, so there is no other seed to match",
            ));
        }
    }
    Ok(Trials {
        count,
        cooldown: raw.seconds(OptionId::ProfileRunCooldownSeconds)?.unwrap_or_default(),
        confidence_level: super::super::confidence_level(raw)?,
        warmup_only_first: on_unless_said(raw, OptionId::ProfileRunDisableWarmupAfterFirst)?,
        convergence: convergence(raw, count)?,
    })
}

fn convergence(raw: &RawOptions, count: u32) -> Result<Option<Convergence>, ConfigError> {
    let stat = ConvergenceStat(raw.choice(OptionId::ConvergenceStat)?.unwrap_or("avg"));
    let threshold = raw.float(OptionId::ConvergenceThreshold)?;
    let mode = match raw.choice(OptionId::ConvergenceMode)? {
        Some("cv") => ConvergenceMode::Cv,
        Some("distribution") => ConvergenceMode::Distribution,
        _ => ConvergenceMode::CiWidth,
    };
    let Some(metric) = raw.text(OptionId::ConvergenceMetric) else {
        return match OF_CONVERGENCE.into_iter().find(|id| raw.is_given(*id)) {
            Some(id) => Err(raw.needs(id, OptionId::ConvergenceMetric, "convergence is judged by a metric")),
            None => Ok(None),
        };
    };
    if mode == ConvergenceMode::Distribution && raw.is_given(OptionId::ConvergenceStat) {
        let why = "--convergence-mode distribution compares all values, not one statistic of them";
        return Err(raw.conflict(OptionId::ConvergenceStat, OptionId::ConvergenceMode, why));
    }
    let threshold = threshold.unwrap_or(mode.usual_threshold());
    let min_runs = raw.int(OptionId::ConvergenceMinRuns)?.unwrap_or(Convergence::LEAST_TRIALS);
    if raw.is_given(OptionId::ConvergenceMinRuns) && min_runs > count as usize {
        let why = format!("must be at most --num-profile-runs, which is {count}");
        return Err(raw.bad(OptionId::ConvergenceMinRuns, &min_runs.to_string(), &why));
    }
    Ok(Some(Convergence { metric: metric.to_owned(), stat, mode, threshold, min_runs }))
}

pub(super) fn seeds(raw: &RawOptions, trials: &Trials, swept: bool) -> Result<Seeds, ConfigError> {
    let given = raw.int(OptionId::RandomSeed)?;
    let several = trials.count > 1 || swept;
    let consistent = on_unless_said(raw, OptionId::SetConsistentSeed)?;
    let vary_by_trial = raw.flag(OptionId::VarySeedPerTrial)?;
    let same_in_cells = raw.flag(OptionId::ParameterSweepSameSeed)?;
    if !consistent {
        if given.is_some() {
            let why = "a given seed is used for every run; leave one of them out";
            return Err(raw.conflict(OptionId::SetConsistentSeed, OptionId::RandomSeed, why));
        }
        let others = [(vary_by_trial, OptionId::VarySeedPerTrial), (same_in_cells, OptionId::ParameterSweepSameSeed)];
        if let Some((_, id)) = others.into_iter().find(|(on, _)| *on) {
            let why = "without a base seed each run draws its own";
            return Err(raw.conflict(id, OptionId::SetConsistentSeed, why));
        }
    }
    let base = given.or((several && consistent).then_some(USUAL_SEED));
    Ok(Seeds { base, vary_by_trial, same_in_cells })
}

pub(super) fn check_warmup(raw: &RawOptions, cells: &[Cell]) -> Result<(), ConfigError> {
    let id = OptionId::ProfileRunDisableWarmupAfterFirst;
    if raw.is_given(id) && cells.iter().all(|cell| !cell.config.phases.has_warmup()) {
        let needs = "--warmup-request-count, --warmup-duration or --num-warmup-sessions";
        return Err(raw.needs_text(id, needs, "the runs have no warmup to leave out"));
    }
    Ok(())
}

fn on_unless_said(raw: &RawOptions, id: OptionId) -> Result<bool, ConfigError> {
    Ok(!raw.is_given(id) || raw.flag(id)?)
}
