//! Makes one run after the other.

use std::borrow::Cow;
use std::cell::Cell;
use std::error::Error;

use aiperf_config::{Convergence, Experiment, swept_parameters};
use aiperf_protocol::{RunEnding, RunOutcome, StopReason};
use aiperf_report::FailedRun;

use super::cell_source::{CellSource, MeasuredCell, MeasuredTrial};
use super::collate::RequestValues;
use super::figure_file::FigureFile;
use super::figures::Figures;
use super::order::{self, TrialSlot};
use super::packed_figures::PackedFigures;
use super::result::ExperimentResult;
use super::runner::{Pause, Runner, TrialError};
use super::{convergence, sla, sweep};

struct FinishedTrial {
    slot: TrialSlot,
    outcome: Result<(PackedFigures, RequestValues), String>,
}

/// Whether more runs may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Onward {
    Yes,
    No,
}

pub(super) struct TrialSeries<'a> {
    pub(super) experiment: Cow<'a, Experiment>,
    pub(super) version: &'a str,
    /// The same for all runs of one command.
    sweep_id: &'a str,
    trials: Vec<FinishedTrial>,
    /// Where the numbers of finished runs are; opened with the first of them.
    figure_file: Option<FigureFile>,
    /// Numbers of a run could not be read back.
    pub(super) lost_figures: Cell<bool>,
    before: Option<TrialSlot>,
    /// Runs of points that a search asked for again.
    repeated: usize,
    /// Those of them that failed.
    pub(super) failed_repeats: Vec<FailedRun>,
    /// Runs that an earlier command made.
    pub(super) kept: usize,
    pub(super) was_interrupted: bool,
    /// A run was ended because the server could not be reached.
    pub(super) server_lost: bool,
    pub(super) is_written: bool,
}

/// Makes all runs; `sweep_id` is the same for all of them. The only error is that of a first run which cannot even be prepared: then nothing was written.
pub fn run_trials(
    experiment: &Experiment,
    version: &str,
    sweep_id: &str,
    runner: &mut dyn Runner,
) -> Result<ExperimentResult, Box<dyn Error + Send + Sync>> {
    let mut series = TrialSeries::new(experiment, version, sweep_id)?;
    series.make_all(runner)?;
    Ok(series.conclude())
}

/// Makes the runs of all points that `source` asks for. `experiment` says how each of them is run; its own cells are the first
/// points, and may be none.
pub fn run_search(
    experiment: &Experiment,
    version: &str,
    sweep_id: &str,
    runner: &mut dyn Runner,
    source: &mut dyn CellSource,
) -> Result<ExperimentResult, Box<dyn Error + Send + Sync>> {
    let mut series = TrialSeries::new(experiment, version, sweep_id)?;
    series.search(runner, source)?;
    series.keep_last_of_equal_points();
    Ok(series.conclude())
}

impl<'a> TrialSeries<'a> {
    fn new(
        experiment: &'a Experiment,
        version: &'a str,
        sweep_id: &'a str,
    ) -> Result<Self, Box<dyn Error + Send + Sync>> {
        if let Some(rule) = &experiment.trials.convergence {
            convergence::check(rule, experiment)?;
        }
        sla::check(experiment)?;
        Ok(Self {
            experiment: Cow::Borrowed(experiment),
            version,
            sweep_id,
            trials: Vec::new(),
            figure_file: None,
            lost_figures: Cell::new(false),
            before: None,
            repeated: 0,
            failed_repeats: Vec::new(),
            kept: 0,
            was_interrupted: false,
            server_lost: false,
            is_written: true,
        })
    }

    fn make_all(&mut self, runner: &mut dyn Runner) -> Result<(), Box<dyn Error + Send + Sync>> {
        for (slot, place) in order::slots(&self.experiment).into_iter().zip(0..) {
            if self.make(runner, slot, place)? == Onward::No {
                break;
            }
        }
        Ok(())
    }

    fn search(
        &mut self,
        runner: &mut dyn Runner,
        source: &mut dyn CellSource,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        while let Some(cell) = source.next_cell()? {
            self.experiment.to_mut().cells.push(cell);
            let index = self.experiment.cells.len() - 1;
            for trial in 0..self.experiment.trials.count {
                let slot = TrialSlot { cell: index, trial };
                let place = self.trials.len();
                if self.make(runner, slot, place)? == Onward::No {
                    return Ok(());
                }
            }
            source.tell(&self.measured(index));
        }
        Ok(())
    }

    /// What is written about all points has each of them once, with the runs of the last time that it gave numbers.
    fn keep_last_of_equal_points(&mut self) {
        let has_numbers: Vec<bool> =
            (0..self.experiment.cells.len()).map(|cell| self.successes(cell).next().is_some()).collect();
        let labels: Vec<String> =
            self.failures(None, |slot| order::full_label(&self.experiment, slot)).map(|run| run.label).collect();
        let experiment = self.experiment.to_mut();
        let all = std::mem::take(&mut experiment.cells);
        let mut kept: Vec<usize> = Vec::new();
        for (index, cell) in all.iter().enumerate() {
            match kept.iter().position(|known| all[*known].values_by_path() == cell.values_by_path()) {
                Some(place) if has_numbers[index] || !has_numbers[kept[place]] => kept[place] = index,
                Some(_) => {}
                None => kept.push(index),
            }
        }
        let mut labels = labels.into_iter();
        for mut trial in std::mem::take(&mut self.trials) {
            let label = trial.outcome.as_ref().err().and_then(|_| labels.next());
            if let Some(cell) = kept.iter().position(|known| *known == trial.slot.cell) {
                trial.slot.cell = cell;
                self.trials.push(trial);
            } else {
                self.repeated += 1;
                let failed = trial.outcome.err().map(|error| FailedRun { label: label.unwrap_or_default(), error });
                self.failed_repeats.extend(failed);
            }
        }
        let as_point = |index: &usize| {
            let mut cell = all[*index].clone();
            let folder = cell.title_as_folder();
            if let Some(variation) = &mut cell.variation {
                variation.folder = folder;
            }
            cell
        };
        experiment.cells = kept.iter().map(as_point).collect();
        let values =
            experiment.cells.iter().flat_map(|cell| cell.variation.iter().flat_map(|variation| &variation.values));
        let parameters = swept_parameters(values.map(|(path, value)| (path.as_str(), value)));
        if let Some(sweep) = &mut experiment.sweep {
            sweep.parameters = parameters;
        }
    }

    /// Makes one run, unless it is not needed. `place`: among all runs there may be.
    fn make(
        &mut self,
        runner: &mut dyn Runner,
        slot: TrialSlot,
        place: usize,
    ) -> Result<Onward, Box<dyn Error + Send + Sync>> {
        if self.has_settled(slot.cell) {
            return Ok(Onward::Yes);
        }
        let assignment = order::assignment(&self.experiment, slot, place, self.sweep_id);
        let name = assignment.name.clone();
        let made = if let Some(kept) = runner.kept(&assignment) {
            self.kept += 1;
            Ok(kept)
        } else {
            if let Some(before) = self.before {
                let length = order::pause(&self.experiment, before, slot);
                if !length.is_zero() && runner.pause(length) == Pause::Interrupted {
                    self.was_interrupted = true;
                    return Ok(Onward::No);
                }
            }
            self.before = Some(slot);
            runner.run(assignment)
        };
        let outcome = match made {
            Ok(finished) => {
                self.is_written &= finished.is_written;
                let RunEnding { outcome, reason } = finished.ending;
                self.was_interrupted |= outcome.is_interrupted();
                self.server_lost |= outcome == RunOutcome::Stopped(StopReason::Unreachable);
                if outcome.is_complete() {
                    if self.figure_file.is_none() {
                        self.figure_file = FigureFile::open(&self.experiment.dir);
                    }
                    let before = self.trials.iter().rev().find_map(|trial| trial.outcome.as_ref().ok());
                    let figures = PackedFigures::new(
                        &finished.figures,
                        before.map(|(figures, _)| figures),
                        self.figure_file.as_ref(),
                    );
                    Ok((figures, finished.values))
                } else {
                    Err(reason.unwrap_or_else(|| "interrupted before it was done".to_owned()))
                }
            }
            Err(TrialError::NotPrepared(error)) if self.trials.is_empty() => return Err(error),
            Err(TrialError::NotPrepared(error) | TrialError::Broken(error)) => Err(error.to_string()),
        };
        let has_failed = outcome.is_err();
        if let Err(why) = &outcome {
            log::error!("{name} failed: {why}");
        }
        self.trials.push(FinishedTrial { slot, outcome });
        if self.server_lost {
            // Each further run would wait as long, and find no server either.
            log::error!("No further runs are started: the server cannot be reached");
        } else if has_failed && self.experiment.stops_at_failure && !self.was_interrupted {
            log::error!("No further runs are started because of --fail-fast");
            return Ok(Onward::No);
        }
        Ok(if self.was_interrupted || self.server_lost { Onward::No } else { Onward::Yes })
    }

    /// What is known of a point of a search.
    fn measured(&self, index: usize) -> MeasuredCell {
        let parameters = self.experiment.cells[index].values_by_name();
        let aggregate = self.aggregate(index);
        let trial =
            |(_, figures, values): (String, Figures, &RequestValues)| MeasuredTrial { figures, values: values.clone() };
        MeasuredCell {
            index,
            trials: self.successes(index).map(trial).collect(),
            cell: sweep::cell(parameters, aggregate.as_ref(), self.only(index).as_ref()),
            failed: self.failures(Some(index), |slot| order::label(slot.trial)).collect(),
        }
    }

    /// Whether the rule, if there is one, says that a cell needs no more trials.
    fn has_settled(&self, cell: usize) -> bool {
        self.experiment.trials.convergence.as_ref().is_some_and(|rule| self.convergence(rule, cell).converged)
    }

    pub(super) fn convergence(&self, rule: &Convergence, cell: usize) -> aiperf_report::Settled {
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

    pub(super) fn made(&self) -> usize {
        self.trials.len() + self.repeated
    }

    pub(super) fn successful(&self) -> usize {
        let of_repeats = self.repeated - self.failed_repeats.len();
        self.trials.iter().filter(|trial| trial.outcome.is_ok()).count() + of_repeats
    }

    /// The figures of the only run of a cell, if each cell has one run.
    pub(super) fn only(&self, cell: usize) -> Option<Figures> {
        let single = self.experiment.trials.count == 1;
        self.successes(cell).next().map(|(_, figures, _)| figures).filter(|_| single)
    }

    pub(super) fn successes(&self, cell: usize) -> impl Iterator<Item = (String, Figures, &RequestValues)> {
        self.trials.iter().filter(move |trial| trial.slot.cell == cell).filter_map(|trial| {
            let (figures, values) = trial.outcome.as_ref().ok()?;
            match figures.unpack() {
                Ok(figures) => Some((order::label(trial.slot.trial), figures, values)),
                Err(cause) => {
                    self.lost_figures.set(true);
                    let run = order::full_label(&self.experiment, trial.slot);
                    log::error!("The numbers of {run} cannot be read back from a temporary file: {cause}; its own files have them");
                    None
                }
            }
        })
    }

    pub(super) fn failures<'b>(
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
}
