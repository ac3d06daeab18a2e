//! The option groups. Each has its rows (names, values, help) and its rules: types, effective defaults, and which options can
//! be combined. The first rule that is broken is the error.

pub(crate) mod accuracy;
pub(crate) mod api;
pub(crate) mod cluster;
pub(crate) mod dataset;
pub(crate) mod endpoint;
pub(crate) mod experiment;
pub(crate) mod extension;
pub(crate) mod gpu_telemetry;
pub(crate) mod load;
mod mlflow;
pub(crate) mod network_latency;
pub(crate) mod nodes;
mod otel;
pub(crate) mod output;
mod preconnect;
mod read;
pub(crate) mod scenario;
pub(crate) mod server_metrics;
pub(crate) mod service;
#[cfg(test)]
mod tests;
mod until_ci;
mod wandb;

pub use experiment::capacity::{CAPACITY_RECIPE, contradicts_capacity, searches_capacity};
pub use experiment::{give_all_the_largest_data, recipe_names, variant_options};
pub use mlflow::read_tags;

use aiperf_config::{Config, DatasetSource, Environment, Phases, Recipe, defaults};

pub use self::load::phases::PhaseOptions;
use crate::catalogue::{OptionId, Support};
use crate::{ConfigError, RawOptions, command_line, unread_variables, variables};

impl RawOptions {
    /// The run that these options describe in these surroundings.
    pub fn resolve(&self, environment: &Environment) -> Result<Config, ConfigError> {
        self.resolve_with(None, environment)
    }

    /// The run of a file with these phases. `self` has the options of the first phase that counts, and of the run.
    pub fn resolve_phases(&self, phases: &[PhaseOptions], environment: &Environment) -> Result<Config, ConfigError> {
        self.resolve_with(Some(phases), environment)
    }

    fn resolve_with(&self, phases: Option<&[PhaseOptions]>, environment: &Environment) -> Result<Config, ConfigError> {
        let typed = self;
        refuse_unbuilt(typed)?;
        let raw = &*scenario::apply(typed)?;
        let raw = &*extension::apply(raw, environment)?;
        let mut warnings: Vec<String> = ignored(typed).collect();
        let mut tuning = variables::read(&environment.variables)?;
        let node = nodes::resolve(raw)?;
        let cluster = cluster::resolve(raw)?;
        let targets = endpoint::targets(raw, environment)?;
        let (models, selection) = endpoint::model::resolve(raw, &targets)?;
        let endpoint = endpoint::resolve(raw, environment, &tuning, targets, &models, &mut warnings)?;
        let dataset = dataset::resolve(raw, environment, &endpoint, &tuning, (models, selection), &mut warnings)?;
        let around = load::Surroundings { environment, dataset: &dataset, streaming: endpoint.streaming };
        let phases = if let Some(phases) = phases {
            load::phases::resolve(phases, raw, &around, &mut warnings)?
        } else {
            let (warmup, profiling) = load::resolve(raw, &around, &mut warnings)?;
            Phases::of(warmup, profiling)
        };
        let profiling = phases.profiling();
        nodes::check(raw, cluster.as_ref().map_or(node, nodes::first_share), &phases)?;
        cluster.as_ref().map_or(Ok(()), |cluster| cluster::check(raw, cluster, &phases))?;
        let accuracy = accuracy::resolve(raw, environment, &tuning, &phases)?;
        preconnect::check(raw, &endpoint, profiling, tuning.force_close)?;
        let mut output = output::resolve(raw, environment, &endpoint, &dataset, profiling, &mut warnings)?;
        if !node.is_whole() {
            output.dir.push(format!("node-{}", node.index()));
        }
        let gpu_telemetry = gpu_telemetry::resolve(raw, environment, &mut warnings)?;
        let gpu_cost = gpu_telemetry::cost(raw, gpu_telemetry.as_ref())?;
        let server_metrics = server_metrics::resolve(raw, tuning.scraping)?;
        let cache_bust = dataset::cache_bust::within(raw, &endpoint, &dataset, phases.has_warmup())?;
        let scenario = scenario::check(typed, raw, &endpoint, &dataset, profiling, cache_bust)?;
        warnings.extend(
            scenario
                .iter()
                .flat_map(|scenario| &scenario.violations)
                .map(|violation| format!("--scenario does not allow {violation}; kept because of --unsafe-override")),
        );
        warnings.extend(unread_variables(&environment.variables).iter().map(ToString::to_string));
        let api = api::resolve(raw, tuning.api_token.take())?;
        let network_latency = network_latency::resolve(raw, &endpoint, tuning.rtt_probing)?;
        // Servers that these recordings are made for know a session by this header.
        if let DatasetSource::Public(public) = &dataset.source {
            tuning.affinity.dynamo_session_id |= public.set.recipe == Recipe::AgentSpans;
        }
        let until_ci = until_ci::resolve(raw, profiling)?;
        dataset::check_kind(raw, endpoint.kind, &dataset.source)?;
        Ok(Config {
            endpoint,
            dataset,
            cache_bust,
            phases,
            capacity: None,
            scenario,
            allow_dataset_wrap: raw.flag(OptionId::AllowDatasetWrap)?,
            accuracy,
            output,
            api,
            network_latency,
            gpu_telemetry,
            gpu_cost,
            server_metrics,
            otel: otel::resolve(raw, environment)?,
            mlflow: mlflow::resolve(raw, environment)?,
            wandb: wandb::resolve(raw)?,
            until_ci,
            confidence_level: confidence_level(raw)?,
            random_seed: raw.int(OptionId::RandomSeed)?,
            dataset_seed: raw.int(OptionId::DatasetRandomSeed)?,
            node,
            start_at: nodes::start_at(raw)?,
            cluster,
            workers_max: raw.int(OptionId::WorkersMax)?,
            record_processors: raw.int(OptionId::RecordProcessorServiceCount)?,
            unreachable_timeout: raw
                .seconds(OptionId::UnreachableTimeout)?
                .or(Some(defaults::UNREACHABLE_TIMEOUT))
                .filter(|limit| !limit.is_zero()),
            tuning,
            command_line: command_line::repeat(typed, &environment.variables),
            user_files: Vec::new(),
            warnings,
        })
    }
}

/// Of all confidence intervals.
fn confidence_level(raw: &RawOptions) -> Result<f64, ConfigError> {
    Ok(raw.float(OptionId::ConfidenceLevel)?.unwrap_or(0.95))
}

/// Options that this program knows but does not have are refused by the name that was typed.
fn refuse_unbuilt(raw: &RawOptions) -> Result<(), ConfigError> {
    for given in raw.given() {
        let flag = given.spelling.clone();
        match given.id.spec().support {
            Support::Supported | Support::Ignored(_) => {}
            Support::NotYet => return Err(ConfigError::NotYet { flag }),
        }
    }
    Ok(())
}

/// A warning for each option that is accepted and changes nothing.
fn ignored(raw: &RawOptions) -> impl Iterator<Item = String> {
    raw.given().iter().filter_map(|given| match given.id.spec().support {
        Support::Ignored(reason) => Some(format!("{} has no effect: {reason}", given.spelling)),
        Support::Supported | Support::NotYet => None,
    })
}
