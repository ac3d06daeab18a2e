//! A search: which points may be tried, what makes a point good, and when enough is known.

mod names;

use std::error::Error;
use std::fmt::Debug;
use std::rc::Rc;
use std::time::Duration;

pub use names::{Acquisition, ConstraintMode, PlannerKind, Pooling, Sampler, SlaPrecision, Terminator};

use serde_json::{Map, Number, Value};

use crate::{Config, SlaFilter};

/// A search and the runs of its points.
#[derive(Debug, Clone)]
pub struct PlannedSearch {
    pub spec: SearchSpec,
    pub points: Rc<dyn SearchPoints>,
}

/// Makes the run of a point.
pub trait SearchPoints: Debug {
    /// The run in which these paths of a configuration file have these values.
    fn config(&self, values: &Map<String, Value>) -> Result<Config, Box<dyn Error + Send + Sync>>;
}

/// What a search is to find, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchSpec {
    pub planner: PlannerKind,
    /// At least one dimension.
    pub space: Vec<SearchDimension>,
    /// At least one. Several objectives have a Pareto front instead of one best point.
    pub objectives: Vec<SearchObjective>,
    pub outcome_constraints: Vec<OutcomeConstraint>,
    /// Limits that a point must keep to be feasible.
    pub sla_filters: Vec<SlaFilter>,
    /// Groups of limits that are searched together; empty or at least two.
    pub sla_tiers: Vec<SlaTier>,
    /// Points to try at most.
    pub max_iterations: usize,
    /// Points to try before a model chooses them.
    pub initial_points: usize,
    /// Number of last points that a plateau is judged by.
    pub plateau_window: usize,
    /// Coefficient of variation below which the last points are a plateau.
    pub plateau_threshold: f64,
    /// Points without an improvement that end the search.
    pub improvement_patience: usize,
    /// Seed of the planner.
    pub seed: Option<u64>,
    pub sampler: Sampler,
    /// `None`: the usual one of the sampler.
    pub acquisition: Option<Acquisition>,
    pub terminator: Option<Terminator>,
    pub pooling: Pooling,
    pub constraint_mode: ConstraintMode,
    /// Equal verdicts that a value needs.
    pub stability_trials: usize,
    /// Repeats at the boundary; `None`: as many as their spread asks for.
    pub sla_replicates: Option<usize>,
    /// Requests of a probe, if the run has no other end.
    pub probe_requests: u64,
    /// Warmup before a probe; zero for none.
    pub sla_warmup: ProbeWarmup,
    /// Width of the bracket around the limit, as a share of its upper end, that is narrow enough.
    pub bracket_precision: f64,
    /// The recipe that the search comes from.
    pub recipe: Option<String>,
    /// The planner of a plugin pack, which chooses the points instead of [`Self::planner`].
    pub plugin: Option<String>,
}

/// One parameter that a search varies.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchDimension {
    /// Where a configuration file has it.
    pub path: String,
    pub lo: f64,
    pub hi: f64,
    pub is_whole: bool,
    /// Values are equally likely on a logarithmic scale.
    pub is_log: bool,
}

/// What makes one point better than another.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchObjective {
    pub metric: String,
    pub stat: String,
    pub maximize: bool,
    /// Values that are not better than it add nothing to a Pareto front.
    pub threshold: Option<f64>,
}

/// A limit of the mean of a metric that feasible points keep.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeConstraint {
    pub metric: String,
    pub op: ConstraintOp,
    pub bound: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintOp {
    AtMost,
    AtLeast,
    Equal,
}

impl ConstraintOp {
    pub const ALL: [Self; 3] = [Self::AtMost, Self::AtLeast, Self::Equal];

    pub const fn sign(self) -> &'static str {
        match self {
            Self::AtMost => "<=",
            Self::AtLeast => ">=",
            Self::Equal => "==",
        }
    }
}

/// A named group of limits.
#[derive(Debug, Clone, PartialEq)]
pub struct SlaTier {
    pub label: String,
    pub filters: Vec<SlaFilter>,
    /// Place among the tiers.
    pub rank: i64,
}

/// How long a probe warms up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeWarmup {
    /// Zero: no warmup.
    pub base: Duration,
    /// The least for a value that was not tried before.
    pub first: Duration,
    /// The least for a value that was tried before.
    pub repeat: Duration,
}

impl ProbeWarmup {
    /// Of a probe at a value that was tried before or not.
    pub fn of(self, is_repeat: bool) -> Option<Duration> {
        let least = if is_repeat { self.repeat } else { self.first };
        (!self.base.is_zero()).then(|| self.base.max(least))
    }
}

impl Default for ProbeWarmup {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { base: seconds(30), first: seconds(60), repeat: seconds(15) }
    }
}

/// Settings of searches that come from environment variables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchTuning {
    /// `AIPERF_SEARCH_PLANNER_SLA_PRECISION_DEFAULT`: width of a bracket that is narrow enough, as a share of its upper end.
    pub bracket_precision: f64,
    /// `AIPERF_SEARCH_PLANNER_SLA_PRECISION_REQUESTS`: requests of a probe, from tight to coarse.
    pub requests: [u64; 3],
    /// `AIPERF_SEARCH_PLANNER_DEFAULT_WARMUP_SECONDS` and the floors for first probes and repeats.
    pub warmup: ProbeWarmup,
}

impl SearchTuning {
    pub const fn requests(&self, precision: SlaPrecision) -> u64 {
        self.requests[precision as usize]
    }
}

impl Default for SearchTuning {
    fn default() -> Self {
        Self { bracket_precision: 0.05, requests: [10_000, 1000, 300], warmup: ProbeWarmup::default() }
    }
}

impl SearchDimension {
    /// A value as files have it: a whole number has no fraction.
    pub fn json(&self, value: f64) -> Value {
        if self.is_whole {
            Value::from(value as i64)
        } else {
            Number::from_f64(value).map_or(Value::Null, Value::Number)
        }
    }
}

impl SearchSpec {
    /// Tiers that a search may have, if it has any.
    pub const TIERS: std::ops::RangeInclusive<usize> = 2..=10;
    /// Points that a search may try.
    pub const ITERATIONS: std::ops::RangeInclusive<usize> = 2..=200;

    /// A search with the usual settings.
    pub fn new(planner: PlannerKind, space: Vec<SearchDimension>, max_iterations: usize) -> Self {
        Self {
            planner,
            space,
            objectives: Vec::new(),
            outcome_constraints: Vec::new(),
            sla_filters: Vec::new(),
            sla_tiers: Vec::new(),
            max_iterations,
            initial_points: 5,
            plateau_window: 8,
            plateau_threshold: 0.01,
            improvement_patience: 10,
            seed: None,
            sampler: Sampler::Botorch,
            acquisition: None,
            terminator: None,
            pooling: Pooling::Mean,
            constraint_mode: ConstraintMode::Eic,
            stability_trials: 2,
            sla_replicates: None,
            probe_requests: SearchTuning::default().requests(SlaPrecision::Normal),
            sla_warmup: ProbeWarmup::default(),
            bracket_precision: SearchTuning::default().bracket_precision,
            recipe: None,
            plugin: None,
        }
    }

    /// The same with the settings of environment variables. A warmup that the search asks for stays.
    pub fn with(mut self, tuning: &SearchTuning) -> Self {
        self.bracket_precision = tuning.bracket_precision;
        self.probe_requests = tuning.requests(SlaPrecision::Normal);
        self.sla_warmup = tuning.warmup;
        self
    }

    /// The point at the lower or at the upper end of all ranges, by path.
    pub fn corner(&self, is_upper: bool) -> Map<String, Value> {
        let value = |dimension: &SearchDimension| dimension.json(if is_upper { dimension.hi } else { dimension.lo });
        self.space.iter().map(|dimension| (dimension.path.clone(), value(dimension))).collect()
    }

    /// Whether the values of single requests are needed, not only their statistics.
    pub fn needs_values(&self) -> bool {
        self.pooling == Pooling::Pooled
    }

    /// Whether the planner adds its own warmup and number of requests to each probe.
    pub fn shapes_probes(&self) -> bool {
        self.planner == PlannerKind::SmoothIsotonic || !self.sla_tiers.is_empty()
    }

    /// All limits: those of the search, then those of its tiers.
    pub fn all_filters(&self) -> impl Iterator<Item = &SlaFilter> {
        self.sla_filters.iter().chain(self.sla_tiers.iter().flat_map(|tier| &tier.filters))
    }
}
