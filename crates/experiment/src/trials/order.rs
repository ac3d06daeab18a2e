//! In which order runs follow each other, where their files go, and how long the pauses between them are.

use std::path::PathBuf;
use std::time::Duration;

use aiperf_config::{Config, Experiment, SweepOrder};
use aiperf_report::{RunPlace, Variation};

use super::seeds;

/// One run that is to be made.
#[derive(Debug, Clone)]
pub struct TrialAssignment {
    pub config: Config,
    pub place: RunPlace,
    /// Its values are wanted, not only their statistics.
    pub keeps_values: bool,
    /// `Run 2 of 6 (concurrency 2, trial 1)`.
    pub name: String,
    /// `concurrency 2, trial 1`: what sets it apart from the others.
    pub title: String,
    /// Its place among all runs there may be, from 0.
    pub number: usize,
}

/// Which point of the sweep, and which repetition of it, both from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TrialSlot {
    pub(crate) cell: usize,
    pub(crate) trial: u32,
}

/// All runs there may be, in order.
pub(crate) fn slots(experiment: &Experiment) -> Vec<TrialSlot> {
    let (cells, trials) = (experiment.cells.len(), experiment.trials.count);
    match experiment.sweep.as_ref().map(|sweep| sweep.order) {
        Some(SweepOrder::Repeated) => {
            (0..trials).flat_map(|trial| (0..cells).map(move |cell| TrialSlot { cell, trial })).collect()
        }
        Some(SweepOrder::Independent) | None => {
            (0..cells).flat_map(|cell| (0..trials).map(move |trial| TrialSlot { cell, trial })).collect()
        }
    }
}

/// The pause between two runs that follow each other: that of the loop which goes on.
pub(crate) fn pause(experiment: &Experiment, before: TrialSlot, after: TrialSlot) -> Duration {
    let trials = experiment.trials.cooldown;
    let Some(sweep) = &experiment.sweep else { return trials };
    let next_trial = match sweep.order {
        _ if experiment.search.is_some() => before.cell == after.cell,
        SweepOrder::Repeated => before.trial != after.trial,
        SweepOrder::Independent => before.cell == after.cell,
    };
    if next_trial { trials } else { sweep.cooldown }
}

pub(crate) fn label(trial: u32) -> String {
    format!("run_{:04}", trial + 1)
}

/// The label of a run where several cells have one of that name.
pub(crate) fn full_label(experiment: &Experiment, slot: TrialSlot) -> String {
    let label = label(slot.trial);
    match experiment.sweep {
        Some(_) => format!("{}/{label}", experiment.cells[slot.cell].folder()),
        None => label,
    }
}

/// Where the files of one run go.
fn folder(experiment: &Experiment, slot: TrialSlot) -> PathBuf {
    let (dir, cell) = (&experiment.dir, experiment.cells[slot.cell].folder());
    let trial = format!("trial_{:04}", slot.trial + 1);
    if experiment.search.is_some() {
        return dir.join(cell).join("profile_runs").join(label(slot.trial));
    }
    match &experiment.sweep {
        None => dir.join("profile_runs").join(label(slot.trial)),
        Some(_) if experiment.trials.count == 1 => dir.join(cell),
        Some(sweep) if sweep.order == SweepOrder::Repeated => dir.join("profile_runs").join(trial).join(cell),
        Some(_) => dir.join(cell).join("profile_runs").join(trial),
    }
}

/// `number`: its place among all runs there may be, from 0.
pub(crate) fn assignment(experiment: &Experiment, slot: TrialSlot, number: usize, sweep_id: &str) -> TrialAssignment {
    let cell = &experiment.cells[slot.cell];
    let mut config = cell.config.clone();
    config.output.dir = folder(experiment, slot);
    let seed = if experiment.search.is_some() { seeds::of_point } else { seeds::of_run };
    config.random_seed = seed(&experiment.seeds, slot.cell, cell.label(), slot.trial);
    // The warmup of a replay brings its sessions to where they go on: it is part of it.
    if slot.trial > 0 && experiment.trials.warmup_only_first && !config.phases.profiling().pace.is_agentic() {
        config.phases.remove_warmups();
    }
    let variation = Variation { index: slot.cell, label: cell.label().to_owned(), values: cell.values_by_path() };
    TrialAssignment {
        config,
        place: RunPlace { sweep_id: sweep_id.to_owned(), trial: slot.trial, label: label(slot.trial), variation },
        keeps_values: experiment.trials.convergence.is_some()
            || experiment.search.as_ref().is_some_and(|search| search.spec.needs_values()),
        name: name(experiment, slot, number + 1),
        title: what(experiment, slot).join(", "),
        number,
    }
}

/// All runs there may be, in order.
pub fn assignments(experiment: &Experiment, sweep_id: &str) -> Vec<TrialAssignment> {
    let slots = slots(experiment).into_iter().zip(0..);
    slots.map(|(slot, number)| assignment(experiment, slot, number, sweep_id)).collect()
}

/// The names of all runs there may be, in order: the values that distinguish them, and the trial.
pub fn run_names(experiment: &Experiment) -> Vec<String> {
    if let Some(search) = &experiment.search {
        // Its points are not known before they are asked for.
        let most = search.spec.max_iterations * experiment.trials.count as usize;
        return (1..=most).map(|number| format!("run {number}")).collect();
    }
    let name = |(slot, number): (TrialSlot, usize)| match what(experiment, slot) {
        words if words.is_empty() => format!("run {number}"),
        words => words.join(", "),
    };
    slots(experiment).into_iter().zip(1..).map(name).collect()
}

fn name(experiment: &Experiment, slot: TrialSlot, number: usize) -> String {
    let words = what(experiment, slot);
    let what = if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) };
    if let Some(search) = &experiment.search {
        return format!(
            "Run {number} of at most {}{what}",
            search.spec.max_iterations * experiment.trials.count as usize
        );
    }
    let most = (experiment.cells.len() * experiment.trials.count as usize).max(number);
    format!("Run {number} of {most}{what}")
}

/// What sets a run apart from the others, in words.
fn what(experiment: &Experiment, slot: TrialSlot) -> Vec<String> {
    let title = experiment.cells[slot.cell].title();
    let mut words: Vec<String> = Some(title).filter(|title| !title.is_empty()).into_iter().collect();
    if experiment.sweep.is_some() && experiment.trials.count > 1 {
        words.push(format!("trial {}", slot.trial + 1));
    }
    words
}
