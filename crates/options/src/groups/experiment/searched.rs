//! The runs of searches and recipes.

use std::rc::Rc;

use aiperf_config::{
    Cell, Environment, Experiment, PlannedSearch, SearchPoints, SearchSpec, SearchTuning, Sweep, short_path,
    swept_parameters,
};

use super::recipe::{self, GridRecipe};
use super::search::{self, SearchRequest};
use super::search_points::OptionPoints;
use super::{Lists, give_all_the_largest_data, sweep, trials};
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

/// Options about cells that are known before the first run.
const OF_KNOWN_CELLS: [OptionId; 5] = [
    OptionId::Variant,
    OptionId::SweepType,
    OptionId::ParameterSweepMode,
    OptionId::ParameterSweepSameSeed,
    OptionId::ConvergenceMetric,
];

impl RawOptions {
    /// Adds the limits of `--search-sla` to those of a sweep.
    pub fn limit_sweep(&self, sweep: Option<Sweep>) -> Result<Option<Sweep>, ConfigError> {
        if !self.is_given(OptionId::SearchSla) {
            return Ok(sweep);
        }
        let Some(mut sweep) = sweep else {
            let needs = "--search-space, --search-recipe, or a list of values such as --concurrency 1,2,4";
            return Err(self.needs_text(
                OptionId::SearchSla,
                needs,
                "it is a limit for the points of a search or sweep",
            ));
        };
        sweep.sla_filters.extend(search::filters(self)?);
        Ok(Some(sweep))
    }

    /// The experiment of a search on the command line.
    pub(super) fn resolve_search(
        &self,
        spec: SearchSpec,
        environment: &Environment,
    ) -> Result<Experiment, ConfigError> {
        if let Some(list) = Lists::find(self)?.and_then(|lists| lists.first_option()) {
            let by = if self.is_given(OptionId::SearchRecipe) { OptionId::SearchRecipe } else { OptionId::SearchSpace };
            return Err(self.conflict(
                list,
                by,
                "a search chooses its points itself; give one value, or leave the search out",
            ));
        }
        let mut base = self.clone();
        base.set_slos(self, &spec)?;
        let points: Rc<dyn SearchPoints> = Rc::new(OptionPoints::new(&base, &spec, environment)?);
        let of_point = |is_upper: bool| base.resolve_point(&spec, is_upper, environment);
        of_point(true)?;
        let first = of_point(false)?;
        self.search_over(vec![first], PlannedSearch { spec, points })
    }

    /// The run at one end of all ranges, so that what is wrong is said before the first run.
    fn resolve_point(&self, spec: &SearchSpec, is_upper: bool, environment: &Environment) -> Result<Cell, ConfigError> {
        let points = OptionPoints::new(self, spec, environment)?;
        Ok(Cell { config: points.resolve(&spec.corner(is_upper))?, variation: None })
    }

    /// The experiment of a search whose first point is there.
    pub fn search_over(&self, cells: Vec<Cell>, search: PlannedSearch) -> Result<Experiment, ConfigError> {
        if let Some(id) = OF_KNOWN_CELLS.into_iter().find(|id| self.is_given(*id)) {
            let by = if self.is_given(OptionId::SearchRecipe) { OptionId::SearchRecipe } else { OptionId::SearchSpace };
            return Err(self.conflict(id, by, "it is about points that are known before the first run"));
        }
        let trials = trials::resolve(self, true)?;
        let parameters = search.spec.space.iter().map(|dimension| (short_path(&dimension.path).to_owned(), Vec::new()));
        let sweep = sweep::common(self, parameters.collect())?;
        let sweep = Sweep { sla_filters: search.spec.sla_filters.clone(), ..sweep };
        let seeds = trials::seeds(self, &trials, true)?;
        let experiment = self.assemble(cells, trials, Some(sweep), seeds)?;
        Ok(Experiment { search: Some(search), ..experiment })
    }

    /// Sets the SLOs that a recipe of `typed` brings along.
    pub fn set_slos(&mut self, typed: &Self, spec: &SearchSpec) -> Result<(), ConfigError> {
        if let Some(slos) = recipe::slos(typed, spec)? {
            self.set(OptionId::Goodput, OptionId::Goodput.flag(), vec![slos]);
        }
        Ok(())
    }

    /// The search that these options ask for together with a file; `own` is the search that the file has.
    pub fn search_with_file(
        &self,
        own: Option<SearchSpec>,
        tuning: &SearchTuning,
        streaming: bool,
    ) -> Result<Option<SearchSpec>, ConfigError> {
        let starts = [OptionId::SearchSpace, OptionId::SearchRecipe].into_iter().find(|id| self.is_given(*id));
        let Some(mut spec) = own else {
            return match search::find(self, tuning, streaming)? {
                // With a search for a capacity the file is one run, and the search goes on within it.
                SearchRequest::None | SearchRequest::Capacity => Ok(None),
                SearchRequest::Adaptive(spec) => Ok(Some(*spec)),
                SearchRequest::Grid(_) => Err(self.bad(
                    OptionId::SearchRecipe,
                    self.text(OptionId::SearchRecipe).unwrap_or_default(),
                    "is a sweep of fixed points, which a file has under `sweep`; leave out the recipe or the file",
                )),
            };
        };
        let of_objectives = [OptionId::SearchMetric, OptionId::SearchStat, OptionId::SearchDirection];
        if let Some(id) = starts.or_else(|| of_objectives.into_iter().find(|id| self.is_given(*id))) {
            let why = "the file has a search of its own; change it there";
            return Err(self.conflict(id, OptionId::Config, why));
        }
        search::apply(self, &mut spec)?;
        Ok(Some(spec))
    }

    /// The experiment of a recipe that is a sweep.
    pub(super) fn resolve_grid(
        &self,
        recipe: &GridRecipe,
        environment: &Environment,
    ) -> Result<Experiment, ConfigError> {
        let is_pareto = recipe.points.iter().any(|point| point.settings.len() == 3);
        if let Some(list) = Lists::find(self)?.and_then(|lists| lists.other_than(is_pareto)) {
            return Err(self.conflict(list, OptionId::SearchRecipe, "the recipe chooses the points; give one value"));
        }
        if let Some(id) = [OptionId::Variant, OptionId::SweepType].into_iter().find(|id| self.is_given(*id)) {
            return Err(self.conflict(id, OptionId::SearchRecipe, "the recipe chooses the points"));
        }
        let mut cells = Vec::new();
        for point in &recipe.points {
            let mut own = self.clone();
            for (parameter, value) in &point.settings {
                let id = sweep::option(*parameter);
                own.set(id, id.flag(), vec![value.to_string()]);
            }
            if recipe.draws_plots && !self.is_given(OptionId::AutoPlot) {
                own.set(OptionId::AutoPlot, OptionId::AutoPlot.flag(), vec!["true".to_owned()]);
            }
            let mut config = own.resolve(environment)?;
            config.command_line = crate::command_line::repeat(self, &environment.variables);
            cells.push(Cell { config, variation: Some(point.variation()) });
        }
        if !self.is_given(OptionId::NumDatasetEntries) {
            give_all_the_largest_data(&mut cells);
        }
        let values: Vec<_> =
            cells.iter().filter_map(|cell| cell.variation.as_ref()).flat_map(|cell| &cell.values).collect();
        let parameters = swept_parameters(values.into_iter().map(|(path, value)| (path.as_str(), value)));
        let trials = trials::resolve(self, true)?;
        let Some(sweep) = sweep::resolve(self, Some(parameters), &trials)? else {
            return self.assemble(cells, trials.clone(), None, trials::seeds(self, &trials, true)?);
        };
        let sweep =
            Sweep { sla_filters: recipe.filters.clone(), post_process: Some(recipe.post_process.clone()), ..sweep };
        let seeds = trials::seeds(self, &trials, true)?;
        self.assemble(cells, trials, Some(sweep), seeds)
    }
}
