//! One run, from its configuration to its files.

mod record_pipeline;
#[cfg(test)]
mod tests;

use std::fs;
use std::num::NonZero;
use std::sync::Arc;
use std::thread;

use aiperf_clock::{Mono, Nanos, WallAnchor};
use aiperf_config::{Config, NetworkLatency, Pace, PhaseConfig, PhaseKind};
use aiperf_dataset::Dataset;
use aiperf_endpoint::{Endpoint, HeaderPlan};
use aiperf_engine::{
    Bodies, ControlSource, EndReason, FixedSchedule, PhaseHook, Plan, StopReason, Timing, WorkerGauge, bounded,
};
use aiperf_hub::Hub;
use aiperf_metrics::{ClientHealth, Metric, MetricContext, ValidityNote};
use aiperf_report::{ArtifactPaths, Certificate, InputsFile, RunConfig, RunNote, RunPlace, RunReport, SummaryFiles};
use aiperf_seed::{Seed, Stream};
use aiperf_socket::{grow_descriptor_table, raise_descriptor_limit};
use aiperf_tokenizer::Tokenizer;
use aiperf_transport::ClientSettings;

use crate::conclude::conclusion::{Conclusion, repeating_command};
use crate::conclude::verdict::Verdict;
use crate::contents::maker::Maker;
use crate::contents::sessions::{Markers, Renderer, Sessions};
use crate::error::RunError;
use crate::prepare::capacity;
use crate::prepare::counting;
use crate::prepare::data_warnings;
use crate::prepare::discovery;
use crate::prepare::readiness;
use crate::prepare::replay_plan;
use crate::prepare::scenario;
use crate::prepare::server_hook::{self, ProfilerHook};
use crate::prepare::settings;
use crate::prepare::strictness::Strictness;
use crate::prepare::target::Targets;
use crate::record::records::{ClosedFiles, RecordThreads};
use crate::record::stamps;
use crate::selftest::Tap;
use crate::watch::health::HealthWatch;
use crate::watch::judge::{Judge, Watch};
use crate::watch::monitor::Monitor;
use crate::watch::round_trip::{RttWatch, WhatIsMissing};
use crate::watch::steadiness::Steadiness;
use crate::watch::until_ci::UntilCi;

/// Finished requests that may wait for a record thread before workers hold theirs back.
const RECORD_QUEUE: usize = 16_384;

/// Descriptors that the process is made ready for: twice the connections that one address can open to a server.
const DESCRIPTORS: u64 = 65_536;

/// A run that is ready to start: everything that can be wrong with its input has been looked at.
#[derive(Debug)]
pub struct Run {
    pub(crate) config: Config,
    pub(crate) phases: Vec<PhaseConfig>,
    /// One per phase.
    pub(crate) contexts: Vec<MetricContext>,
    pub(crate) paths: ArtifactPaths,
    endpoint: Arc<dyn Endpoint>,
    pub(crate) seed: Seed,
    tokenizer: Arc<dyn Tokenizer>,
    pub(crate) dataset: Arc<Dataset>,
    fixed_schedule: FixedSchedule,
    sessions: Arc<Sessions>,
    headers: Arc<HeaderPlan>,
    pub(crate) targets: Targets,
    pub(crate) client: ClientSettings,
    pub(crate) strictness: Strictness,
    /// Self-tests of this machine, for the report to cite.
    pub(crate) certificates: Vec<Certificate>,
    pub(crate) tap: Option<Arc<Tap>>,
    /// Where it stands among other runs, if there are others.
    pub(crate) place: Option<RunPlace>,
    /// The values of single requests are wanted when it is over.
    pub(crate) keeps_values: bool,
}

/// What a run leaves behind.
#[derive(Debug)]
pub struct RunResult {
    pub report: RunReport,
    pub files: SummaryFiles,
    pub verdict: Verdict,
    /// Values of all successful requests, metric by metric; empty unless they were asked for.
    pub values: Vec<(Metric, Vec<f64>)>,
    /// Notes that `--strict` does not let pass.
    pub refused: Vec<ValidityNote>,
}

impl Run {
    /// Opens the targets and makes the data. `version` is the program's own; the tokenizer and public data sets come
    /// through `hub`.
    pub fn prepare(mut config: Config, version: &str, hub: &Hub) -> Result<Self, RunError> {
        // Before anything starts a thread.
        raise_descriptor_limit();
        grow_descriptor_table(DESCRIPTORS);
        let kind = config.endpoint.kind;
        let mut phases: Vec<PhaseConfig> = config.warmup.iter().chain([&config.profiling]).cloned().collect();
        let contexts = phases.iter().map(|phase| settings::metric_context(&config, phase)).collect::<Result<_, _>>()?;
        UntilCi::check(&config, &settings::metric_context(&config, &config.profiling)?)?;
        let strictness = Strictness::of(config.output.strict.as_ref())?;
        if let Some(scenario) = &config.scenario {
            scenario.set.iter().for_each(|option| log::info!("Scenario {} sets {option}", scenario.name));
            // Whoever repeats the run needs it.
            config.random_seed.get_or_insert_with(|| Seed::from_entropy().stream("scenario").next_u64() >> 1);
        }
        let seed = config.random_seed.map_or_else(Seed::from_entropy, Seed::fixed);
        let (tokenizer, dataset) = counting::prepare(&config, seed, hub)?;
        let dataset = Arc::new(dataset);
        scenario::check_data(&config, &dataset)?;
        let fixed_schedule = fixed_schedule(&phases, &dataset)?;
        for phase in phases.iter_mut().filter(|phase| phase.stop.whole_dataset) {
            let all = dataset.roots().len() as u64;
            phase.stop.sessions = Some(phase.stop.sessions.map_or(all, |asked| asked.min(all)));
        }
        data_warnings::warn(&dataset, replays(&phases));
        if let Some(replay) = phases.iter().find(|phase| matches!(phase.pace, Pace::FixedSchedule { .. })) {
            replay_plan::check(&config, replay, &dataset, &fixed_schedule)?;
        }
        let first = fixed_schedule.first().map_or_else(|| dataset.sampler(seed).draw().0, |(first, _)| *first);
        let headers = settings::header_plan(&config, version)?;
        let targets = Targets::open(&config.endpoint, &config.dataset.models[0])?;
        let client = settings::client_settings(&config, &targets)?;
        capacity::check(&config, &phases, &targets, workers(&config, &phases), client.connection_limit)?;
        let found = discovery::ask(&config, &targets, &client, &headers)?;
        let endpoint = aiperf_endpoint::of(kind, &settings::endpoint_settings(&config, found));
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
            tokenizer,
            dataset,
            fixed_schedule,
            sessions: Arc::new(sessions),
            headers: Arc::new(headers),
            targets,
            client,
            strictness,
            certificates: Vec::new(),
            tap: None,
            place: None,
            keeps_values: false,
            config,
        })
    }

    /// Lets the report hold this run against what self-tests of this machine have shown.
    pub fn cite(&mut self, certificates: Vec<Certificate>) {
        self.certificates = certificates;
    }

    /// Makes it one of several runs of the same command.
    pub fn take_place(&mut self, place: RunPlace, keeps_values: bool) {
        self.place = Some(place);
        self.keeps_values = keeps_values;
    }

    /// Runs all phases on the calling thread, then writes the summary files. Ends early, with what was measured, when
    /// `control` says so.
    pub fn execute(
        self,
        version: &str,
        control: &ControlSource,
        monitor: &Arc<Monitor>,
    ) -> Result<RunResult, RunError> {
        // Servers that are asked what they serve were waited for then.
        let readiness = self.config.endpoint.readiness.filter(|_| !self.config.endpoint.kind.speaks_grpc());
        let waited_for_server = match readiness {
            Some(wanted) => readiness::wait(wanted, &self.config, &self.targets, &self.client, control)?,
            None => Nanos::ZERO,
        };
        if let Some(reset) = &self.config.endpoint.reset_kv_cache {
            server_hook::reset_caches(reset, &self.config, &self.targets, &self.client, control)?;
        }
        let inputs = if self.dataset.writes_inputs() { Some(InputsFile::create(&self.paths.inputs())?) } else { None };
        let sampler = self.dataset.sampler(self.seed);
        let maker = Maker::start(&self.sessions, &self.phases, sampler, &self.fixed_schedule, inputs)
            .map_err(RunError::MakerThread)?;
        let benchmark_id = self.new_id();
        self.run_note(version, &benchmark_id).write(&self.paths)?;
        self.write_run_config(&benchmark_id)?;
        let anchor = WallAnchor::take();
        let (records, finished) = bounded(RECORD_QUEUE);
        let watches = self.watches(anchor, monitor, control)?;
        let desk = Arc::new(self.record_desk(anchor, monitor, control, &watches)?);
        let threads = RecordThreads::start(self.record_threads(), &desk, &finished)?;
        let gauge = Arc::new(WorkerGauge::default());
        monitor.keep(desk.kept(&gauge));
        let began = Mono::now();
        let health =
            HealthWatch::start(Arc::clone(&gauge), Arc::clone(monitor), finished, &self.client.stamping, processors());
        let rtt_watch = self.rtt_watch(monitor, anchor)?;
        let outcomes = aiperf_engine::run(self.plan(), control, records, &monitor.progress, &gauge)?;
        let watched = health.map(HealthWatch::finish);
        let (columns, stamps) = threads.finish(self.phases.len())?;
        let broken_off = outcomes.iter().find(|outcome| matches!(outcome.ended_by, EndReason::Stopped(_)));
        let until = broken_off.map_or_else(Mono::now, |outcome| outcome.end);
        let convictions = watches.into_iter().map(|watch| watch.finish(until)).collect();
        let delays = watched.as_ref().map(|watched| watched.delays.clone()).unwrap_or_default();
        let retry_after = desk.retry_after();
        let ClosedFiles { files: mut closed, lost } = desk.close(&self.paths);
        let interrupted = outcomes.iter().any(|outcome| outcome.ended_by == EndReason::Stopped(StopReason::Interrupt));
        let network_rtt = rtt_watch.and_then(|watch| {
            let missing = if interrupted { WhatIsMissing::LetBe } else { WhatIsMissing::MakeUpFor };
            let (rtt, file) = watch.finish(missing);
            closed.written.push(file);
            rtt
        });
        let inputs = maker.finish(control, interrupted);
        data_warnings::warn_of_lengths(&self.dataset);
        let conclusion = Conclusion {
            benchmark_id,
            outcomes: &outcomes,
            columns: &columns,
            anchor: &anchor,
            health: watched.map(|watched| ClientHealth::judge(began, &watched.samples)),
            began,
            timestamps: stamps::of_run(&self.client.stamping, stamps, &delays),
            other_files: closed.written,
            network_rtt,
            waited_for_server,
            convictions,
            retry_after,
            lost,
            is_partial: inputs.is_err() || !closed.failed.is_empty(),
        };
        let mut result = conclusion.draw(&self, version);
        result.files.failed.extend(closed.failed);
        result.files.failed.extend(inputs.err());
        if result.files.has(&self.paths.summary_json()) {
            // The summary says all that it says.
            let _ = fs::remove_file(self.paths.run_note());
        }
        Ok(result)
    }

    /// Those who may end the run early, one for each rule that it was given.
    fn watches(
        &self,
        anchor: WallAnchor,
        monitor: &Arc<Monitor>,
        control: &ControlSource,
    ) -> Result<Vec<Watch>, RunError> {
        let mut judges: Vec<Box<dyn Judge>> = Vec::new();
        if let Some(windows) = self.config.profiling.stop.windows {
            judges.push(Box::new(Steadiness::new(windows, anchor)));
        }
        if !self.config.until_ci.is_empty() {
            judges.push(Box::new(UntilCi::new(&self.config, self.profiling_context(), monitor)?));
        }
        let start = |judge| Watch::start(judge, self.profiling_context().clone(), monitor, control.control());
        judges.into_iter().map(start).collect()
    }

    /// Only where the round trip is to be measured.
    fn rtt_watch(&self, monitor: &Arc<Monitor>, anchor: WallAnchor) -> Result<Option<RttWatch>, RunError> {
        let Some(NetworkLatency::Measured(probing)) = self.config.network_latency else { return Ok(None) };
        RttWatch::start(probing, &self.targets, &self.client, monitor, anchor, &self.paths).map(Some)
    }

    fn run_note(&self, version: &str, benchmark_id: &str) -> RunNote {
        RunNote {
            aiperf_version: version.to_owned(),
            benchmark_id: benchmark_id.to_owned(),
            input_config: self.config.to_input_config(),
            random_seed: self.config.random_seed,
            cli_command: repeating_command(self),
        }
    }

    /// 12 hexadecimal digits, or 32 where there are several runs, as in the reference.
    fn new_id(&self) -> String {
        let mut id = Stream::from_entropy().uuid().simple().to_string();
        if self.place.is_none() {
            id.truncate(12);
        }
        id
    }

    /// Beside the results of one of several runs: what it was to be.
    fn write_run_config(&self, benchmark_id: &str) -> Result<(), RunError> {
        let Some(place) = &self.place else { return Ok(()) };
        let config = RunConfig {
            benchmark_id,
            place,
            input_config: &self.config.to_input_config(),
            random_seed: self.config.random_seed,
            cli_command: &self.config.command_line,
        };
        Ok(config.write(&self.paths)?)
    }

    fn plan(&self) -> Plan {
        let mut sampler = self.dataset.sampler(self.seed);
        let tuning = &self.config.tuning;
        Plan {
            workers: workers(&self.config, &self.phases),
            phases: self.phases.clone(),
            conversations: self.sessions.for_engine().into(),
            bodies: Arc::clone(&self.sessions) as Arc<dyn Bodies>,
            next_conversation: Box::new(move || sampler.draw().0),
            fixed_schedule: self.fixed_schedule.clone(),
            targets: self.targets.requests.clone().into(),
            headers: Arc::clone(&self.headers),
            endpoint: Arc::clone(&self.endpoint),
            request_timeout: self.config.endpoint.request_timeout.map(Nanos::from),
            reuse: self.config.endpoint.connection_reuse,
            client: self.client.clone(),
            wire: self.config.endpoint.wire,
            seed: self.seed,
            hook: self.config.endpoint.server_profiler.as_ref().map(|profiler| {
                let hook = ProfilerHook::new(profiler, &self.config, &self.targets, &self.client);
                Box::new(hook) as Box<dyn PhaseHook>
            }),
            timing: Timing {
                cut_drain: tuning.cancel_drain,
                rate_ramp_interval: tuning.rate_ramp_interval,
                send_limit: tuning.cancellation_send_timeout,
                dag_fail_fast: tuning.dag_fail_fast,
                unreachable_limit: self.config.unreachable_timeout,
            },
        }
    }

    fn record_threads(&self) -> usize {
        self.config.record_processors.unwrap_or_else(|| (processors() / 4).clamp(1, 8))
    }

    /// The context of the profiling phase.
    pub(crate) fn profiling_context(&self) -> &MetricContext {
        let profiling = self.phases.iter().rposition(|phase| phase.kind == PhaseKind::Profiling);
        &self.contexts[profiling.unwrap_or_default()]
    }
}

/// Half the processors by default: the other half is for record threads, the conductor and, often, the server.
fn workers(config: &Config, phases: &[PhaseConfig]) -> usize {
    let limits = phases.iter().map(|phase| phase.pace.session_limit().unwrap_or(usize::MAX));
    let wanted = config.workers_max.unwrap_or_else(|| (processors() / 2).clamp(1, 32));
    wanted.min(limits.max().unwrap_or(1)).max(1)
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Whether a phase sends at the times of the data.
fn replays(phases: &[PhaseConfig]) -> bool {
    phases.iter().any(|phase| matches!(phase.pace, Pace::FixedSchedule { .. }))
}

/// The order in which a replay sends; empty when no phase is one.
fn fixed_schedule(phases: &[PhaseConfig], dataset: &Dataset) -> Result<FixedSchedule, RunError> {
    if !replays(phases) {
        return Ok(FixedSchedule::new());
    }
    Ok(dataset.schedule()?.into_iter().map(|(index, at)| (index.0, at)).collect())
}
