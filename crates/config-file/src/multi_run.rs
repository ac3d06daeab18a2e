//! `multiRun`: how often each run is repeated, as options.

use aiperf_options::RawOptions;
use aiperf_options::catalogue::OptionId;

use crate::FileError;
use crate::body::read_section;
use crate::field::MULTI_RUN;
use crate::file::ConfigFile;

/// Options that go for all runs of an experiment, not for one.
const OF_ALL_RUNS: [OptionId; 17] = [
    OptionId::NumProfileRuns,
    OptionId::ProfileRunCooldownSeconds,
    OptionId::ConfidenceLevel,
    OptionId::SetConsistentSeed,
    OptionId::VarySeedPerTrial,
    OptionId::ProfileRunDisableWarmupAfterFirst,
    OptionId::ConvergenceMetric,
    OptionId::ConvergenceStat,
    OptionId::ConvergenceMode,
    OptionId::ConvergenceThreshold,
    OptionId::ConvergenceMinRuns,
    OptionId::ParameterSweepCooldownSeconds,
    OptionId::ParameterSweepSameSeed,
    OptionId::ParameterSweepMode,
    OptionId::NoSweepTable,
    OptionId::SweepType,
    OptionId::Variant,
];

/// Options that need more than one run.
const OF_SEVERAL_RUNS: [OptionId; 4] = [
    OptionId::ProfileRunCooldownSeconds,
    OptionId::ProfileRunDisableWarmupAfterFirst,
    OptionId::VarySeedPerTrial,
    OptionId::SetConsistentSeed,
];

pub(crate) fn applies(id: OptionId) -> bool {
    OF_ALL_RUNS.contains(&id)
}

/// The options of the file that go for all of its runs.
pub(crate) fn options(file: &ConfigFile) -> Result<RawOptions, FileError> {
    let Some(section) = file.section("multi_run") else { return Ok(RawOptions::new()) };
    let mut options =
        read_section(file.name(), section, "multiRun", MULTI_RUN).map_err(|error| error.in_file(file.name()))?;
    // With one run these say nothing, and files have them so that the number alone can be changed.
    let is_single = options.get(OptionId::NumProfileRuns).is_none_or(|given| given.values == ["1"]);
    if is_single {
        for id in OF_SEVERAL_RUNS {
            options.remove(id);
        }
    }
    Ok(options)
}
