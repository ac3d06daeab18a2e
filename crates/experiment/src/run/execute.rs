//! Carries a run out: starts what watches it, sends its requests, and closes its files.

use std::fs;
use std::sync::Arc;

use aiperf_clock::{Mono, Nanos, WallAnchor};
use aiperf_engine::{ControlSource, RecordQueueFigures, SpillThread, WorkerGauge, record_queue};
use aiperf_live::{RunPlan, RunState, StageName, StageState};
use aiperf_metrics::{ClientHealth, RecordBacklog};
use aiperf_report::{InputsFile, WrittenFile};
use aiperf_telemetry::gpu::collector::LastReading;

use super::thread_counts::processors;
use super::{Run, RunResult};
use crate::conclude::server_metrics::ConcludedMetrics;
use crate::conclude::summarise::RunMeasurements;
use crate::contents::prefetch::Prefetcher;
use crate::error::RunError;
use crate::prepare::server_hook::{self};
use crate::prepare::start_time::{self};
use crate::prepare::{data_warnings, readiness};
use crate::record::stamps;
use crate::record::threads::{ClosedFiles, RecordThreads};
use crate::watch::early_stop::StopReport;
use crate::watch::gauges::{MonitorGauges, phase_plan};
use crate::watch::gpu_telemetry::GpuWatch;
use crate::watch::health::HealthSampler;
use crate::watch::load_control::LoadControl;
use crate::watch::monitor::Monitor;
use crate::watch::round_trip::MissingSamples;
use crate::watch::server_metrics::ServerMetricsWatch;

impl Run {
    /// Runs all phases on the calling thread, then writes the summary files. If `control` asks for it, the run ends early and
    /// reports what was measured so far.
    pub fn execute(
        mut self,
        version: &str,
        control: &ControlSource,
        monitor: &Arc<Monitor>,
    ) -> Result<RunResult, RunError> {
        let servers = self.targets.shown();
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
        let sampler = self.dataset.sampler(self.data_seed);
        let prefetcher = Prefetcher::start(&self.sessions, &self.phases, sampler, &self.fixed_schedule, inputs)
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
