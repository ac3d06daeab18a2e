//! Makes one run after the other, and aggregates their results.

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use aiperf_config::{Convergence, Experiment, SweepOrder};
use aiperf_protocol::{RunEnding, RunOutcome, StopReason};
use aiperf_report::{
    Aggregate, AggregatePaths, Collated, FailedRun, SummaryFiles, SweepReport, Variation, write_aggregate,
    write_collated, write_sweep,
};
use aiperf_seed::Stream;

use super::collate::{self, RequestValues};
use super::figures::Figures;
use super::order::{self, TrialAssignment, TrialSlot};
use super::{aggregate, convergence, sweep};
use crate::run::RunResult;

/// Successful runs that statistics across runs need.
const LEAST_SUCCESSES: usize = 2;

/// Makes single runs.
pub trait Runner {
    fn run(&mut self, assignment: TrialAssignment) -> Result<TrialResult, TrialError>;

    /// Waits between two runs.
    fn pause(&mut self, length: Duration) -> Pause;
}

/// Why a run has no result.
#[derive(Debug)]
pub enum TrialError {
    /// It could not even be prepared; nothing was written.
    NotPrepared(Box<dyn Error + Send + Sync>),
    /// It broke off without a summary.
    Broken(Box<dyn Error + Send + Sync>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    Over,
    /// Someone wants everything to end.
    Interrupted,
}

/// A run that came to some end.
#[derive(Debug, Clone)]
pub struct TrialResult {
    pub ending: RunEnding,
    pub figures: Figures,
    pub values: RequestValues,
    /// All its files were written.
    pub is_written: bool,
}

impl TrialResult {
    pub fn of(result: RunResult) -> Self {
        Self {
            figures: Figures::of(&result.report.profiling.summary),
            is_written: result.files.failed.is_empty(),
            values: result.values,
            ending: result.report.ending,
        }
    }
}

/// One configuration after all of its trials.
#[derive(Debug)]
pub struct CellResult {
    /// The values that distinguish it; `None` without a sweep.
    pub title: Option<String>,
    /// `None` if none of its runs succeeded.
    pub aggregate: Option<Aggregate>,
    /// Those that gave no numbers.
    pub failed: Vec<FailedRun>,
}

/// All runs of one command together.
#[derive(Debug)]
pub struct ExperimentResult {
    pub cells: Vec<CellResult>,
    pub sweep: Option<SweepReport>,
    /// Those over several runs.
    pub files: SummaryFiles,
    pub runs: usize,
    pub successful: usize,
    pub was_interrupted: bool,
    /// The server could not be reached any more, and further runs were not made.
    pub server_lost: bool,
    /// All files of all runs were written.
    pub is_written: bool,
}

impl ExperimentResult {
    /// Whether enough runs succeeded to speak of several.
    pub fn is_enough(&self) -> bool {
        self.successful >= LEAST_SUCCESSES
    }
}

struct FinishedTrial {
    slot: TrialSlot,
    outcome: Result<(Figures, RequestValues), String>,
}

struct TrialSeries<'a> {
    experiment: &'a Experiment,
    version: &'a str,
    trials: Vec<FinishedTrial>,
    was_interrupted: bool,
    /// A run was ended because the server could not be reached.
    server_lost: bool,
    is_written: bool,
}

/// Makes all runs. The only error is that of a first run which cannot even be prepared: then nothing was written.
pub fn run_trials(
    experiment: &Experiment,
    version: &str,
    runner: &mut dyn Runner,
) -> Result<ExperimentResult, Box<dyn Error + Send + Sync>> {
    if let Some(rule) = &experiment.trials.convergence {
        convergence::check(rule, experiment)?;
    }
    let mut series = TrialSeries {
        experiment,
        version,
        trials: Vec::new(),
        was_interrupted: false,
        server_lost: false,
        is_written: true,
    };
    series.make(runner)?;
    Ok(series.conclude())
}

impl TrialSeries<'_> {
    fn make(&mut self, runner: &mut dyn Runner) -> Result<(), Box<dyn Error + Send + Sync>> {
        let sweep_id = Stream::from_entropy().uuid().to_string();
        let mut before: Option<TrialSlot> = None;
        for slot in order::slots(self.experiment) {
            if self.has_settled(slot.cell) {
                continue;
            }
            if let Some(before) = before {
                let length = order::pause(self.experiment, before, slot);
                if !length.is_zero() && runner.pause(length) == Pause::Interrupted {
                    self.was_interrupted = true;
                    break;
                }
            }
            before = Some(slot);
            let assignment = order::assignment(self.experiment, slot, self.trials.len() + 1, &sweep_id);
            let name = assignment.name.clone();
            let outcome = match runner.run(assignment) {
                Ok(finished) => {
                    self.is_written &= finished.is_written;
                    let RunEnding { outcome, reason } = finished.ending;
                    self.was_interrupted |= outcome.is_interrupted();
                    self.server_lost |= outcome == RunOutcome::Stopped(StopReason::Unreachable);
                    if outcome.is_complete() {
                        Ok((finished.figures, finished.values))
                    } else {
                        Err(reason.unwrap_or_else(|| "interrupted before it was done".to_owned()))
                    }
                }
                Err(TrialError::NotPrepared(error)) if self.trials.is_empty() => return Err(error),
                Err(TrialError::NotPrepared(error) | TrialError::Broken(error)) => Err(error.to_string()),
            };
            if let Err(why) = &outcome {
                log::error!("{name} failed: {why}");
            }
            self.trials.push(FinishedTrial { slot, outcome });
            if self.server_lost {
                // Each further run would wait as long, and find no server either.
                log::error!("No further runs are started: the server cannot be reached");
            }
            if self.was_interrupted || self.server_lost {
                break;
            }
        }
        Ok(())
    }

    /// Whether the rule, if there is one, says that a cell needs no more trials.
    fn has_settled(&self, cell: usize) -> bool {
        self.experiment.trials.convergence.as_ref().is_some_and(|rule| self.convergence(rule, cell).converged)
    }

    fn convergence(&self, rule: &Convergence, cell: usize) -> aiperf_report::Settled {
        let good: Vec<_> = self.successes(cell).collect();
        let evidence: Vec<convergence::TrialFigures<'_>> = good
            .iter()
            .map(|(_, figures, values)| convergence::TrialFigures {
                figure: figures.get(&rule.metric, rule.stat.name()),
                values: values.iter().find(|(metric, _)| metric.tag() == rule.metric).map_or(&[], |(_, values)| values),
            })
            .collect();
        let trials = &self.experiment.trials;
        convergence::evaluate(rule, trials.confidence_level, trials.count, &evidence)
    }

    fn successes(&self, cell: usize) -> impl Iterator<Item = (String, &Figures, &RequestValues)> {
        self.trials.iter().filter(move |trial| trial.slot.cell == cell).filter_map(|trial| {
            let (figures, values) = trial.outcome.as_ref().ok()?;
            Some((order::label(trial.slot.trial), figures, values))
        })
    }

    fn failures<'b>(
        &'b self,
        cell: Option<usize>,
        name: impl Fn(TrialSlot) -> String + 'b,
    ) -> impl Iterator<Item = FailedRun> + 'b {
        let of_cell = move |trial: &&FinishedTrial| cell.is_none_or(|cell| trial.slot.cell == cell);
        self.trials.iter().filter(of_cell).filter_map(move |trial| {
            let error = trial.outcome.as_ref().err()?.clone();
            Some(FailedRun { label: name(trial.slot), error })
        })
    }

    fn conclude(self) -> ExperimentResult {
        let mut files = SummaryFiles::default();
        let successful = self.trials.iter().filter(|trial| trial.outcome.is_ok()).count();
        let enough = successful >= LEAST_SUCCESSES;
        let mut cells = Vec::new();
        for cell in 0..self.experiment.cells.len() {
            let aggregate = self.aggregate(cell);
            if let Some(aggregate) = aggregate.as_ref().filter(|_| enough) {
                let paths = AggregatePaths::new(self.aggregate_folder(cell));
                add(&mut files, write_aggregate(aggregate, &paths));
                if self.experiment.trials.convergence.is_some() {
                    add(&mut files, write_collated(&self.collated(cell, aggregate), &paths));
                }
            }
            let title = self.experiment.sweep.is_some().then(|| self.title(cell));
            let failed = self.failures(Some(cell), |slot| order::label(slot.trial)).collect();
            cells.push(CellResult { title, aggregate, failed });
        }
        let sweep = self.sweep_report(&cells, successful);
        if let Some(sweep) = sweep.as_ref().filter(|_| enough) {
            add(&mut files, write_sweep(sweep, &AggregatePaths::new(self.sweep_folder())));
        }
        ExperimentResult {
            cells,
            sweep,
            files,
            runs: self.trials.len(),
            successful,
            was_interrupted: self.was_interrupted,
            server_lost: self.server_lost,
            is_written: self.is_written,
        }
    }

    fn title(&self, cell: usize) -> String {
        self.experiment.cells[cell].title()
    }

    fn aggregate(&self, cell: usize) -> Option<Aggregate> {
        let good: Vec<_> = self.successes(cell).collect();
        let figures: Vec<&Figures> = good.iter().map(|(_, figures, _)| *figures).collect();
        let (experiment, trials) = (self.experiment, &self.experiment.trials);
        let described = &experiment.cells[cell];
        let variation = experiment.sweep.as_ref().map(|sweep| {
            let variation =
                Variation { index: cell, label: described.label().to_owned(), values: described.values_by_path() };
            (variation, sweep.order.name())
        });
        (!figures.is_empty()).then(|| Aggregate {
            aiperf_version: self.version.to_owned(),
            run_labels: good.iter().map(|(label, ..)| label.clone()).collect(),
            failed: self.failures(Some(cell), |slot| order::label(slot.trial)).collect(),
            confidence_level: trials.confidence_level,
            cooldown_seconds: trials.cooldown.as_secs_f64(),
            variation,
            model: described.config.dataset.models.first().map(ToString::to_string).unwrap_or_default(),
            settled: trials.convergence.as_ref().map(|rule| self.convergence(rule, cell)),
            was_cancelled: self.was_interrupted,
            metrics: aggregate::over_runs(&figures, trials.confidence_level),
        })
    }

    fn collated(&self, cell: usize, aggregate: &Aggregate) -> Collated {
        let good: Vec<_> = self.successes(cell).collect();
        let runs: Vec<(&str, &RequestValues)> =
            good.iter().map(|(label, _, values)| (label.as_str(), *values)).collect();
        Collated {
            aiperf_version: self.version.to_owned(),
            run_labels: aggregate.run_labels.clone(),
            failed: aggregate.failed.clone(),
            cooldown_seconds: aggregate.cooldown_seconds,
            metrics: collate::over_runs(&runs),
        }
    }

    fn sweep_report(&self, cells: &[CellResult], successful: usize) -> Option<SweepReport> {
        let plan = self.experiment.sweep.as_ref()?;
        let single = self.experiment.trials.count == 1;
        let parameters: Vec<_> = self.experiment.cells.iter().map(aiperf_config::Cell::values_by_name).collect();
        let points: Vec<sweep::SweepPoint<'_>> = cells
            .iter()
            .zip(&parameters)
            .enumerate()
            .filter_map(|(index, (cell, parameters))| {
                let only = self.successes(index).next().map(|(_, figures, _)| figures).filter(|_| single);
                Some(sweep::SweepPoint { parameters, aggregate: cell.aggregate.as_ref()?, only })
            })
            .collect();
        let best = sweep::best(&points);
        let rows = cells.iter().zip(&parameters).enumerate().map(|(index, (cell, parameters))| {
            let only = self.successes(index).next().map(|(_, figures, _)| figures).filter(|_| single);
            sweep::cell(parameters.clone(), cell.aggregate.as_ref(), only)
        });
        Some(SweepReport {
            runs: self.trials.len(),
            successful,
            failed: self.failures(None, |slot| order::full_label(self.experiment, slot)).collect(),
            parameters: plan.parameters.clone(),
            mode: plan.order.name(),
            confidence_level: self.experiment.trials.confidence_level,
            trials: self.experiment.trials.count,
            cells: rows.collect(),
            best_throughput: best.throughput,
            best_latency: best.latency,
            pareto_optimal: best.pareto,
            was_cancelled: self.was_interrupted,
        })
    }

    /// The order of a sweep with several trials.
    fn trial_order(&self) -> Option<SweepOrder> {
        self.experiment.sweep.as_ref().map(|sweep| sweep.order).filter(|_| self.experiment.trials.count > 1)
    }

    fn aggregate_folder(&self, cell: usize) -> PathBuf {
        let (dir, cell) = (&self.experiment.dir, self.experiment.cells[cell].folder());
        match self.trial_order() {
            Some(SweepOrder::Independent) => dir.join(cell).join("aggregate"),
            // Without a sweep a cell has no name.
            _ if cell.is_empty() => dir.join("aggregate"),
            _ => dir.join("aggregate").join(cell),
        }
    }

    fn sweep_folder(&self) -> PathBuf {
        match self.trial_order() {
            Some(SweepOrder::Repeated) => self.experiment.dir.join("aggregate").join("sweep_aggregate"),
            _ => self.experiment.dir.join("sweep_aggregate"),
        }
    }
}

fn add(files: &mut SummaryFiles, more: SummaryFiles) {
    files.written.extend(more.written);
    files.failed.extend(more.failed);
}
