//! From what was typed to all the runs it means: lists of values become cells, and each cell has its trials.

pub(crate) mod capacity;
mod recipe;
pub(crate) mod rows;
mod search;
mod search_points;
mod searched;
mod sweep;
mod trials;
mod variant;

use aiperf_config::{Cell, CellVariation, DatasetSource, Environment, Experiment, Seeds, Sweep, Trials};
use serde_json::Value;

use self::search::SearchRequest;
use self::sweep::Lists;
use self::variant::Variant;
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

impl RawOptions {
    /// The runs that these options describe in these surroundings.
    pub fn resolve_experiment(&self, environment: &Environment) -> Result<Experiment, ConfigError> {
        let raw = self;
        super::refuse_unbuilt(raw)?;
        if raw.is_given(OptionId::Scenario) {
            super::scenario::refuse_lists(raw)?;
        }
        let tuning = crate::variables::read(&environment.variables)?.search;
        match search::find(raw, &tuning, raw.flag(OptionId::Streaming)?)? {
            SearchRequest::None => {}
            SearchRequest::Adaptive(spec) => return self.resolve_search(*spec, environment),
            SearchRequest::Grid(recipe) => return self.resolve_grid(&recipe, environment),
            SearchRequest::Capacity => return self.resolve_capacity(environment),
        }
        let lists = Lists::find(raw)?;
        let variants = Variant::find(raw, lists.is_some())?;
        let is_swept = lists.is_some() || !variants.is_empty();
        let parameters =
            if variants.is_empty() { lists.as_ref().map(Lists::named) } else { Some(variant::parameters(&variants)) };
        let trials = trials::resolve(raw, is_swept)?;
        let sweep = sweep::resolve(raw, parameters, &trials)?;
        let sweep = raw.limit_sweep(sweep)?;
        let seeds = trials::seeds(raw, &trials, is_swept)?;
        let mut cells = match &lists {
            Some(lists) => cells(raw, lists, environment)?,
            None if is_swept => variant::cells(raw, &variants, environment)?,
            None => vec![Cell { config: raw.resolve(environment)?, variation: None }],
        };
        if is_swept && !raw.is_given(OptionId::NumDatasetEntries) {
            give_all_the_largest_data(&mut cells);
        }
        self.assemble(cells, trials, sweep, seeds)
    }

    fn assemble(
        &self,
        cells: Vec<Cell>,
        trials: Trials,
        sweep: Option<Sweep>,
        seeds: Seeds,
    ) -> Result<Experiment, ConfigError> {
        trials::check_warmup(self, &cells)?;
        let dir = cells.first().map(|cell| cell.config.output.dir.clone()).unwrap_or_default();
        let resumes = self.is_given(OptionId::Resume);
        let experiment = Experiment {
            cells,
            trials,
            sweep,
            dir,
            seeds,
            stops_at_failure: self.flag(OptionId::FailFast)?,
            resumes,
            only_plans: self.flag(OptionId::DryRun)?,
            options: self.stored(),
            search: None,
            file: String::new(),
            plot_presets: None,
        };
        let is_capacity = experiment.cells.iter().any(|cell| cell.config.capacity.is_some());
        if experiment.is_single() && !is_capacity {
            for id in [OptionId::FailFast, OptionId::Resume] {
                if self.is_given(id) {
                    let needs = "a sweep, or --num-profile-runs above 1";
                    return Err(self.needs_text(id, needs, "it is about several runs, and there is one run"));
                }
            }
        }
        super::nodes::refuse_several(self, &experiment)?;
        Ok(experiment)
    }
}

impl RawOptions {
    /// How often the runs of a file are repeated and with which seeds; `sweep` are the cells that the file has.
    pub fn resolve_trials(&self, cells: Vec<Cell>, sweep: Option<Sweep>) -> Result<Experiment, ConfigError> {
        let trials = trials::resolve(self, sweep.is_some())?;
        if let Some(sweep) = &sweep {
            sweep::check_order(self, sweep.order, &trials)?;
        }
        let seeds = trials::seeds(self, &trials, sweep.is_some())?;
        self.assemble(cells, trials, sweep, seeds)
    }

    /// Pause, order and tables of a sweep whose cells a file has.
    pub fn resolve_sweep(&self, parameters: Vec<(String, Vec<Value>)>) -> Result<Sweep, ConfigError> {
        sweep::common(self, parameters)
    }
}

fn cells(raw: &RawOptions, lists: &Lists, environment: &Environment) -> Result<Vec<Cell>, ConfigError> {
    let mut cells: Vec<Cell> = Vec::new();
    for settings in lists.combinations(raw)? {
        let mut own = raw.clone();
        for (parameter, value) in &settings {
            own.replace(sweep::option(*parameter), value.text());
        }
        let mut config = own.resolve(environment)?;
        // Whoever repeats it wants the whole sweep.
        config.command_line = crate::command_line::repeat(raw, &environment.variables);
        cells.push(Cell { config, variation: Some(CellVariation::of_options(&settings)) });
    }
    Ok(cells)
}

/// Cells that differ in how long they run draw from the same number of conversations, so that none sees its data more
/// often than another.
pub fn give_all_the_largest_data(cells: &mut [Cell]) {
    let entries = |cell: &Cell| match &cell.config.dataset.source {
        DatasetSource::Synthetic(synthetic) => Some(synthetic.entries),
        _ => None,
    };
    let Some(most) = cells.iter().filter_map(entries).max() else { return };
    for cell in cells {
        if let DatasetSource::Synthetic(synthetic) = &mut cell.config.dataset.source {
            synthetic.entries = most;
        }
    }
}
