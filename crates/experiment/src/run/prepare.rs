//! Checks the input of a run, and opens and builds what it needs.

use std::sync::{Arc, Mutex};

use aiperf_config::{Config, Pace, PhaseConfig, divide_counts, divide_limits};
use aiperf_dataset::Dataset;
use aiperf_engine::FixedSchedule;
use aiperf_hub::Hub;
use aiperf_live::{LiveRun, StageName, StageState};
use aiperf_metrics::MetricContext;
use aiperf_report::ArtifactPaths;
use aiperf_seed::Seed;
use aiperf_socket::{grow_descriptor_table, raise_descriptor_limit};

use super::Run;
use super::thread_counts::workers;
use crate::accuracy::grader;
use crate::adaptive_scale;
use crate::contents::sessions::{Markers, Renderer, Sessions};
use crate::error::RunError;
use crate::prepare::strictness::Strictness;
use crate::prepare::target::Targets;
use crate::prepare::{capacity, counting, data_warnings, discovery, node_split, replay_plan, scenario, settings};
use crate::watch::until_ci::UntilCi;

/// Size to which the kernel's descriptor table is grown: twice the connections that one address can open to a server.
const DESCRIPTORS: u64 = 65_536;

impl Run {
    /// Opens the targets and builds the data set. `version` is that of the program; the tokenizer and public data sets are
    /// loaded through `hub`, and `live` is told what happens.
    pub fn prepare(mut config: Config, version: &str, hub: &Hub, live: &Arc<LiveRun>) -> Result<Self, RunError> {
        // Before anything starts a thread.
        raise_descriptor_limit();
        grow_descriptor_table(DESCRIPTORS);
        let kind = config.endpoint.kind;
        let mut phases: Vec<PhaseConfig> = config.phases.iter().cloned().collect();
        divide_limits(&mut phases, config.node);
        let contexts = phases.iter().map(|phase| started_context(&config, phase)).collect::<Result<Vec<_>, _>>()?;
        phases.iter().zip(&contexts).try_for_each(|(phase, context)| adaptive_scale::validate(phase, context))?;
        UntilCi::validate(&config, &settings::metric_context(&config, config.phases.profiling())?)?;
        let strictness = Strictness::of(config.output.strict.as_ref())?;
        let grader = config.accuracy.as_ref().map(|accuracy| grader::prepare(&accuracy.grader)).transpose()?;
        if let Some(scenario) = &config.scenario {
            scenario.set.iter().for_each(|option| log::info!("Scenario {} sets {option}", scenario.name));
            // A submission has to be repeatable: its seed is recorded.
            config.random_seed.get_or_insert_with(|| Seed::from_entropy().stream("scenario").next_u64() >> 1);
        }
        let seed = config.random_seed.map_or_else(Seed::from_entropy, Seed::fixed);
        let data_seed = config.dataset_seed.map_or(seed, Seed::fixed);
        let (tokenizer, dataset) = counting::prepare(&config, data_seed, hub, live)?;
        let dataset = Arc::new(dataset);
        scenario::check_data(&config, &dataset)?;
        let mut fixed_schedule = fixed_schedule(&phases, &dataset)?;
        for phase in phases.iter_mut().filter(|phase| phase.stop.whole_dataset) {
            let all = dataset.roots().len() as u64;
            phase.stop.sessions = Some(phase.stop.sessions.map_or(all, |asked| asked.min(all)));
        }
        divide_counts(&mut phases, config.node, dataset.has_one_turn_each());
        node_split::divide_schedule(&mut phases, config.node, &mut fixed_schedule)?;
        data_warnings::warn(&dataset, replays(&phases));
        if let Some(replay) = phases.iter().find(|phase| matches!(phase.pace, Pace::FixedSchedule { .. })) {
            replay_plan::check(&config, replay, &dataset, &fixed_schedule)?;
        }
        let first = fixed_schedule.first().map_or_else(|| dataset.sampler(data_seed).draw().0, |(first, _)| *first);
        let headers = settings::header_plan(&config, version)?;
        let targets = Targets::open(&config.endpoint, &config.dataset.models[0])?;
        let client = settings::client_settings(&config, &targets)?;
        capacity::check(&config, &phases, &targets, workers(&config, &phases), client.connection_limit)?;
        let asked = phases.clone();
        phases.iter_mut().for_each(adaptive_scale::begin);
        let servers = targets.shown();
        live.stage(StageName::Endpoint, StageState::Working { done: 0, of: 0 }, &servers);
        let found = discovery::ask(&config, &targets, &client, &headers)?;
        let endpoint = aiperf_endpoint::of(kind, &settings::endpoint_settings(&config, found)?);
        let renderer = Renderer { endpoint: Arc::clone(&endpoint), options: settings::body_options(&config) };
        let room = config.tuning.dataset_memory;
        let markers = Markers::new(config.cache_bust, &phases);
        if markers.is_some() {
            dataset.check_markers()?;
        }
        let sessions = Sessions::prepare(Arc::clone(&dataset), kind, renderer, markers, first, room)?;
        let paths = ArtifactPaths::new(config.output.dir.clone(), config.output.prefix.as_deref());
        Ok(Self {
            phases,
            contexts,
            paths,
            endpoint,
            seed,
            data_seed,
            tokenizer,
            dataset,
            fixed_schedule,
            sessions: Arc::new(sessions),
            headers: Arc::new(headers),
            targets,
            client,
            strictness,
            certificates: Vec::new(),
            build: None,
            tap: None,
            place: None,
            keeps_values: false,
            load_controllers: Mutex::default(),
            barrier: Mutex::default(),
            grader: Mutex::new(grader),
            asked_phases: asked,
            live: Arc::clone(live),
            config,
        })
    }
}

/// Which metrics a phase has, with the load that it begins with.
fn started_context(config: &Config, phase: &PhaseConfig) -> Result<MetricContext, RunError> {
    let mut started = phase.clone();
    adaptive_scale::begin(&mut started);
    settings::metric_context(config, &started)
}

/// Whether a phase sends at the timestamps of the data.
fn replays(phases: &[PhaseConfig]) -> bool {
    phases.iter().any(|phase| matches!(phase.pace, Pace::FixedSchedule { .. }))
}

/// The order in which a replay starts sessions; empty if no phase is a replay.
fn fixed_schedule(phases: &[PhaseConfig], dataset: &Dataset) -> Result<FixedSchedule, RunError> {
    if !replays(phases) {
        return Ok(FixedSchedule::new());
    }
    Ok(dataset.schedule()?.into_iter().map(|(index, at)| (index.0, at)).collect())
}
