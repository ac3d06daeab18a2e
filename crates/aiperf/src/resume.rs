//! `--resume`: which runs of an earlier command are kept, and whether this command means the same runs.

use std::path::Path;

use aiperf_artifact::{Folder, check};
use aiperf_config::Experiment;
use aiperf_experiment::{ExperimentPlan, TrialAssignment, TrialMark};
use aiperf_options::catalogue::OptionId;

use crate::build::VERSION;

/// Options that say how runs are shown or ended, not what is measured.
const NOT_MEASURED: [OptionId; 19] = [
    OptionId::Resume,
    OptionId::DryRun,
    OptionId::FailFast,
    OptionId::OutputArtifactDir,
    OptionId::Overwrite,
    OptionId::NoSweepTable,
    OptionId::UiType,
    OptionId::Verbose,
    OptionId::ExtraVerbose,
    OptionId::LogLevel,
    OptionId::Quiet,
    OptionId::Json,
    OptionId::Html,
    OptionId::AutoPlot,
    OptionId::PlotRequired,
    OptionId::StatsInterval,
    OptionId::ApiPort,
    OptionId::ApiHost,
    OptionId::ApiKey,
];

/// Differences that are shown one by one.
const LISTED: usize = 20;

/// The plan of this command: a new one, or the one that it resumes.
pub(crate) fn plan(experiment: &Experiment) -> anyhow::Result<ExperimentPlan> {
    let new = ExperimentPlan::new(experiment, VERSION);
    if !experiment.resumes {
        return Ok(new);
    }
    let dir = &experiment.dir;
    let earlier = ExperimentPlan::read(dir).map_err(|problem| anyhow::anyhow!("--resume: {problem}"))?;
    let names: Vec<String> = NOT_MEASURED.iter().map(|id| id.spec().name().to_owned()).collect();
    let differences = earlier.differences(&new, &names);
    if !differences.is_empty() {
        let more = differences.len().saturating_sub(LISTED);
        let mut lines: Vec<String> = differences.into_iter().take(LISTED).collect();
        if more > 0 {
            lines.push(format!("and {more} more"));
        }
        anyhow::bail!(
            "--resume {}: this command differs from the one that began there, so its results would not belong together:\n  \
             {}\nTo continue, use the same settings (`--resume {}` alone repeats the command). To measure the new settings, \
             choose another folder with --artifact-dir",
            dir.display(),
            lines.join("\n  "),
            dir.display()
        );
    }
    if earlier.version() != VERSION {
        log::warn!(
            "{} was begun with aiperf {}; its remaining runs are made with aiperf {VERSION}",
            dir.display(),
            earlier.version()
        );
    }
    Ok(earlier)
}

/// The mark of a run that is complete and whose files are whole; otherwise the run must be made again.
pub(crate) fn kept(assignment: &TrialAssignment) -> Option<TrialMark> {
    let mark = TrialMark::read(assignment)?;
    match problem(&assignment.config.output.dir) {
        None => Some(mark),
        Some(problem) => {
            log::warn!("{} is made again: its files are not as they were written: {problem}", assignment.name);
            None
        }
    }
}

/// The first finding of `aiperf validate`.
fn problem(dir: &Path) -> Option<String> {
    match Folder::open(dir).and_then(|folder| check(&folder, VERSION)) {
        Ok(checked) => checked.findings.first().map(ToString::to_string),
        Err(error) => Some(error.to_string()),
    }
}
