//! The files over all runs of a command, and what they say.

use std::path::PathBuf;

use aiperf_config::SweepOrder;
use aiperf_report::{
    Aggregate, AggregatePaths, Collated, SummaryFiles, SweepCell, SweepReport, Variation, write_aggregate,
    write_collated, write_post_process, write_sweep,
};

use super::collate::{self, RequestValues};
use super::figures::Figures;
use super::result::{CellResult, ExperimentResult, LEAST_SUCCESSES};
use super::series::TrialSeries;
use super::{aggregate, order, post_process, recipe, sla, sweep};

impl TrialSeries<'_> {
    pub(super) fn conclude(self) -> ExperimentResult {
        let mut files = SummaryFiles::default();
        let successful = self.successful();
        let enough = successful >= LEAST_SUCCESSES;
        let (mut cells, mut rows) = (Vec::new(), Vec::new());
        for cell in 0..self.experiment.cells.len() {
            let mut aggregate = self.aggregate(cell);
            if let Some(aggregate) = aggregate.as_ref().filter(|_| enough) {
                let paths = AggregatePaths::new(self.aggregate_folder(cell));
                add(&mut files, write_aggregate(aggregate, &paths));
                if self.experiment.trials.convergence.is_some() {
                    add(&mut files, write_collated(&self.collated(cell, aggregate), &paths));
                }
            }
            let title = self.experiment.sweep.is_some().then(|| self.experiment.cells[cell].title());
            let failed = self.failures(Some(cell), |slot| order::label(slot.trial)).collect();
            rows.extend(title.is_some().then(|| self.row(cell, aggregate.as_ref())));
            if let Some(aggregate) = &mut aggregate {
                aggregate.keep_key_figures();
            }
            cells.push(CellResult { title, aggregate, failed });
        }
        let mut sweep = self.sweep_report(&cells, rows, successful);
        let mut problem = None;
        if let Some(sweep) = sweep.as_mut().filter(|_| enough) {
            let paths = AggregatePaths::new(self.sweep_folder());
            let (handled, why) = self.post_process(sweep, &paths);
            problem = why;
            recipe::describe(&self.experiment, sweep);
            add(&mut files, write_sweep(sweep, &paths));
            add(&mut files, handled);
        }
        ExperimentResult {
            cells,
            sweep,
            files,
            runs: self.made(),
            kept: self.kept,
            successful,
            was_interrupted: self.was_interrupted,
            server_lost: self.server_lost,
            is_written: self.is_written && !self.lost_figures.get(),
            problem,
        }
    }

    pub(super) fn aggregate(&self, cell: usize) -> Option<Aggregate> {
        let good: Vec<_> = self.successes(cell).collect();
        let figures: Vec<&Figures> = good.iter().map(|(_, figures, _)| figures).collect();
        let (experiment, trials) = (&self.experiment, &self.experiment.trials);
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

    /// What the files of the sweep say of a cell.
    fn row(&self, cell: usize, aggregate: Option<&Aggregate>) -> SweepCell {
        let filters = self.experiment.sweep.as_ref().map_or(&[][..], |sweep| &sweep.sla_filters);
        let mut row = sweep::cell(self.experiment.cells[cell].values_by_name(), aggregate, self.only(cell).as_ref());
        row.breaches = (!filters.is_empty()).then(|| sla::breaches(&row, filters));
        row
    }

    fn sweep_report(&self, cells: &[CellResult], rows: Vec<SweepCell>, successful: usize) -> Option<SweepReport> {
        let plan = self.experiment.sweep.as_ref()?;
        let points: Vec<sweep::SweepPoint<'_>> = cells
            .iter()
            .zip(&rows)
            .enumerate()
            // The best points are among those that keep all limits.
            .filter(|(_, (_, row))| row.is_feasible())
            .filter_map(|(index, (cell, row))| {
                let aggregate = cell.aggregate.as_ref()?;
                Some(sweep::SweepPoint::new(&row.parameters, aggregate, self.only(index)))
            })
            .collect();
        let best = sweep::best(&points);
        Some(SweepReport {
            runs: self.made(),
            successful,
            failed: self
                .failed_repeats
                .iter()
                .cloned()
                .chain(self.failures(None, |slot| order::full_label(&self.experiment, slot)))
                .collect(),
            parameters: plan.parameters.clone(),
            mode: plan.order.name(),
            confidence_level: self.experiment.trials.confidence_level,
            trials: self.experiment.trials.count,
            cells: rows,
            best_throughput: best.throughput,
            best_latency: best.latency,
            pareto_optimal: best.pareto,
            sla_limits: plan.sla_filters.iter().map(sla::limit).collect(),
            post_process: None,
            pareto_axes: None,
            was_cancelled: self.was_interrupted,
        })
    }

    /// The file that is worked out from all points, or why there is none.
    fn post_process(&self, sweep: &mut SweepReport, paths: &AggregatePaths) -> (SummaryFiles, Option<String>) {
        let asked = self.experiment.sweep.as_ref().and_then(|sweep| sweep.post_process.as_ref());
        let Some(asked) = asked else { return (SummaryFiles::default(), None) };
        match post_process::process(&asked.handler, &sweep.cells) {
            Ok(value) => {
                sweep.post_process = Some((asked.handler.name(), asked.output_filename.clone()));
                (write_post_process(&value, &asked.output_filename, paths), None)
            }
            Err(why) => (
                SummaryFiles::default(),
                Some(format!(
                    "sweep.postProcess {}: {why}; {} was not written",
                    asked.handler.name(),
                    asked.output_filename
                )),
            ),
        }
    }

    /// The order of a sweep with several trials.
    fn trial_order(&self) -> Option<SweepOrder> {
        self.experiment.sweep.as_ref().map(|sweep| sweep.order).filter(|_| self.experiment.trials.count > 1)
    }

    fn aggregate_folder(&self, cell: usize) -> PathBuf {
        let (dir, cell) = (&self.experiment.dir, &self.experiment.cells[cell]);
        match self.trial_order() {
            Some(SweepOrder::Independent) => dir.join(cell.folder()).join("aggregate"),
            // Without a sweep a cell has no name.
            _ if cell.folder().is_empty() => dir.join("aggregate"),
            _ => dir.join("aggregate").join(cell.aggregate_folder()),
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
