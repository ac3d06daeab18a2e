//! From a file and a command line to the runs that they describe.

use aiperf_config::{Cell, CellVariation, Config, Environment, Experiment, UserFile, swept_parameters};
use aiperf_options::catalogue::{Arity, OptionId};
use aiperf_options::{ConfigError, Given, PhaseOptions, RawOptions, searches_capacity};
use thiserror::Error;

use crate::body::FileRunOptions;
use crate::field::WARMUP_OPTIONS;
use crate::file::ConfigFile;
use crate::multi_run;
use crate::sweep::Variation;
use crate::yaml::Position;
use crate::{FileError, command_line};

/// Options that mean nothing without a sweep.
const OF_SWEEPS: [OptionId; 4] = [
    OptionId::ParameterSweepCooldownSeconds,
    OptionId::ParameterSweepSameSeed,
    OptionId::ParameterSweepMode,
    OptionId::NoSweepTable,
];

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
        let section = file.sweep()?;
        if let Some(own) = section.capacity(self.name()).map_err(|error| error.in_file(self.name()))? {
            // What is said on the command line goes over what the file says.
            let mut asked = typed.clone();
            asked.extend(own);
            return file.capacity(&asked, typed, environment);
        }
        if searches_capacity(typed) {
            if section.type_name().is_some() {
                let given = typed.get(OptionId::SearchRecipe);
                let first = given.map_or_else(String::new, |given| given.spelling.clone());
                let why = "a search for a capacity is one run; leave out the sweep".to_owned();
                return Err(ConfigError::Conflict { first, second: format!("sweep ({})", self.name()), why }.into());
            }
            return file.capacity(typed, typed, environment);
        }
        let variations = file.variations()?;
        let sweep = section;
        let is_sweep = sweep.type_name().is_some();
        let is_searched = [OptionId::SearchSpace, OptionId::SearchRecipe].iter().any(|id| typed.get(*id).is_some());
        let has_points = is_sweep || is_searched;
        let alone = typed.given().iter().find(|given| OF_SWEEPS.contains(&given.id) && !has_points);
        if let Some(given) = alone {
            let needs = "a list of values for an option, or `sweep` in the file".to_owned();
            let why = "it applies to the points of a sweep, and this run has one point".to_owned();
            return Err(ConfigError::Needs { flag: given.spelling.clone(), needs, why }.into());
        }
        let (mut whole, warnings) = multi_run::options(self, typed, is_sweep)?;
        sweep.common.put_into(&mut whole, self.name());
        if let Some((place, seed)) = self.random_seed()? {
            whole.set(OptionId::RandomSeed, place, vec![seed]);
        }
        if let Some(hidden) = self.no_sweep_table()? {
            whole.set(OptionId::NoSweepTable, format!("noSweepTable ({})", self.name()), vec![hidden.to_string()]);
        }
        command_line::lay_over(&mut whole, typed, |id| multi_run::applies(id) || id == OptionId::RandomSeed);
        let tuning = aiperf_options::search_tuning(&environment.variables)?;
        if let Some(spec) = file.search(typed, &tuning)? {
            return file.searched(spec, typed, environment, &whole, &sweep.common);
        }
        let mut cells = Vec::with_capacity(variations.len());
        let mut says_entries = typed.get(OptionId::NumDatasetEntries).is_some();
        for variation in &variations {
            let (mut config, of_file) = file.config(variation, typed, environment)?;
            config.warnings.extend(warnings.iter().cloned());
            says_entries |= of_file;
            let place = is_sweep.then(|| CellVariation {
                label: variation.label.clone(),
                folder: variation.dir_name.clone(),
                values: variation.values.iter().map(|(path, value)| (path.clone(), value.clone())).collect(),
            });
            cells.push(Cell { config, variation: place });
        }
        if is_sweep && !says_entries {
            aiperf_options::give_all_the_largest_data(&mut cells);
        }
        let values =
            variations.iter().flat_map(|variation| &variation.values).map(|(path, value)| (path.as_str(), value));
        let sweep =
            if is_sweep { Some(sweep.common.complete(whole.resolve_sweep(swept_parameters(values))?)) } else { None };
        let experiment = whole.resolve_trials(cells, typed.limit_sweep(sweep)?)?;
        Ok(Experiment { plot_presets: self.plot(environment)?, options: typed.stored(), ..experiment })
    }

    /// The run that searches for a capacity; `asked`: the options of the command line and of the search.
    fn capacity(
        &self,
        asked: &RawOptions,
        typed: &RawOptions,
        environment: &Environment,
    ) -> Result<Experiment, ConfigFileError> {
        let file = self.with_a_phase();
        let (mut whole, warnings) = multi_run::options(self, typed, false)?;
        if let Some((place, seed)) = self.random_seed()? {
            whole.set(OptionId::RandomSeed, place, vec![seed]);
        }
        command_line::lay_over(&mut whole, typed, |id| multi_run::applies(id) || id == OptionId::RandomSeed);
        let mut cells = Vec::new();
        for variation in &file.variations()? {
            let (mut config, _) = file.config(variation, asked, environment)?;
            config.command_line = typed.repeat(&environment.variables);
            config.warnings.extend(warnings.iter().cloned());
            cells.push(Cell { config, variation: None });
        }
        let experiment = whole.resolve_trials(cells, None)?;
        Ok(Experiment { plot_presets: self.plot(environment)?, options: typed.stored(), ..experiment })
    }

    /// The configuration of one cell, and whether the file says how many conversations it has.
    pub(crate) fn config(
        &self,
        variation: &Variation,
        typed: &RawOptions,
        environment: &Environment,
    ) -> Result<(Config, bool), ConfigFileError> {
        let FileRunOptions { mut run, mut phases, warnings, user_files } = self.options(variation)?;
        let says_entries = run.get(OptionId::NumDatasetEntries).is_some();
        // Charts that a file describes are drawn, unless it says otherwise.
        if self.section("plot").is_some() && run.get(OptionId::AutoPlot).is_none() {
            run.set(OptionId::AutoPlot, format!("plot ({})", self.name()), vec!["true".to_owned()]);
        }
        if let Some((place, seed)) = self.random_seed()? {
            run.set(OptionId::RandomSeed, place, vec![seed]);
        }
        // It goes for the intervals within a run, too.
        if let Some(level) = multi_run::options(self, typed, false)?.0.get(OptionId::ConfidenceLevel) {
            run.set(level.id, level.spelling.clone(), level.values.clone());
        }
        command_line::lay_over_phases(&mut run, &mut phases, typed, &variation.values, self.name())?;
        for phase in &mut phases {
            keep_the_type(&mut phase.options, &run, self.name());
            phase.options.extend(run.clone());
        }
        let in_cell = |error: ConfigError| {
            if matches!(error, ConfigError::NoModel) {
                return ConfigFileError::File(self.missing("model", "a run needs `model: NAME`, or --model"));
            }
            if variation.values.is_empty() {
                ConfigFileError::Options(error)
            } else {
                ConfigFileError::Cell { label: variation.label.clone(), error }
            }
        };
        let main = phases.iter().find(|phase| phase.is_measured());
        let main = main.ok_or(ConfigFileError::Options(ConfigError::NoMeasuredPhase))?;
        let mut options = main.options.clone();
        if main.options.get(OptionId::Scenario).is_none() {
            say_how_long_the_others_are(&mut options, main, &phases);
        }
        let mut config = options.resolve_phases(&phases, environment).map_err(in_cell)?;
        if searches_capacity(&options) {
            options.search_capacity_in_file(&mut config)?;
        }
        config.command_line = typed.repeat(&environment.variables);
        config.user_files = self.with_variables(user_files, variation)?;
        config.warnings.extend(self.warnings().iter().cloned().chain(warnings));
        Ok((config, says_entries))
    }

    /// Files of the user's own with the variables that their templates may name.
    fn with_variables(&self, files: Vec<UserFile>, variation: &Variation) -> Result<Vec<UserFile>, FileError> {
        if files.is_empty() {
            return Ok(files);
        }
        let variables = self.variables_of(variation)?;
        Ok(files.into_iter().map(|file| UserFile { variables: variables.clone(), ..file }).collect())
    }

    /// The error for a key of the body that is not there.
    fn missing(&self, key: &str, problem: &str) -> FileError {
        let position = self.section("benchmark").map_or_else(Position::default, |body| body.position);
        FileError::at(position, format!("benchmark.{key}"), problem).in_file(self.name())
    }
}

/// A phase of a file has the type that is written there. On the command line recorded times are followed if nothing else is
/// said.
fn keep_the_type(phase: &mut RawOptions, run: &RawOptions, file: &str) {
    let has = |id: OptionId| phase.get(id).is_some() || run.get(id).is_some();
    let is_of_a_file = has(OptionId::InputFile) && !has(OptionId::Scenario);
    if is_of_a_file && !has(OptionId::FixedSchedule) && !has(OptionId::NoFixedSchedule) {
        phase.set(OptionId::NoFixedSchedule, format!("type ({file})"), vec!["true".to_owned()]);
    }
}

/// How much data is loaded also depends on how much the other phases need. For that the options of a warmup stand for all of them.
fn say_how_long_the_others_are(options: &mut RawOptions, main: &PhaseOptions, phases: &[PhaseOptions]) {
    for id in [OptionId::WarmupRequestCount, OptionId::WarmupDuration, OptionId::NumWarmupSessions] {
        let others = phases.iter().filter(|phase| phase.name != main.name);
        let given: Vec<&Given> =
            others.filter_map(|phase| of_warmup(id).and_then(|of_any| phase.options.get(of_any))).collect();
        match given.as_slice() {
            [] => {}
            [only] => options.set(id, only.spelling.clone(), only.values.clone()),
            [first, ..] => {
                let values = given.iter().filter_map(|given| given.values.first()?.parse::<f64>().ok());
                options.set(id, first.spelling.clone(), vec![values.sum::<f64>().to_string()]);
            }
        }
    }
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
