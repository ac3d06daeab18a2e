//! `aiperf capacity` and the recipe `max-rate-under-slo`: the search for the highest load within service-level objectives, in one
//! run.

use std::time::Duration;

use aiperf_config::{
    CapacityOf, CapacitySearch, CapacitySlo, Cell, Config, DatasetSource, Environment, Experiment, GracePeriod,
    LoadLevel, Pace, StopConditions,
};

use super::trials;
use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::grammar::{number, slo};
use crate::groups::load;
use crate::{ConfigError, RawOptions};

/// The recipe that searches for a capacity.
pub const CAPACITY_RECIPE: &str = "max-rate-under-slo";
/// Commands that search for a capacity.
pub(super) const COMMANDS: &str = "`aiperf capacity` or --search-recipe max-rate-under-slo";

/// A search for users has this many requests unless it is given another limit.
const USUAL_REQUESTS_FOR_USERS: u64 = 3_000;
/// A search sends each generated conversation many times; fewer would let a prefix cache answer for the server.
const LEAST_CONVERSATIONS: usize = 1_000;
const USUAL_DURATION: Duration = Duration::from_secs(3_600);
const USUAL_PRECISION: f64 = 0.05;

pub(crate) const CAPACITY: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::Slo,
        &["slo"],
        ValueKind::Text,
        "Service-level objective of `aiperf capacity`: `metric:limit` or `metric:percentile:limit`, such as `time_to_first_token:500` \
         (99 % of the requests) or `request_latency:p95:2000`. The limit has the unit in which results show the metric. A failed request \
         violates every objective. Repeat it, or write several with blanks between them; all must be kept.",
    )
    .repeatable()
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::CapacityOf,
        &["capacity-of", "of"],
        ValueKind::Choice(&CapacityOf::NAMES),
        "What `aiperf capacity` searches for: the highest request rate (`rate`, open loop), or the most users (`users`, closed loop \
         with one request in flight for each).",
    )
    .default("rate")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::Precision,
        &["precision"],
        ValueKind::Text,
        "How well `aiperf capacity` shall know a rate: half the width of its 95 % interval, such as `3%`. Half of the width takes about \
         four times the requests. A number of users is found to one user, or 2 %.",
    )
    .default("5%")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::MaxRequests,
        &["max-requests"],
        ValueKind::Int,
        "Maximum number of requests that `aiperf capacity` sends. If they do not suffice, the result says how well the capacity is known.",
    )
    .at_least(100.0)
    .default("3000 for users, else no limit")
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::MaxDuration,
        &["max-duration"],
        ValueKind::Float,
        "Maximum duration of `aiperf capacity`. If it does not suffice, the result says how well the capacity is known.",
    )
    .above(0.0)
    .unit("s")
    .default("3600")
    .ours()
    .supported(),
];

/// Options that only a search for a capacity reads.
pub(super) const OF_CAPACITY: [OptionId; 5] =
    [OptionId::Slo, OptionId::CapacityOf, OptionId::Precision, OptionId::MaxRequests, OptionId::MaxDuration];

/// Limits of recipes that stand for an objective, with its metric and percentile.
const LIMITS: [(OptionId, &str, f64); 4] = [
    (OptionId::TtftSlaMs, "time_to_first_token", 95.0),
    (OptionId::ItlSlaMs, "inter_token_latency", 95.0),
    (OptionId::TpotSlaMs, "inter_token_latency", 95.0),
    (OptionId::E2eSlaMs, "request_latency", 99.0),
];

const SETS_THE_LOAD: &str = "a search for a capacity sets the load itself";
const ENDS_ITSELF: &str =
    "a search for a capacity ends when it knows enough; limit it with --max-requests or --max-duration";
const ONE_RUN: &str = "a search for a capacity is one run";
const OWN_PLANNER: &str = "a search for a capacity has a planner and limits of its own; see --slo and --precision";
const OTHER_TIMES: &str = "it says when requests are sent, and a search for a capacity sets the load itself";

/// Options of `aiperf profile` that contradict a search for a capacity, with the reason.
const REFUSED: &[(OptionId, &str)] = &[
    (OptionId::Concurrency, SETS_THE_LOAD),
    (OptionId::PrefillConcurrency, "it would hold requests back on the client, and the result would be its limit"),
    (OptionId::RequestRate, SETS_THE_LOAD),
    (OptionId::RequestRateSeries, SETS_THE_LOAD),
    (OptionId::ConcurrencyRampDuration, SETS_THE_LOAD),
    (OptionId::PrefillConcurrencyRampDuration, SETS_THE_LOAD),
    (OptionId::RequestRateRampDuration, SETS_THE_LOAD),
    (OptionId::UserCentricRate, SETS_THE_LOAD),
    (OptionId::NumUsers, SETS_THE_LOAD),
    (OptionId::FixedSchedule, OTHER_TIMES),
    (OptionId::FixedScheduleAutoOffset, OTHER_TIMES),
    (OptionId::FixedScheduleStartOffset, OTHER_TIMES),
    (OptionId::FixedScheduleEndOffset, OTHER_TIMES),
    (OptionId::Scenario, OTHER_TIMES),
    (OptionId::RequestCount, ENDS_ITSELF),
    (OptionId::ConversationNum, ENDS_ITSELF),
    (OptionId::BenchmarkDuration, ENDS_ITSELF),
    (OptionId::MeasurementInterval, ENDS_ITSELF),
    (OptionId::AdaptiveScale, ENDS_ITSELF),
    (OptionId::StabilityPercentage, ENDS_ITSELF),
    (OptionId::MaxTrials, ENDS_ITSELF),
    (OptionId::UntilCi, ENDS_ITSELF),
    (OptionId::RequestCancellationRate, "cancelled requests would count as violations"),
    (OptionId::RequestCancellationDelay, "cancelled requests would count as violations"),
    (OptionId::NumProfileRuns, ONE_RUN),
    (OptionId::ProfileRunCooldownSeconds, ONE_RUN),
    (OptionId::ConvergenceMetric, ONE_RUN),
    (OptionId::ConvergenceStat, ONE_RUN),
    (OptionId::ConvergenceThreshold, ONE_RUN),
    (OptionId::ConvergenceMode, ONE_RUN),
    (OptionId::ConvergenceMinRuns, ONE_RUN),
    (OptionId::ParameterSweepCooldownSeconds, ONE_RUN),
    (OptionId::ParameterSweepSameSeed, ONE_RUN),
    (OptionId::ParameterSweepMode, ONE_RUN),
    (OptionId::SweepType, ONE_RUN),
    (OptionId::NoSweepTable, ONE_RUN),
    (OptionId::Variant, ONE_RUN),
    (OptionId::FailFast, ONE_RUN),
    (
        OptionId::DryRun,
        "a search for a capacity decides step by step; limit what it costs with --max-requests and --max-duration",
    ),
    (OptionId::SearchSpace, OWN_PLANNER),
    (OptionId::SearchMetric, OWN_PLANNER),
    (OptionId::SearchStat, OWN_PLANNER),
    (OptionId::SearchDirection, OWN_PLANNER),
    (OptionId::SearchMaxIterations, OWN_PLANNER),
    (OptionId::SearchInitialPoints, OWN_PLANNER),
    (
        OptionId::SearchRandomSeed,
        "a search for a capacity draws nothing at random; --random-seed sets data and arrivals",
    ),
    (OptionId::SearchPlanner, OWN_PLANNER),
    (OptionId::SearchStyle, OWN_PLANNER),
    (OptionId::SearchSla, "a search for a capacity counts requests that violate a limit; write the limit as --slo"),
    (OptionId::SearchSlaTier, "a search for a capacity counts requests that violate a limit; write the limit as --slo"),
    (OptionId::SearchPercentilePooling, OWN_PLANNER),
    (OptionId::OptunaSampler, OWN_PLANNER),
    (OptionId::OptunaAcquisition, OWN_PLANNER),
    (OptionId::OptunaTerminator, OWN_PLANNER),
    (OptionId::BoConstraintMode, OWN_PLANNER),
    (OptionId::ErrorRateSla, "failed requests count as violations of every --slo"),
    (OptionId::SloAttainmentFraction, "the percentile of --slo says it, such as request_latency:p95:2000"),
    (OptionId::ConcurrencyMin, SETS_THE_LOAD),
    (OptionId::ConcurrencySteps, SETS_THE_LOAD),
    (OptionId::IslOslPairs, ONE_RUN),
    (OptionId::IslMin, ONE_RUN),
    (OptionId::IslMax, ONE_RUN),
    (OptionId::IslSteps, ONE_RUN),
    (OptionId::OslMin, ONE_RUN),
    (OptionId::OslMax, ONE_RUN),
    (OptionId::OslSteps, ONE_RUN),
    (OptionId::DegradationThreshold, OWN_PLANNER),
    (OptionId::DegradationMetricTag, OWN_PLANNER),
    (OptionId::DegradationStat, OWN_PLANNER),
    (OptionId::NodeIndex, "a search for a capacity runs in one process"),
    (OptionId::NodeCount, "a search for a capacity runs in one process"),
];

/// Why a search for a capacity does not take this option; `None` if it does.
pub fn contradicts_capacity(id: OptionId) -> Option<&'static str> {
    REFUSED.iter().find(|(refused, _)| *refused == id).map(|(_, why)| *why)
}

/// Whether these options ask for the search for a capacity.
pub fn searches_capacity(raw: &RawOptions) -> bool {
    let name = raw.given().iter().find(|given| given.id == OptionId::SearchRecipe);
    name.and_then(|given| given.values.first()).is_some_and(|name| is_recipe(name))
}

pub(super) fn is_recipe(name: &str) -> bool {
    name.to_ascii_lowercase().replace('_', "-") == CAPACITY_RECIPE
}

impl RawOptions {
    /// The run that searches for a capacity.
    pub(super) fn resolve_capacity(&self, environment: &Environment) -> Result<Experiment, ConfigError> {
        let search = self.capacity()?;
        let mut base = self.clone();
        base.set(OptionId::Concurrency, OptionId::Concurrency.flag(), vec!["1".to_owned()]);
        for id in [OptionId::ArrivalPattern, OptionId::ArrivalSmoothness] {
            base.remove(id);
        }
        let mut config = base.resolve(environment)?;
        self.search_capacity(search, &mut config)?;
        config.command_line = crate::command_line::repeat(self, &environment.variables);
        let trials = trials::resolve(self, false)?;
        let seeds = trials::seeds(self, &trials, false)?;
        self.assemble(vec![Cell { config, variation: None }], trials, None, seeds)
    }

    /// Makes the run of a file the one that searches for a capacity. These are all options of its profiling phase and of the run.
    pub fn search_capacity_in_file(&self, config: &mut Config) -> Result<(), ConfigError> {
        let mut own = self.clone();
        // A phase of a file has a load. One user is what a search begins with.
        if self.text(OptionId::Concurrency) == Some("1") {
            own.remove(OptionId::Concurrency);
        }
        let search = own.capacity()?;
        own.search_capacity(search, config)
    }

    /// Makes a run the one that searches for a capacity.
    fn search_capacity(&self, search: CapacitySearch, config: &mut Config) -> Result<(), ConfigError> {
        let profiling = config.phases.profiling_mut();
        profiling.pace = Pace::Controlled(LoadLevel::Users(1));
        profiling.stop = StopConditions {
            requests: search.max_requests,
            duration: Some(search.max_duration),
            ..StopConditions::default()
        };
        let usual_grace = GracePeriod::Limited(Duration::from_secs(30));
        profiling.grace = self.wait(OptionId::BenchmarkGracePeriod)?.unwrap_or(usual_grace);
        if !self.is_given(OptionId::OutputArtifactDir) {
            let own = config.output.dir.file_name().map(|name| name.to_string_lossy().into_owned());
            let base = own.as_deref().unwrap_or_default().trim_end_matches("-concurrency1").to_owned();
            config.output.dir.set_file_name(format!("{base}-capacity_{}", search.of.name()));
        }
        if let DatasetSource::Synthetic(synthetic) = &mut config.dataset.source
            && !self.is_given(OptionId::NumDatasetEntries)
        {
            synthetic.entries = synthetic.entries.max(LEAST_CONVERSATIONS);
        }
        if config.output.goodput.is_empty() {
            config.output.goodput = search.slos.iter().map(|slo| (slo.metric.clone(), slo.limit)).collect();
        }
        config.capacity = Some(search);
        Ok(())
    }

    /// What the options ask for.
    fn capacity(&self) -> Result<CapacitySearch, ConfigError> {
        for (id, why) in REFUSED {
            if self.is_given(*id) {
                let (first, second) = (self.spelling(*id), "a search for a capacity".to_owned());
                return Err(ConfigError::Conflict { first, second, why: (*why).to_owned() });
            }
        }
        if let Some(list) = super::Lists::find(self)?.and_then(|lists| lists.first_option()) {
            return Err(self.bad(list, self.text(list).unwrap_or_default(), ONE_RUN));
        }
        let of = match self.choice(OptionId::CapacityOf)? {
            Some("users") => CapacityOf::Users,
            _ => CapacityOf::Rate,
        };
        if of == CapacityOf::Rate && self.is_given(OptionId::ConcurrencyMax) {
            return Err(self.needs_text(OptionId::ConcurrencyMax, "--capacity-of users", "a rate has no users"));
        }
        let of_arrivals = [OptionId::ArrivalPattern, OptionId::ArrivalSmoothness];
        if let Some(id) = of_arrivals.into_iter().find(|id| of == CapacityOf::Users && self.is_given(*id)) {
            return Err(self.needs_text(
                id,
                "--capacity-of rate",
                "the next request of a user follows its last response",
            ));
        }
        let usual_requests = (of == CapacityOf::Users).then_some(USUAL_REQUESTS_FOR_USERS);
        Ok(CapacitySearch {
            of,
            slos: self.slos()?,
            precision: self.precision()?,
            max_requests: self.int(OptionId::MaxRequests)?.or(usual_requests),
            max_duration: self.seconds(OptionId::MaxDuration)?.unwrap_or(USUAL_DURATION),
            max_users: self.int(OptionId::ConcurrencyMax)?,
            arrival: load::arrival_of_rate(self)?,
            resumes: self.is_given(OptionId::Resume),
        })
    }

    fn slos(&self) -> Result<Vec<CapacitySlo>, ConfigError> {
        let mut slos: Vec<CapacitySlo> = Vec::new();
        for text in self.tokens(OptionId::Slo) {
            slos.extend(slo::read(text).map_err(|why| self.bad(OptionId::Slo, text, &why))?);
        }
        for (id, metric, percentile) in LIMITS {
            if let Some(limit) = self.float(id)? {
                slos.push(CapacitySlo { metric: metric.to_owned(), percentile, limit });
            }
        }
        if slos.is_empty() {
            let example = "--slo, such as --slo time_to_first_token:500";
            return Err(self.needs_text(
                OptionId::SearchRecipe,
                example,
                "a capacity is the highest load within an objective",
            ));
        }
        let twice =
            slos.iter().enumerate().find(|(place, slo)| slos[..*place].iter().any(|other| other.metric == slo.metric));
        if let Some((_, slo)) = twice {
            return Err(self.bad(OptionId::Slo, &slo.to_string(), &format!("{} has two limits; give one", slo.metric)));
        }
        Ok(slos)
    }

    fn precision(&self) -> Result<f64, ConfigError> {
        let id = OptionId::Precision;
        let Some(text) = self.text(id) else { return Ok(USUAL_PRECISION) };
        let share = match text.strip_suffix('%') {
            Some(percent) => number::float(percent.trim()).map(|percent| percent / 100.0),
            None => number::float(text),
        };
        share
            .filter(|share| (0.005..=0.5).contains(share))
            .ok_or_else(|| self.bad(id, text, "must be from 0.5% to 50%, written as 3% or 0.03"))
    }
}
