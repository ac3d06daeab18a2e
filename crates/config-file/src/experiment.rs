//! From a file and a command line to the runs that they describe.

use aiperf_config::{Cell, CellVariation, Config, Environment, Experiment};
use aiperf_options::catalogue::{Arity, OptionId};
use aiperf_options::{ConfigError, RawOptions};
use serde_json::Value;
use thiserror::Error;

use crate::body::FileRunOptions;
use crate::field::WARMUP_OPTIONS;
use crate::file::ConfigFile;
use crate::multi_run;
use crate::sweep::Variation;
use crate::{FileError, command_line};

/// Why a file and a command line do not describe runs.
#[derive(Debug, Error)]
pub enum ConfigFileError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Options(#[from] ConfigError),
    /// A cell of a sweep is wrong, and the base may be right.
    #[error("{label}: {error}")]
    Cell { label: String, error: ConfigError },
}

impl ConfigFile {
    /// The runs that this file describes with `typed`, the options of the command line, laid over it.
    pub fn experiment(&self, typed: &RawOptions, environment: &Environment) -> Result<Experiment, ConfigFileError> {
        if let Some((given, reason)) = command_line::refused(typed) {
            let flag = given.spelling.clone();
            return Err(
                ConfigError::Conflict { first: flag, second: self.name().to_owned(), why: reason.to_owned() }.into()
            );
        }
        let file = self.with_lists(&command_line::lists(typed))?;
        let variations = file.variations()?;
        let sweep = file.sweep()?;
        let is_sweep = sweep.type_name().is_some();
        let mut whole = multi_run::options(self)?;
        sweep.common.put_into(&mut whole, self.name());
        if let Some(seed) = self.random_seed()? {
            whole.set(OptionId::RandomSeed, format!("randomSeed ({})", self.name()), vec![seed]);
        }
        if let Some(hidden) = self.no_sweep_table()? {
            whole.set(OptionId::NoSweepTable, format!("noSweepTable ({})", self.name()), vec![hidden.to_string()]);
        }
        command_line::lay_over(&mut whole, typed, |id| multi_run::applies(id) || id == OptionId::RandomSeed);
        let mut cells = Vec::with_capacity(variations.len());
        for variation in &variations {
            let config = file.config(variation, typed, environment)?;
            let place = is_sweep.then(|| CellVariation {
                label: variation.label.clone(),
                folder: variation.dir_name.clone(),
                values: variation.values.iter().map(|(path, value)| (path.clone(), value.clone())).collect(),
            });
            cells.push(Cell { config, variation: place });
        }
        let sweep = if is_sweep { Some(whole.resolve_sweep(parameters(&variations))?) } else { None };
        Ok(whole.resolve_trials(cells, sweep)?)
    }

    /// The configuration of one cell.
    fn config(
        &self,
        variation: &Variation,
        typed: &RawOptions,
        environment: &Environment,
    ) -> Result<Config, ConfigFileError> {
        let FileRunOptions { mut run, mut phases, warnings } = self.options(variation)?;
        if let Some(seed) = self.random_seed()? {
            run.set(OptionId::RandomSeed, format!("randomSeed ({})", self.name()), vec![seed]);
        }
        command_line::lay_over_phases(&mut run, &mut phases, typed, &variation.values, self.name())?;
        for phase in &mut phases {
            phase.options.extend(run.clone());
        }
        let in_cell = |error: ConfigError| {
            if variation.values.is_empty() {
                ConfigFileError::Options(error)
            } else {
                ConfigFileError::Cell { label: variation.label.clone(), error }
            }
        };
        let main = phases.iter().find(|phase| phase.is_measured());
        let main = main.ok_or(ConfigFileError::Options(ConfigError::NoMeasuredPhase))?;
        let mut config = main.options.resolve_phases(&phases, environment).map_err(in_cell)?;
        config.command_line = typed.repeat(&environment.variables);
        config.warnings.extend(self.warnings().iter().cloned().chain(warnings));
        Ok(config)
    }
}

/// What is varied, by the names that tables have for it, with all values in order of appearance.
fn parameters(variations: &[Variation]) -> Vec<(String, Vec<Value>)> {
    let mut parameters: Vec<(String, Vec<Value>)> = Vec::new();
    for (path, value) in variations.iter().flat_map(|variation| &variation.values) {
        let name = aiperf_config::short_path(path);
        match parameters.iter_mut().find(|(known, _)| known == name) {
            Some((_, values)) if values.contains(value) => {}
            Some((_, values)) => values.push(value.clone()),
            None => parameters.push((name.to_owned(), vec![value.clone()])),
        }
    }
    parameters
}

/// Whether an option was given a list that makes a sweep.
pub(crate) fn is_list(id: OptionId, values: &[String]) -> bool {
    matches!(id.spec().arity, Arity::Sweep(_))
        && values.first().is_some_and(|text| text.split(',').filter(|piece| !piece.trim().is_empty()).count() > 1)
        && !values.first().is_some_and(|text| text.contains(':') || text.trim_start().starts_with('{'))
}

/// The option of a measured phase that a warmup option stands for.
pub(crate) fn of_warmup(id: OptionId) -> Option<OptionId> {
    WARMUP_OPTIONS.iter().find(|(warmup, _)| *warmup == id).map(|(_, of_any)| *of_any)
}
