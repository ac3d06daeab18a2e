//! What `aiperf profile` was asked for as a whole: one configuration or several, each run once or more often.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::{Config, PlannedSearch, PostProcess, SlaFilter};

#[derive(Debug, Clone)]
pub struct Experiment {
    /// At least one, in the order in which they are run; several where options were given lists.
    pub cells: Vec<Cell>,
    pub trials: Trials,
    /// Present where options were given lists.
    pub sweep: Option<Sweep>,
    /// Holds the folders of all runs.
    pub dir: PathBuf,
    pub seeds: Seeds,
    /// The first run that fails ends all.
    pub stops_at_failure: bool,
    /// Runs that an earlier command made in the same folder are kept.
    pub resumes: bool,
    /// The plan is shown, and no run is made.
    pub only_plans: bool,
    /// The options that it comes from, by name, with their values as typed; secrets are redacted.
    pub options: Vec<(String, Vec<String>)>,
    /// Present if the points are chosen while they are run. Then the only cell has the first end of all ranges.
    pub search: Option<PlannedSearch>,
    /// The configuration file that repeats it, with secrets redacted; empty if nobody wrote one.
    pub file: String,
    /// Presets of the charts of its results, as a preset file has them.
    pub plot_presets: Option<Value>,
}

impl Experiment {
    /// Whether it is one plain run.
    pub fn is_single(&self) -> bool {
        self.sweep.is_none() && self.search.is_none() && self.trials.count == 1
    }
}

/// One configuration, and what sets it apart from the others.
#[derive(Debug, Clone)]
pub struct Cell {
    pub config: Config,
    /// `None` where nothing is swept.
    pub variation: Option<CellVariation>,
}

/// What a cell of a sweep sets, and the names that follow from it.
#[derive(Debug, Clone, PartialEq)]
pub struct CellVariation {
    /// The name that seeds and files know it by.
    pub label: String,
    /// The name of its folder, without a path.
    pub folder: String,
    /// Values by their path in a configuration file, in the order of the parameters.
    pub values: Vec<(String, Value)>,
}

impl CellVariation {
    /// The cell of these values of options.
    pub fn of_options(settings: &[(Parameter, SweptValue)]) -> Self {
        let pairs = |pair: fn(&(Parameter, SweptValue)) -> String, between: &str| {
            settings.iter().map(pair).collect::<Vec<_>>().join(between)
        };
        Self {
            label: pairs(|(parameter, value)| format!("{}={}", parameter.path(), value.text()), ", "),
            folder: pairs(|(parameter, value)| format!("{}_{}", parameter.leaf(), value.text()), "__"),
            values: settings.iter().map(|(parameter, value)| (parameter.path().to_owned(), value.json())).collect(),
        }
    }
}

impl Cell {
    /// The name that seeds and files know it by.
    pub fn label(&self) -> &str {
        self.variation.as_ref().map_or("base", |variation| &variation.label)
    }

    /// The name of its folder, without a path; empty where nothing is swept.
    pub fn folder(&self) -> &str {
        self.variation.as_ref().map_or("", |variation| &variation.folder)
    }

    /// Values by their path in a configuration file.
    pub fn values_by_path(&self) -> Map<String, Value> {
        self.values().map(|(path, value)| (path.clone(), value.clone())).collect()
    }

    /// Values by the name that tables and files of sweeps have for them.
    pub fn values_by_name(&self) -> Map<String, Value> {
        self.values().map(|(path, value)| (short_path(path).to_owned(), value.clone())).collect()
    }

    /// What sets it apart, in a few words; empty where nothing is swept.
    pub fn title(&self) -> String {
        let pairs = self.values().map(|(path, value)| format!("{} {}", leaf(path), shown(value)));
        pairs.collect::<Vec<_>>().join(", ")
    }

    /// What sets it apart, as the name of a folder: `concurrency_4__isl_128`.
    pub fn title_as_folder(&self) -> String {
        let plain = |text: String| text.replace(['/', '\\'], "");
        let pair = |(path, value): &(String, Value)| plain(format!("{}_{}", leaf(path), shown(value)));
        self.values().map(pair).collect::<Vec<_>>().join("__")
    }

    /// The name of the folder of its aggregate. Values with plain names, as recipes have them, stand in their own order there, as in the
    /// reference; all others are named as the folder of the cell.
    pub fn aggregate_folder(&self) -> String {
        let sorted = |name: &str| {
            let mut parts: Vec<String> = name.split("__").map(ToOwned::to_owned).collect();
            parts.sort_unstable();
            parts
        };
        let by_value = self.title_as_folder();
        let has_plain_names = self.values().all(|(path, _)| !path.contains('.'));
        if has_plain_names && sorted(&by_value) == sorted(self.folder()) { by_value } else { self.folder().to_owned() }
    }

    fn values(&self) -> impl Iterator<Item = &(String, Value)> {
        self.variation.iter().flat_map(|variation| &variation.values)
    }
}

/// The last part of a path, or the short name of its parameter.
fn leaf(path: &str) -> &str {
    match Parameter::at(path) {
        Some(parameter) => parameter.leaf(),
        None => path.rsplit('.').next().unwrap_or(path),
    }
}

/// A value without the quotes of a text.
fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// Names that stand for a field of the profiling phase where a path is expected.
pub const PROFILING_PHASE_FIELDS: [&str; 13] = [
    "concurrency",
    "prefill_concurrency",
    "rate",
    "requests",
    "duration",
    "sessions",
    "users",
    "smoothness",
    "grace_period",
    "concurrency_ramp",
    "prefill_ramp",
    "rate_ramp",
    "rate_series",
];

/// A path in a configuration file, or what is left of it where a bare name means the profiling phase.
pub fn short_path(path: &str) -> &str {
    path.strip_prefix("phases.profiling.").unwrap_or(path)
}

/// What cells set, by the names that tables have for it, with all values in order of appearance.
pub fn swept_parameters<'a>(values: impl Iterator<Item = (&'a str, &'a Value)>) -> Vec<(String, Vec<Value>)> {
    let mut parameters: Vec<(String, Vec<Value>)> = Vec::new();
    for (path, value) in values {
        let name = short_path(path);
        match parameters.iter_mut().find(|(known, _)| known == name) {
            Some((_, values)) if values.contains(value) => {}
            Some((_, values)) => values.push(value.clone()),
            None => parameters.push((name.to_owned(), vec![value.clone()])),
        }
    }
    parameters
}

/// What a sweep can vary: one for each option that takes a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    InputTokensMean,
    InputTokensStddev,
    OutputTokensMean,
    OutputTokensStddev,
    TurnsMean,
    Duration,
    PrefillConcurrency,
    RequestRate,
    RequestCount,
    SessionCount,
    Users,
    Concurrency,
}

impl Parameter {
    /// Where a configuration file has it.
    pub const fn path(self) -> &'static str {
        match self {
            Self::InputTokensMean => "datasets.main.prompts.isl.mean",
            Self::InputTokensStddev => "datasets.main.prompts.isl.stddev",
            Self::OutputTokensMean => "datasets.main.prompts.osl.mean",
            Self::OutputTokensStddev => "datasets.main.prompts.osl.stddev",
            Self::TurnsMean => "datasets.main.turns.mean",
            Self::Duration => "phases.profiling.duration",
            Self::PrefillConcurrency => "phases.profiling.prefill_concurrency",
            Self::RequestRate => "phases.profiling.rate",
            Self::RequestCount => "phases.profiling.requests",
            Self::SessionCount => "phases.profiling.sessions",
            Self::Users => "phases.profiling.users",
            Self::Concurrency => "phases.profiling.concurrency",
        }
    }

    /// The path, or what is left of it where a bare name means the profiling phase.
    pub fn name(self) -> &'static str {
        let path = self.path();
        path.strip_prefix("phases.profiling.").unwrap_or(path)
    }

    const ALL: [Self; 12] = [
        Self::InputTokensMean,
        Self::InputTokensStddev,
        Self::OutputTokensMean,
        Self::OutputTokensStddev,
        Self::TurnsMean,
        Self::Duration,
        Self::PrefillConcurrency,
        Self::RequestRate,
        Self::RequestCount,
        Self::SessionCount,
        Self::Users,
        Self::Concurrency,
    ];

    /// The parameter that a configuration file has at this path.
    pub fn at(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|parameter| parameter.path() == path)
    }

    /// A short name that no other parameter has.
    pub fn leaf(self) -> &'static str {
        match self {
            Self::InputTokensMean => "isl",
            Self::InputTokensStddev => "isl_stddev",
            Self::OutputTokensMean => "osl",
            Self::OutputTokensStddev => "osl_stddev",
            Self::TurnsMean => "turns",
            Self::Duration
            | Self::PrefillConcurrency
            | Self::RequestRate
            | Self::RequestCount
            | Self::SessionCount
            | Self::Users
            | Self::Concurrency => self.name(),
        }
    }
}

/// One value of a list, whole or not as its option is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SweptValue {
    Whole(i64),
    Real(f64),
}

impl SweptValue {
    pub fn text(self) -> String {
        match self {
            Self::Whole(number) => number.to_string(),
            Self::Real(number) if number.is_infinite() => "inf".to_owned(),
            Self::Real(number) => format!("{number:?}"),
        }
    }

    /// A number; infinity, which JSON lacks, is its name.
    pub fn json(self) -> Value {
        match self {
            Self::Whole(number) => number.into(),
            Self::Real(number) if number.is_infinite() => self.text().into(),
            Self::Real(number) => number.into(),
        }
    }
}

/// How the cells of a sweep come about and in which order they are run.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// Names of what is varied, as tables and files of sweeps have them, with the values of all cells.
    pub parameters: Vec<(String, Vec<Value>)>,
    pub order: SweepOrder,
    /// Pause between two cells.
    pub cooldown: Duration,
    /// The console has a table of the cells while they are run, and one for each cell.
    pub shows_tables: bool,
    /// Limits that a cell must keep to be feasible.
    pub sla_filters: Vec<SlaFilter>,
    pub post_process: Option<PostProcess>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweepOrder {
    /// All cells once, then all again.
    Repeated,
    /// All trials of a cell, then those of the next.
    Independent,
}

impl SweepOrder {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Repeated => "repeated",
            Self::Independent => "independent",
        }
    }
}

/// How often each cell is run.
#[derive(Debug, Clone)]
pub struct Trials {
    /// Number of trials; the maximum if a convergence rule can end them early.
    pub count: u32,
    /// Pause between two of them.
    pub cooldown: Duration,
    /// Of the confidence intervals over trials.
    pub confidence_level: f64,
    /// Only the first trial of a cell has the warmup.
    pub warmup_only_first: bool,
    pub convergence: Option<Convergence>,
}

/// Where the seeds of runs come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seeds {
    /// `None`: each run draws its own.
    pub base: Option<u64>,
    /// Each trial of a cell has another.
    pub vary_by_trial: bool,
    /// All cells have the same.
    pub same_in_cells: bool,
}

/// When trials have said enough.
#[derive(Debug, Clone, PartialEq)]
pub struct Convergence {
    /// Tag of the metric that is watched.
    pub metric: String,
    pub stat: ConvergenceStat,
    pub mode: ConvergenceMode,
    pub threshold: f64,
    /// Trials before it is asked for the first time; at least 2.
    pub min_runs: usize,
}

impl Convergence {
    /// Trials before it is asked for the first time, if nothing else is said.
    pub const LEAST_TRIALS: usize = 2;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConvergenceMode {
    /// The t interval of the mean over trials is narrower than the threshold times the mean.
    CiWidth,
    /// The standard deviation over trials is below the threshold times the mean.
    Cv,
    /// The values of the last trial look like those of the earlier ones: the p-value of a Kolmogorov-Smirnov test is
    /// above the threshold.
    Distribution,
}

impl ConvergenceMode {
    pub const fn name(self) -> &'static str {
        match self {
            Self::CiWidth => "ci_width",
            Self::Cv => "cv",
            Self::Distribution => "distribution",
        }
    }

    /// The threshold if none is given.
    pub const fn usual_threshold(self) -> f64 {
        match self {
            Self::CiWidth => 0.10,
            Self::Cv | Self::Distribution => 0.05,
        }
    }
}

/// Statistics of a run that may be watched, by their name in the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConvergenceStat(pub &'static str);

impl ConvergenceStat {
    pub const fn name(self) -> &'static str {
        self.0
    }
}
