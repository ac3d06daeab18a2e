//! `multiRun`: how often each run is repeated, as options.

use aiperf_options::RawOptions;
use aiperf_options::catalogue::OptionId;

use crate::FileError;
use crate::body::read_section;
use crate::field::MULTI_RUN;
use crate::file::ConfigFile;

/// Options that go for all runs of an experiment, not for one.
const OF_ALL_RUNS: [OptionId; 20] = [
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
    OptionId::FailFast,
    OptionId::Resume,
    OptionId::DryRun,
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

/// The options of the file that go for all of its runs, with what has no effect. `typed`: the command line over the file.
pub(crate) fn options(
    file: &ConfigFile,
    typed: &RawOptions,
    is_sweep: bool,
) -> Result<(RawOptions, Vec<String>), FileError> {
    let Some(section) = file.section("multi_run") else { return Ok((RawOptions::new(), Vec::new())) };
    let mut options =
        read_section(file.name(), section, "multiRun", MULTI_RUN).map_err(|error| error.in_file(file.name()))?;
    let runs = typed.get(OptionId::NumProfileRuns).or_else(|| options.get(OptionId::NumProfileRuns));
    let is_single = runs.is_none_or(|given| given.values == ["1"]);
    let mut warnings = Vec::new();
    if is_single {
        // Files have these fields so that the number alone can be changed.
        for id in OF_SEVERAL_RUNS {
            let Some(given) = options.get(id) else { continue };
            // The points of a sweep share a seed too.
            if id != OptionId::SetConsistentSeed || !is_sweep {
                warnings.push(format!(
                    "{} has no effect: each configuration is run once (multiRun.numRuns is 1)",
                    given.spelling
                ));
                options.remove(id);
            }
        }
    }
    Ok((options, warnings))
}
