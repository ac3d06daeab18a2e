//! One run, from its configuration to its files.

mod record_pipeline;
#[cfg(test)]
mod tests;

use std::fs;
use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use aiperf_clock::{Mono, Nanos, WallAnchor};
use aiperf_config::{Config, ExportLevel, NetworkLatency, Pace, PhaseConfig, SentShare, divide_counts, divide_limits};
use aiperf_dataset::Dataset;
use aiperf_endpoint::{Endpoint, HeaderPlan};
use aiperf_engine::{
    Bodies, ControlSource, FixedSchedule, PhaseHook, PhaseOutcome, Plan, RecordQueue, RecordQueueFigures, SendSettings,
    SpillThread, Timing, WorkerGauge, Workload, record_queue,
};
use aiperf_grading::AnswerGrader;
use aiperf_hub::Hub;
use aiperf_live::{LiveRun, PhasePlan, RunPlan, RunState, StageName, StageState};
use aiperf_metrics::{ClientHealth, Metric, MetricContext, PhaseWindow, RecordBacklog, ValidityNote};
use aiperf_protocol::StopReason;
use aiperf_redact::shown_url;
use aiperf_report::{
    ArtifactPaths, Certificate, InputsFile, ProgramBuild, RunConfig, RunNote, RunPlace, RunReport, SummaryFiles,
    WrittenFile,
};
use aiperf_seed::{Seed, Stream};
use aiperf_socket::{grow_descriptor_table, raise_descriptor_limit};
use aiperf_telemetry::gpu::collector::LastReading;
use aiperf_tokenizer::Tokenizer;
use aiperf_transport::ClientSettings;

use crate::accuracy::grader;
use crate::accuracy::grading_thread::GradingThread;
use crate::adaptive_scale;
use crate::conclude::server_metrics::ConcludedMetrics;
use crate::conclude::summarise::{RunMeasurements, repeating_command};
use crate::contents::prefetch::{Prefetcher, SampledOrder};
use crate::contents::sessions::{Markers, Renderer, Sessions};
use crate::error::RunError;
use crate::prepare::capacity;
use crate::prepare::counting;
use crate::prepare::data_warnings;
use crate::prepare::discovery;
use crate::prepare::node_split;
use crate::prepare::readiness;
use crate::prepare::replay_plan;
use crate::prepare::scenario;
use crate::prepare::server_hook::{self, ProfilerHook};
use crate::prepare::settings;
use crate::prepare::start_time::{self, CommonStart, StartBarrier};
use crate::prepare::strictness::Strictness;
use crate::prepare::target::Targets;
use crate::record::stamps;
use crate::record::threads::{ClosedFiles, RecordThreads};
use crate::selftest::ClientTap;
use crate::watch::early_stop::{EarlyStop, StopReport, StopRule};
use crate::watch::gauges::{MonitorGauges, phase_plan};
use crate::watch::gpu_telemetry::GpuWatch;
use crate::watch::health::HealthSampler;
use crate::watch::load_control::{self, LoadControl, LoadController};
use crate::watch::monitor::Monitor;
use crate::watch::round_trip::{MissingSamples, RttSampler};
use crate::watch::server_metrics::{PhaseHooks, ServerMetricsWatch};
use crate::watch::stable_windows::StableWindows;
use crate::watch::until_ci::UntilCi;

/// Size to which the kernel's descriptor table is grown: twice the connections that one address can open to a server.
const DESCRIPTORS: u64 = 65_536;

/// A run that is ready to start: its input has been checked.
#[derive(Debug)]
pub struct Run {
    pub(crate) config: Config,
    pub(crate) phases: Vec<PhaseConfig>,
    /// The phases as they were asked for, where their load is raised while they run.
    asked_phases: Vec<PhaseConfig>,
    /// One per phase.
    pub(crate) contexts: Vec<MetricContext>,
    pub(crate) paths: ArtifactPaths,
    endpoint: Arc<dyn Endpoint>,
    pub(crate) seed: Seed,
    /// Of the data and the order in which it is drawn.
    data_seed: Seed,
    tokenizer: Arc<dyn Tokenizer>,
    pub(crate) dataset: Arc<Dataset>,
    fixed_schedule: FixedSchedule,
    sessions: Arc<Sessions>,
    headers: Arc<HeaderPlan>,
    pub(crate) targets: Targets,
    pub(crate) client: ClientSettings,
    pub(crate) strictness: Strictness,
    /// Self-tests of this machine, for the report to refer to.
    pub(crate) certificates: Vec<Certificate>,
    /// What the program was built from, if it has said so.
    pub(crate) build: Option<ProgramBuild>,
    pub(crate) tap: Option<Arc<ClientTap>>,
    /// Its place among several runs of one command, if there are several.
    pub(crate) place: Option<RunPlace>,
    /// Whether the values of single requests are kept for the caller.
    pub(crate) keeps_values: bool,
    /// Controllers of phases whose load is controlled, by index.
    load_controllers: Mutex<Vec<(usize, Box<dyn LoadController>)>>,
    /// What makes the run wait for others when it is ready.
    pub(crate) barrier: Mutex<Option<Box<dyn StartBarrier>>>,
    /// What another process has sent of the share of this one.
    done: Option<SentShare>,
    /// Who grades the answers of an accuracy benchmark.
    grader: Mutex<Option<Box<dyn AnswerGrader>>>,
    /// What views of the run know.
    live: Arc<LiveRun>,
}

/// The result of a run.
#[derive(Debug)]
pub struct RunResult {
    pub report: RunReport,
    pub files: SummaryFiles,
    /// Values of all successful requests by metric; empty unless [`Run::take_place`] asked for them.
    pub values: Vec<(Metric, Vec<f64>)>,
    /// Validity notes that `--strict` turns into a failure.
    pub refused: Vec<ValidityNote>,
}

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
        let servers = shown_targets(&targets);
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
            done: None,
            grader: Mutex::new(grader),
            asked_phases: asked,
            live: Arc::clone(live),
            config,
        })
    }

    /// Lets the report compare this run with self-tests of this machine.
    pub fn cite(&mut self, certificates: Vec<Certificate>) {
        self.certificates = certificates;
    }

    /// Lets the summary say what the program was built from.
    pub fn set_build(&mut self, build: ProgramBuild) {
        self.build = Some(build);
    }

    /// Marks it as one of several runs of the same command.
    pub fn take_place(&mut self, place: RunPlace, keeps_values: bool) {
        self.place = Some(place);
        self.keeps_values = keeps_values;
    }

    /// Lets the run wait for others when it is ready.
    pub fn start_with(&mut self, barrier: Box<dyn StartBarrier>) {
        self.barrier = Mutex::new(Some(barrier));
    }

    /// Leaves out what another process has sent of the share of this one.
    pub fn go_on_after(&mut self, done: SentShare) {
        done.take_from(&mut self.phases);
        self.done = Some(done);
    }

    /// Whether each session of the data sends one request.
    pub fn has_one_turn_each(&self) -> bool {
        self.dataset.has_one_turn_each()
    }

    /// Lets `controller` change the load of a phase, by its index, while the phase runs. Without one a phase with
    /// [`Pace::Controlled`] keeps the load that it begins with.
    pub fn control_load(&mut self, phase: usize, controller: Box<dyn LoadController>) {
        debug_assert!(
            self.phases.get(phase).is_some_and(load_control::is_controlled),
            "nobody sets the load of phase {phase}"
        );
        self.load_controllers.get_mut().unwrap_or_else(PoisonError::into_inner).push((phase, controller));
    }

    /// Runs all phases on the calling thread, then writes the summary files. If `control` asks for it, the run ends early and
    /// reports what was measured so far.
    pub fn execute(
        mut self,
        version: &str,
        control: &ControlSource,
        monitor: &Arc<Monitor>,
    ) -> Result<RunResult, RunError> {
        let servers = shown_targets(&self.targets);
        // For gRPC, discovery has waited for the server already.
        let readiness = self.config.endpoint.readiness.filter(|_| !self.config.endpoint.kind.speaks_grpc());
        let waited_for_server = if let Some(wanted) = readiness {
            self.live.stage(
                StageName::Endpoint,
                StageState::Working { done: 0, of: 0 },
                format!("waiting for {servers}"),
            );
            let waited = readiness::wait(wanted, &self.config, &self.targets, &self.client, control)?;
            self.live.stage(StageName::Endpoint, StageState::Done, format!("{servers} is ready"));
            waited
        } else {
            let (state, text) = if self.config.endpoint.kind.speaks_grpc() {
                (StageState::Done, servers)
            } else {
                (StageState::Skipped, format!("{servers}, not probed"))
            };
            self.live.stage(StageName::Endpoint, state, text);
            Nanos::ZERO
        };
        if let Some(reset) = &self.config.endpoint.reset_kv_cache {
            server_hook::reset_caches(reset, &self.config, &self.targets, &self.client, control)?;
        }
        self.begin_capacity_search(version)?;
        let inputs = if self.dataset.writes_inputs() { Some(InputsFile::create(&self.paths.inputs())?) } else { None };
        let order = SampledOrder {
            sampler: self.dataset.sampler(self.data_seed),
            done: self.done.as_ref().map_or(0, SentShare::total),
        };
        let prefetcher = Prefetcher::start(&self.sessions, &self.phases, order, &self.fixed_schedule, inputs)
            .map_err(|cause| RunError::Thread { name: "prefetch", cause })?;
        let benchmark_id = self.new_run_id();
        self.run_note(version, &benchmark_id).write(&self.paths)?;
        self.write_run_config(&benchmark_id)?;
        let anchor = WallAnchor::take();
        self.live.stage(
            StageName::Telemetry,
            StageState::Working { done: 0, of: 0 },
            "looking for metrics pages and GPUs",
        );
        let watchers = (monitor, &self.live);
        let gpus = GpuWatch::start(&self.config, &self.targets, &self.client, watchers, anchor, &self.paths)?;
        let mut server_metrics = ServerMetricsWatch::start(
            &self.config,
            &self.targets,
            &self.client,
            anchor,
            &self.paths,
            &monitor.server_metrics,
        )?;
        let (records, queue) = record_queue(self.config.tuning.record_memory);
        let early_stops = self.early_stops(anchor, monitor, control)?;
        let load_controls = self.load_controls(anchor, monitor, control)?;
        let grading = self.grading_thread()?;
        let watches = (&early_stops[..], &load_controls[..], grading.as_ref());
        let pipeline = Arc::new(self.record_pipeline(anchor, monitor, control, watches)?);
        let threads = RecordThreads::start(self.record_threads(), &pipeline, &queue)?;
        let spill = self.spill_thread(&queue, control)?;
        let gpu_count = gpus.as_ref().map_or(0, |gpus| gpus.settle(control));
        let gauge = Arc::new(WorkerGauge::default());
        monitor.keep(pipeline.record_files(&gauge));
        let began = Mono::now();
        let health = HealthSampler::start(
            Arc::clone(&gauge),
            Arc::clone(monitor),
            Arc::clone(&self.live),
            queue.clone(),
            &self.client.stamping,
            processors(),
        );
        let rtt_sampler = self.rtt_sampler(monitor, anchor)?;
        if let Some(server_metrics) = &mut server_metrics {
            server_metrics.wait_for_first_pages()?;
        }
        self.tell_telemetry(server_metrics.as_ref(), gpus.is_some(), gpu_count);
        let phases =
            self.phases.iter().zip(&self.contexts).map(|(phase, context)| phase_plan(phase, context)).collect();
        let gauges = Arc::new(MonitorGauges(Arc::clone(monitor)));
        self.live.begin(RunPlan { benchmark_id: benchmark_id.clone(), phases }, gauges);
        let start = start_time::wait(&mut self, anchor, control);
        let plan = self.plan(server_metrics.as_ref(), start);
        let outcomes = aiperf_engine::run(plan, control, records, &monitor.progress, &gauge)?;
        self.live.enter(RunState::Processing);
        let interrupted = outcomes.iter().any(|outcome| outcome.ended_by.is_interrupted());
        if let Some(server_metrics) = &server_metrics {
            server_metrics.run_is_over(interrupted);
        }
        let last_reading = if interrupted { LastReading::Skip } else { LastReading::Wait };
        let gpu_result = gpus.and_then(|gpus| {
            gpus.finish(&outcomes, self.measured_window(&outcomes).as_ref(), anchor, last_reading, &self.paths)
        });
        let health_history = health.map(HealthSampler::finish);
        spill.into_iter().for_each(SpillThread::join);
        let (columns, stamps) = threads.finish(self.phases.len())?;
        self.live.enter(RunState::Exporting);
        let broken_off = outcomes.iter().find(|outcome| outcome.ended_by.is_stopped());
        let until = broken_off.map_or_else(Mono::now, |outcome| outcome.end);
        let consumed = pipeline.live.all_finished().map(StopReport::of_consumer);
        let (controlled, controller_files): (Vec<StopReport>, Vec<Vec<WrittenFile>>) =
            load_controls.into_iter().map(LoadControl::finish).unzip();
        let rules = early_stops.into_iter().map(|rule| rule.finish(until));
        let stop_reports = rules.chain(controlled).chain(consumed).collect();
        let delays = health_history.as_ref().map(|history| history.delays.clone()).unwrap_or_default();
        let retry_after = pipeline.retry_after();
        let ClosedFiles { files: mut closed, lost } = pipeline.close(&self.paths);
        closed.written.extend(controller_files.into_iter().flatten());
        let accuracy = grading.map(|grading| {
            let (report, totals) = grading.finish(control, interrupted, self.profiling_context().confidence);
            closed.note_lines("Accuracy Export", self.paths.accuracy(), &totals);
            report
        });
        closed.written.extend(gpu_result.as_ref().and_then(|gpus| gpus.file.clone()));
        let network_rtt = rtt_sampler.and_then(|sampler| {
            let missing = if interrupted { MissingSamples::Skip } else { MissingSamples::Collect };
            let (rtt, file) = sampler.finish(missing);
            closed.written.push(file);
            rtt
        });
        let inputs = prefetcher.finish(control, interrupted);
        if inputs.is_ok() && self.paths.inputs().exists() {
            closed.written.push(WrittenFile { label: "Inputs JSON".into(), path: self.paths.inputs() });
        }
        let server_metrics = server_metrics
            .map(|watch| ConcludedMetrics::new(watch.finish(), &outcomes, &anchor, &benchmark_id, version, &self));
        let mut server_metrics = server_metrics.unwrap_or_default();
        closed.written.append(&mut server_metrics.written);
        closed.failed.append(&mut server_metrics.failed);
        data_warnings::warn_of_lengths(&self.dataset);
        let measurements = RunMeasurements {
            benchmark_id,
            outcomes: &outcomes,
            columns,
            anchor: &anchor,
            health: health_history.map(|history| {
                let mut health = ClientHealth::assess(began, &history.samples);
                health.add_record_backlog(backlog(&queue.figures(), began));
                health
            }),
            began,
            timestamps: stamps::of_run(&self.client.stamping, stamps, &delays),
            other_files: closed.written,
            network_rtt,
            gpus: gpu_result,
            server_metrics: server_metrics.metrics,
            waited_for_server,
            stop_reports,
            accuracy,
            retry_after,
            lost,
            is_partial: inputs.is_err() || !closed.failed.is_empty(),
        };
        let mut result = measurements.summarise(&self, version);
        result.files.failed.extend(closed.failed);
        result.files.failed.extend(inputs.err());
        if result.files.has(&self.paths.summary_json()) {
            // The summary holds everything that the note does.
            let _ = fs::remove_file(self.paths.run_note());
        }
        Ok(result)
    }

    /// One thread for each rule that may end the run early.
    fn early_stops(
        &self,
        anchor: WallAnchor,
        monitor: &Arc<Monitor>,
        control: &ControlSource,
    ) -> Result<Vec<EarlyStop>, RunError> {
        let mut rules: Vec<Box<dyn StopRule>> = Vec::new();
        if let Some(windows) = self.config.phases.profiling().stop.windows {
            rules.push(Box::new(StableWindows::new(windows, anchor)));
        }
        if !self.config.until_ci.is_empty() {
            rules.push(Box::new(UntilCi::new(&self.config, self.profiling_context(), monitor)?));
        }
        let start = |rule| EarlyStop::start(rule, self.profiling_context().clone(), monitor, control.control());
        rules.into_iter().map(start).collect()
    }

    /// `None` unless answers are to be graded.
    fn grading_thread(&mut self) -> Result<Option<GradingThread>, RunError> {
        let grader = self.grader.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let (Some(config), Some(keys), Some(grader)) = (&self.config.accuracy, &self.dataset.answer_keys, grader)
        else {
            return Ok(None);
        };
        GradingThread::start(config, keys, &self.dataset, grader, &self.paths).map(Some)
    }

    /// One thread for each controller of a load.
    fn load_controls(
        &mut self,
        anchor: WallAnchor,
        monitor: &Arc<Monitor>,
        control: &ControlSource,
    ) -> Result<Vec<LoadControl>, RunError> {
        let scaled = adaptive_scale::controllers(&self.asked_phases, &self.contexts, &self.paths)?;
        let scaled =
            scaled.into_iter().map(|(phase, controller)| (phase, Box::new(controller) as Box<dyn LoadController>));
        let controllers = self.load_controllers.get_mut().unwrap_or_else(PoisonError::into_inner);
        let controllers = std::mem::take(controllers).into_iter().chain(scaled);
        let start = |(phase, controller): (usize, Box<dyn LoadController>)| {
            LoadControl::start(phase, controller, self.contexts[phase].clone(), anchor, monitor, control)
        };
        controllers.map(start).collect()
    }

    /// `None` unless the network round trip is to be measured.
    fn rtt_sampler(&self, monitor: &Arc<Monitor>, anchor: WallAnchor) -> Result<Option<RttSampler>, RunError> {
        let Some(NetworkLatency::Measured(probing)) = self.config.network_latency else { return Ok(None) };
        RttSampler::start(probing, &self.targets, &self.client, monitor, anchor, &self.paths).map(Some)
    }

    /// The line of start-up about telemetry.
    fn tell_telemetry(&self, pages: Option<&ServerMetricsWatch>, looks_for_gpus: bool, gpus: usize) {
        let pages = pages.map(|pages| match pages.first_pages_read() {
            (0, _) => "no metrics page of the server yet".to_owned(),
            (read, all) if read == all => "server metrics".to_owned(),
            (read, all) => format!("{read} of {all} metrics pages"),
        });
        let gpus = looks_for_gpus.then(|| match gpus {
            0 => "no GPUs".to_owned(),
            1 => "1 GPU".to_owned(),
            gpus => format!("{gpus} GPUs"),
        });
        let found: Vec<String> = pages.into_iter().chain(gpus).collect();
        let state = if found.is_empty() { StageState::Skipped } else { StageState::Done };
        let text = if found.is_empty() { "off".to_owned() } else { found.join(", ") };
        self.live.stage(StageName::Telemetry, state, text);
    }

    fn run_note(&self, version: &str, benchmark_id: &str) -> RunNote {
        RunNote {
            aiperf_version: version.to_owned(),
            benchmark_id: benchmark_id.to_owned(),
            input_config: self.config.to_input_config(),
            random_seed: self.config.random_seed,
            cli_command: repeating_command(self),
            build: self.build.clone(),
        }
    }

    /// A random id, different for each run even with the same seed: 12 hexadecimal digits, or 32 if there are several runs, as in
    /// the reference.
    fn new_run_id(&self) -> String {
        let mut id = Stream::from_entropy().uuid().simple().to_string();
        if self.place.is_none() {
            id.truncate(12);
        }
        id
    }

    /// For one of several runs: writes its configuration next to its results.
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

    fn plan(&self, server_metrics: Option<&ServerMetricsWatch>, start: Option<CommonStart>) -> Plan {
        let mut sampler = self.dataset.sampler(self.data_seed);
        let tuning = &self.config.tuning;
        Plan {
            workers: workers(&self.config, &self.phases),
            workload: Workload {
                phases: self.phases.clone(),
                conversations: self.sessions.for_engine().into(),
                bodies: Arc::clone(&self.sessions) as Arc<dyn Bodies>,
                next_conversation: Box::new(move || sampler.draw().0),
                sessions_done: self.done.as_ref().map_or(0, SentShare::total),
                fixed_schedule: self.fixed_schedule.clone(),
                seed: self.seed,
                timing: Timing {
                    cut_drain: tuning.cancel_drain,
                    rate_ramp_interval: tuning.rate_ramp_interval,
                    dag_fail_fast: tuning.dag_fail_fast,
                    unreachable_limit: self.config.unreachable_timeout,
                },
                preconnect: self.config.endpoint.preconnect,
            },
            sending: SendSettings {
                targets: self.targets.requests.clone().into(),
                headers: Arc::clone(&self.headers),
                endpoint: Arc::clone(&self.endpoint),
                request_timeout: self.config.endpoint.request_timeout.map(Nanos::from),
                send_limit: tuning.cancellation_send_timeout.into(),
                reuse: self.config.endpoint.connection_reuse,
                client: self.client.clone(),
                wire: self.config.endpoint.wire,
                reads_while_arriving: self.config.output.level < ExportLevel::Raw
                    && !self.config.output.export_http_trace,
            },
            hook: self.hook(server_metrics, start),
        }
    }

    /// Writes finished requests to disk while record threads lag. A closed loop waits instead.
    fn spill_thread(&self, queue: &RecordQueue, control: &ControlSource) -> Result<Option<SpillThread>, RunError> {
        if self.phases.iter().all(|phase| matches!(phase.pace, Pace::Concurrency(_))) {
            return Ok(None);
        }
        let (control, folder) = (control.control(), self.config.output.dir.clone());
        let shown = folder.display().to_string();
        let thread = SpillThread::start(queue, &folder, move |cause| {
            log::error!(
                "Records lag, and the responses that wait for them cannot be spilled to a temporary file in {shown}: {cause}. The run \
                 stops; everything that finished is kept."
            );
            control.stop(StopReason::SpillFailed);
        });
        thread.map(Some).map_err(|cause| RunError::Thread { name: "spill", cause })
    }

    /// What is done between phases. Pages are scraped last before a phase, so that they show its start.
    fn hook(
        &self,
        server_metrics: Option<&ServerMetricsWatch>,
        start: Option<CommonStart>,
    ) -> Option<Box<dyn PhaseHook>> {
        let mut hooks: Vec<Box<dyn PhaseHook>> = Vec::new();
        if let Some(profiler) = &self.config.endpoint.server_profiler {
            hooks.push(Box::new(ProfilerHook::new(profiler, &self.config, &self.targets, &self.client)));
        }
        hooks.extend(server_metrics.map(ServerMetricsWatch::hook));
        hooks.extend(start.map(|start| Box::new(start) as Box<dyn PhaseHook>));
        (!hooks.is_empty()).then(|| Box::new(PhaseHooks(hooks)) as Box<dyn PhaseHook>)
    }

    fn record_threads(&self) -> usize {
        self.config.record_processors.unwrap_or_else(|| (processors() / 4).clamp(1, 8))
    }

    /// Indices of the phases that began and that the results are about.
    pub(crate) fn measured_phases(&self, outcomes: &[PhaseOutcome]) -> Vec<usize> {
        (0..outcomes.len()).filter(|index| self.phases[*index].is_measured()).collect()
    }

    /// Start and end of all measured phases together, and how much of that time belongs to them; `None` if none began.
    pub(crate) fn measured_window(&self, outcomes: &[PhaseOutcome]) -> Option<PhaseWindow> {
        let measured = self.measured_phases(outcomes);
        let window = |index: &usize| PhaseWindow::new(outcomes[*index].start, outcomes[*index].end);
        PhaseWindow::join(&measured.iter().map(window).collect::<Vec<_>>())
    }

    /// The context of the first profiling phase that counts.
    pub(crate) fn profiling_context(&self) -> &MetricContext {
        let profiling = self.phases.iter().position(PhaseConfig::is_measured);
        &self.contexts[profiling.unwrap_or_default()]
    }
}

/// The phases of a run, for views of a run that other processes send.
pub fn phase_plans(config: &Config) -> Result<Vec<PhasePlan>, RunError> {
    config.phases.iter().map(|phase| Ok(phase_plan(phase, &started_context(config, phase)?))).collect()
}

/// Which metrics a phase has, with the load that it begins with.
fn started_context(config: &Config, phase: &PhaseConfig) -> Result<MetricContext, RunError> {
    let mut started = phase.clone();
    adaptive_scale::begin(&mut started);
    settings::metric_context(config, &started)
}

/// Half the processors by default: the other half is for record threads, the scheduler and, often, the server.
fn workers(config: &Config, phases: &[PhaseConfig]) -> usize {
    let limits = phases.iter().map(|phase| phase.pace.session_limit().unwrap_or(usize::MAX));
    let wanted = config.workers_max.unwrap_or_else(|| (processors() / 2).clamp(1, 32));
    wanted.min(limits.max().unwrap_or(1)).max(1)
}

/// The servers of a run, in a few words.
fn shown_targets(targets: &Targets) -> String {
    let mut shown: Vec<String> = targets.bases.iter().map(|base| shown_url(base.as_str())).collect();
    shown.dedup();
    match &shown[..] {
        [first] => first.clone(),
        [first, others @ ..] => format!("{first} and {} more", others.len()),
        [] => String::new(),
    }
}

/// What waited for record threads, for the report.
fn backlog(figures: &RecordQueueFigures, began: Mono) -> RecordBacklog {
    RecordBacklog {
        most_bytes: figures.most_held,
        held_back: figures.held_back.requests,
        held_back_since: figures.held_back.since.since(began),
        held_back_for: figures.held_back.lasted,
        spilled: figures.spilled,
        spilled_bytes: figures.spilled_bytes,
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
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
