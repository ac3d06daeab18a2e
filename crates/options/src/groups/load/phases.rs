//! The phases of a configuration file: any number of them, each with the options of a profiling phase.

use std::sync::Arc;

use aiperf_config::{PhaseConfig, PhaseKind, Phases};

use super::Surroundings;
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

/// One phase of a file: its place in the run, and its load as options of a profiling phase, with those of the run.
#[derive(Debug, Clone)]
pub struct PhaseOptions {
    pub name: String,
    pub kind: PhaseKind,
    /// Starts without waiting for the responses of the phase before it.
    pub seamless: bool,
    /// Its requests are in the records, but not in the results.
    pub excluded: bool,
    pub options: RawOptions,
}

impl PhaseOptions {
    /// Whether the results of the run are about it.
    pub fn is_measured(&self) -> bool {
        self.kind == PhaseKind::Profiling && !self.excluded
    }
}

/// Options about one profiling phase that have no place in a run with several.
const OF_ONE_PHASE: [OptionId; 2] = [OptionId::UntilCi, OptionId::MeasurementInterval];

/// What selects rows of the data, which all phases share.
const OF_THE_DATA: [OptionId; 2] = [OptionId::FixedScheduleStartOffset, OptionId::FixedScheduleEndOffset];

/// `main`: the options of the first phase that counts, with what a scenario sets.
pub(in crate::groups) fn resolve(
    given: &[PhaseOptions],
    main: &RawOptions,
    around: &Surroundings<'_>,
    warnings: &mut Vec<String>,
) -> Result<Phases, ConfigError> {
    let first = given.iter().position(PhaseOptions::is_measured);
    let profiling = given.iter().filter(|phase| phase.kind == PhaseKind::Profiling).count();
    let mut list = Vec::with_capacity(given.len());
    for (index, phase) in given.iter().enumerate() {
        let raw = if first == Some(index) { main } else { &phase.options };
        crate::groups::refuse_unbuilt(raw)?;
        if let Some(option) = OF_ONE_PHASE.into_iter().find(|option| profiling > 1 && raw.is_given(*option)) {
            return Err(raw.needs_text(option, "a run with one profiling phase", "it says when that phase ends"));
        }
        if let Some(option) =
            OF_THE_DATA.into_iter().find(|option| first != Some(index) && raw.is_given(*option) && given.len() > 1)
        {
            let why = "all phases replay the same rows; set it in the first profiling phase";
            return Err(raw.needs_text(option, "the first profiling phase", why));
        }
        let (replay_warmup, config) = super::resolve(raw, around, warnings)?;
        // Options of a warmup stand for the length of other phases here.
        if let Some(warmup) = replay_warmup.filter(|warmup| warmup.pace.is_agentic()) {
            if given.len() > 1 {
                let why = "a scenario is one profiling phase with a warmup of its own";
                return Err(raw.needs_text(OptionId::Scenario, "a file with one phase", why));
            }
            list.push(warmup);
        }
        list.push(PhaseConfig {
            name: Arc::from(phase.name.as_str()),
            kind: phase.kind,
            in_results: phase.is_measured(),
            seamless: phase.seamless,
            ..config
        });
    }
    Phases::new(list).ok_or(ConfigError::NoMeasuredPhase)
}
