//! A search over a file: each point sets some fields of the file to other values.

use std::error::Error;
use std::rc::Rc;

use aiperf_config::{
    Cell, Config, Environment, Experiment, PlannedSearch, SearchPoints, SearchSpec, SearchTuning, Sweep,
};
use aiperf_options::catalogue::OptionId;
use aiperf_options::{ConfigError, RawOptions};
use serde_json::{Map, Value};

use crate::experiment::ConfigFileError;
use crate::file::ConfigFile;
use crate::sweep::SweepSettings;
use crate::yaml::Node;

/// Options that end a run.
const STOPS: [OptionId; 4] =
    [OptionId::RequestCount, OptionId::ConversationNum, OptionId::BenchmarkDuration, OptionId::RequestRateSeries];

/// The file of all points, with the options that are laid over it.
#[derive(Debug)]
struct FilePoints {
    file: ConfigFile,
    typed: RawOptions,
    environment: Environment,
}

impl FilePoints {
    fn at(&self, values: &Map<String, Value>) -> Result<Config, ConfigFileError> {
        let variation = self.file.variation_at(values)?;
        let (mut config, _) = self.file.config(&variation, &self.typed, &self.environment)?;
        // Whoever repeats it wants the whole search.
        config.command_line = self.typed.repeat(&self.environment.variables);
        Ok(config)
    }
}

impl SearchPoints for FilePoints {
    fn config(&self, values: &Map<String, Value>) -> Result<Config, Box<dyn Error + Send + Sync>> {
        self.at(values).map_err(|error| error.to_string().into())
    }
}

impl ConfigFile {
    /// The search that this file, or the command line over it, asks for.
    pub(crate) fn search(
        &self,
        typed: &RawOptions,
        tuning: &SearchTuning,
    ) -> Result<Option<SearchSpec>, ConfigFileError> {
        let section = self.sweep()?;
        let own = section.search(tuning).map_err(|error| error.in_file(self.name()))?;
        let is_own = own.is_some();
        let streams = |node: &Node| node.get("endpoint")?.get("streaming")?.word();
        let streaming = typed.get(OptionId::Streaming).is_some()
            || self.section("benchmark").and_then(streams).is_some_and(|word| word == "true");
        let spec = typed.search_with_file(own, tuning, streaming)?;
        if spec.is_some() && !is_own && section.type_name().is_some() {
            let first = typed.get(OptionId::SearchRecipe).or_else(|| typed.get(OptionId::SearchSpace));
            let first = first.map_or_else(|| OptionId::SearchSpace.flag(), |given| given.spelling.clone());
            let why = "a search chooses its points itself, and there is a sweep; leave one of them out".to_owned();
            return Err(ConfigError::Conflict { first, second: format!("sweep ({})", self.name()), why }.into());
        }
        Ok(spec)
    }

    /// The runs of a search; `whole` has the options of all runs.
    pub(crate) fn searched(
        &self,
        spec: SearchSpec,
        typed: &RawOptions,
        environment: &Environment,
        whole: &RawOptions,
        common: &SweepSettings,
    ) -> Result<Experiment, ConfigFileError> {
        let mut laid_over = typed.clone();
        laid_over.set_slos(typed, &spec)?;
        if spec.shapes_probes() && !self.has_stop(typed, &spec)? {
            laid_over.prepare_probes(&spec);
        }
        let points = FilePoints { file: self.clone(), typed: laid_over, environment: environment.clone() };
        points.at(&spec.corner(true))?;
        let first = Cell { config: points.at(&spec.corner(false))?, variation: None };
        let experiment = whole.search_over(vec![first], PlannedSearch { spec, points: Rc::new(points) })?;
        let sweep = experiment.sweep.map(|sweep| Sweep { post_process: common.post_process.clone(), ..sweep });
        let plot_presets = self.plot(environment)?;
        Ok(Experiment { sweep, plot_presets, options: typed.stored(), ..experiment })
    }

    /// Whether the measured phase says when it ends.
    fn has_stop(&self, typed: &RawOptions, spec: &SearchSpec) -> Result<bool, ConfigFileError> {
        let options = self.options(&self.variation_at(&spec.corner(false))?)?;
        let phases = options.phases.iter().filter(|phase| phase.kind == aiperf_config::PhaseKind::Profiling);
        let mut all = phases.map(|phase| &phase.options).chain([typed]);
        Ok(all.any(|options| STOPS.iter().any(|id| options.get(*id).is_some())))
    }
}
