//! Turns the measurements of a run into its report and summary files.

use std::panic::resume_unwind;
use std::thread;

use aiperf_address::Scheme;
use aiperf_clock::{Mono, Nanos, WallAnchor};
use aiperf_config::{DatasetSource, PhaseKind};
use aiperf_engine::PhaseOutcome;
use aiperf_metrics::{
    ClientHealth, ClientLoad, LostRecords, Metric, MetricContext, MetricKind, NetworkRtt, PhaseAccounting, PhaseWindow,
    Slices, Summary, genai_perf_results,
};
use aiperf_protocol::RunOutcome;
use aiperf_report::{
    AccuracyReport, AskedPercentiles, Citation, ExtraFiles, LocalZone, PhaseReport, ProgramBuild, ReportError,
    RunReport, ServerMetricsSummary, Timestamps, WrittenFile, write_summary_files, write_timeslices,
};
use aiperf_telemetry::server::ServerMetrics;
use serde_json::{Map, Value, json};

use crate::conclude::advice::{self, Hints};
use crate::conclude::ending::{self, EndEvidence};
use crate::conclude::joined::JoinedPhases;
use crate::prepare::node_split;
use crate::prepare::readiness;
use crate::prepare::scenario;
use crate::record::threads::PhaseColumns;
use crate::run::{Run, RunResult};
use crate::watch::early_stop::StopReport;
use crate::watch::gpu_telemetry::GpuResult;

/// Everything that was measured during a run.
pub(crate) struct RunMeasurements<'a> {
    /// 12 hexadecimal digits.
    pub(crate) benchmark_id: String,
    pub(crate) outcomes: &'a [PhaseOutcome],
    pub(crate) columns: PhaseColumns,
    pub(crate) anchor: &'a WallAnchor,
    pub(crate) health: Option<ClientHealth>,
    /// When the first phase could begin.
    pub(crate) began: Mono,
    pub(crate) timestamps: Timestamps,
    pub(crate) other_files: Vec<WrittenFile>,
    /// As it was measured during the run.
    pub(crate) network_rtt: Option<NetworkRtt>,
    /// What GPU telemetry came to, if there was any.
    pub(crate) gpus: Option<GpuResult>,
    /// What the servers reported about themselves in the profiling phase.
    pub(crate) server_metrics: Option<ServerMetrics>,
    /// How long the run waited for the server before the first request.
    pub(crate) waited_for_server: Nanos,
    /// Results of the rules that could end the run early.
    pub(crate) stop_reports: Vec<StopReport>,
    /// How many answers were right, if they were graded.
    pub(crate) accuracy: Option<AccuracyReport>,
    /// The last `Retry-After` of the server.
    pub(crate) retry_after: Option<String>,
    pub(crate) lost: LostRecords,
    /// A file that is written before the summary is missing or incomplete.
    pub(crate) is_partial: bool,
}

impl RunMeasurements<'_> {
    /// Computes the summary, writes the summary files and decides how the run ended.
    pub(crate) fn summarise(mut self, run: &Run, version: &str) -> RunResult {
        let measured = run.measured_phases(self.outcomes);
        let warmups = self.of_kind(PhaseKind::Warmup);
        // A phase that is all of its kind is summarised once.
        let is_alone = |index: &usize| measured == [*index] || warmups == [*index];
        let mut phases: Vec<PhaseReport> =
            (0..self.outcomes.len()).filter(|index| !is_alone(index)).map(|index| self.phase(run, index)).collect();
        let warmup = (!warmups.is_empty()).then(|| {
            let joined = self.join(run, PhaseKind::Warmup, &warmups);
            joined.report(PhaseKind::Warmup, 0, self.anchor)
        });
        let mut joined = self.join(run, PhaseKind::Profiling, &measured);
        joined.context.gpu_energy = self.gpus.as_ref().map_or_else(Vec::new, |gpus| gpus.energy.clone());
        joined.context.cost_per_hour = self.cost_per_hour(run);
        let values = Self::values(run, &joined);
        let (profiling, timeslices) = self.measure(run, &joined);
        phases.extend(warmup.iter().filter(|_| warmups.len() == 1).cloned());
        phases.extend((measured.len() < 2).then(|| profiling.clone()));
        phases.sort_by_key(|phase| phase.index);
        Self::log_results(&phases);
        let accounting =
            self.outcomes.iter().zip(&phases).map(|(outcome, phase)| self.accounting(outcome, phase)).collect();
        let at = measured.last().copied();
        let stopped = self.outcomes.iter().find_map(|outcome| match outcome.ended_by {
            RunOutcome::Stopped(reason) => Some(reason),
            _ => None,
        });
        let hints = self.hints(run, &profiling.summary);
        let ending = ending::decide(EndEvidence {
            profiling: &profiling.summary,
            warmup: warmup.as_ref().map(|phase| &phase.summary),
            stopped,
            unmet: self.stop_reports.iter().find_map(|report| report.unmet.as_deref()),
            last: self.outcomes.last(),
            hints: &hints,
        });
        let rate_limit = advice::rate_limit_remark(&profiling.summary, &hints);
        let selftest = Citation::choose(&run.certificates, ClientLoad::of(&profiling.summary).as_ref());
        let ended_by = at.map(|at| self.outcomes[at].ended_by);
        let metadata = scenario::submission(run, ending.outcome, ended_by, &profiling.summary);
        let mut sections = self.sections(run);
        sections.extend(node_split::summary_object(run.config.node));
        let mut client_health = self.health.clone();
        if !profiling.summary.failures.is_empty() {
            client_health.get_or_insert_default().add_shortages(self.began, &profiling.summary.failures);
        }
        let report = RunReport {
            aiperf_version: version.to_owned(),
            benchmark_id: self.benchmark_id.clone(),
            metrics_title: run.config.endpoint.kind.facts().metrics_title,
            profiling,
            warmup,
            phases,
            input_config: run.config.to_input_config(),
            random_seed: run.config.random_seed,
            place: run.place.clone(),
            cli_command: repeating_command(run),
            ending,
            telemetry_data: self.gpus.as_ref().map(|gpus| gpus.figures.json(&LocalZone::system())),
            server_metrics: self.server_metrics.as_ref().map(ServerMetricsSummary::new),
            branch_stats: self.branch_stats(run, &measured),
            lost: self.lost,
            rows_left_out: run.dataset.skipped_rows.count as u64,
            agentic_replay: self.outcomes.last().and_then(scenario::replay_json),
            metadata,
            thresholds: run.profiling_context().thresholds,
            genai_perf: run
                .config
                .output
                .export_genai_perf
                .then(|| genai_perf_results(&joined.columns, &joined.window, &joined.context)),
            client_health,
            accuracy: self.accuracy.clone(),
            selftest,
            timestamps: Some(self.timestamps),
            prefixes_repeat: prefixes_repeat(run),
            waited_for_server: self.waited_for_server,
            accounting,
            carried: sections,
            remarks: self.remarks(run, rate_limit),
            show_trace_timing: run.config.output.show_trace_timing,
            other_files: self.other_files,
            log_file: Some(run.paths.log()),
            zone: LocalZone::system(),
        };
        let extra = ExtraFiles { timeslices, is_partial: self.is_partial };
        let files = write_summary_files(&report, &run.paths, extra);
        let refused = run.strictness.refused(&report.validity());
        RunResult { report, files, values, refused }
    }

    /// Logs the results of each phase once every response was read: the same counts as in the files.
    fn log_results(phases: &[PhaseReport]) {
        for PhaseReport { name, summary, .. } in phases {
            let (ok, errors, cut) = (summary.successful, summary.failed, summary.cut_off);
            log::info!("Phase {name} results | successful={ok}, errors={errors}, cancelled={cut}");
        }
    }

    /// What the advice about failures needs. If the server did not know the model, it is asked for its models once, after
    /// everything is measured.
    fn hints(&self, run: &Run, profiling: &Summary) -> Hints {
        let ask = advice::is_unknown_model(profiling) && !run.config.endpoint.kind.speaks_grpc();
        Hints {
            models: if ask { readiness::served_models(&run.config, &run.targets, &run.client) } else { Vec::new() },
            retry_after: self.retry_after.clone(),
            is_plain: run.targets.requests.iter().all(|target| target.origin.scheme == Scheme::Http),
        }
    }

    /// Indices of the phases of a kind that began.
    fn of_kind(&self, kind: PhaseKind) -> Vec<usize> {
        (0..self.outcomes.len()).filter(|index| self.outcomes[*index].kind == kind).collect()
    }

    /// Takes the columns of these phases, which no one else needs any more.
    fn join(&mut self, run: &Run, kind: PhaseKind, indices: &[usize]) -> JoinedPhases {
        let contexts: Vec<MetricContext> = (0..self.outcomes.len()).map(|index| self.context(run, index)).collect();
        let usual = run.profiling_context();
        JoinedPhases::take(kind, indices, self.outcomes, &mut self.columns, &contexts, usual)
    }

    /// Summarizes the measured phases, and writes the time slices if they are asked for. Slices take as long as the whole summary,
    /// so they are computed on a second thread.
    fn measure(&self, run: &Run, joined: &JoinedPhases) -> (PhaseReport, Option<Result<(), ReportError>>) {
        let length = run.config.output.slice_duration.map(Nanos::from).filter(|_| joined.has_begun());
        thread::scope(|scope| {
            let slices = length.map(|length| {
                scope.spawn(move || {
                    let slices = Slices::of(&joined.columns, length, run.profiling_context(), self.anchor);
                    write_timeslices(slices, &run.config.to_input_config(), &run.paths)
                })
            });
            let report = joined.report(PhaseKind::Profiling, self.outcomes.len() as u32, self.anchor);
            (report, slices.map(|job| job.join().unwrap_or_else(|panic| resume_unwind(panic))))
        })
    }

    /// The values of single requests of the measured phases, if they are asked for.
    fn values(run: &Run, joined: &JoinedPhases) -> Vec<(Metric, Vec<f64>)> {
        if !run.keeps_values {
            return Vec::new();
        }
        let single = |metric: &Metric| matches!(metric.definition().kind, MetricKind::Record | MetricKind::RecordList);
        let metrics = joined.context.record_metrics().into_iter().filter(single);
        metrics.map(|metric| (metric, joined.columns.shown_values(metric, &joined.context))).collect()
    }

    /// Sections of the summary about the program, and those that the early-stop rules add.
    fn sections(&self, run: &Run) -> Map<String, Value> {
        let build = run.build.as_ref().map(|build| (ProgramBuild::KEY, json!(build)));
        let sections = self.stop_reports.iter().filter_map(|report| report.section.clone());
        build.into_iter().chain(sections).map(|(key, value)| (key.to_owned(), value)).collect()
    }

    /// One phase by itself.
    fn phase(&self, run: &Run, index: usize) -> PhaseReport {
        let outcome = &self.outcomes[index];
        let window = PhaseWindow::new(outcome.start, outcome.end);
        let before = &self.outcomes[..index];
        let profiled = before.iter().filter(|outcome| outcome.kind == PhaseKind::Profiling).count();
        PhaseReport {
            name: outcome.name.to_string(),
            kind: outcome.kind,
            index: index as u32,
            profiling_index: (outcome.kind == PhaseKind::Profiling).then_some(profiled as u32),
            in_results: run.phases[index].in_results,
            was_cancelled: outcome.ended_by.is_stopped(),
            summary: Summary::compute(&self.columns[index], &window, &self.context(run, index), self.anchor),
            percentiles: AskedPercentiles::default(),
        }
    }

    /// The context of a phase, with the measured network round trip.
    fn context(&self, run: &Run, index: usize) -> MetricContext {
        let mut context = run.contexts[index].clone();
        context.network_rtt = self.network_rtt.clone().or(context.network_rtt);
        context
    }

    /// What all GPUs of the server cost in an hour; `None` without a price, or if their number is unknown.
    fn cost_per_hour(&self, run: &Run) -> Option<f64> {
        let cost = run.config.gpu_cost?;
        let seen = self.gpus.as_ref().map_or(0, |gpus| gpus.gpus);
        let gpus = cost.gpus.map_or(seen, |given| given as usize);
        (gpus > 0).then_some(cost.per_gpu_hour * gpus as f64)
    }

    /// Sentences for the console on what was asked of the run itself.
    fn remarks(&self, run: &Run, rate_limit: Option<String>) -> Vec<String> {
        let mut remarks: Vec<String> =
            self.stop_reports.iter().flat_map(|report| report.remarks.clone()).chain(rate_limit).collect();
        remarks.extend(self.accuracy.iter().flat_map(AccuracyReport::remarks));
        remarks.extend(self.gpus.iter().flat_map(|gpus| gpus.remarks.clone()));
        if run.config.gpu_cost.is_some() && self.cost_per_hour(run).is_none() {
            remarks.push("No cost is reported: telemetry saw no GPU. Give their number with --gpus.".to_owned());
        }
        remarks
    }

    fn accounting(&self, outcome: &PhaseOutcome, phase: &PhaseReport) -> PhaseAccounting {
        let counts = &outcome.counts;
        // The warmup of an agentic replay passes its sessions on to the profiling phase.
        let goes_on = outcome.replay.is_some() && outcome.kind == PhaseKind::Warmup && !phase.was_cancelled;
        let sessions_cancelled = if goes_on { 0 } else { counts.sessions_sent - counts.sessions_completed };
        PhaseAccounting {
            phase: phase.name.clone(),
            started: self.anchor.epoch(outcome.start),
            ended: self.anchor.epoch(outcome.end),
            sent: counts.sent,
            completed: counts.completed,
            // Only the records tell whether a complete response is a valid answer.
            errors: phase.summary.failed,
            cut: counts.cut,
            sessions_sent: counts.sessions_sent,
            sessions_completed: counts.sessions_completed,
            sessions_cancelled,
            arrivals_delayed: counts.arrivals_delayed,
            arrivals_dropped: counts.arrivals_dropped,
        }
    }

    /// Counts of spawned conversations in the measured phases; `None` if the data set has no branches.
    fn branch_stats(&self, run: &Run, measured: &[usize]) -> Option<Value> {
        let counts =
            measured.iter().map(|index| self.outcomes[*index].counts.branches).reduce(|all, next| all + next)?;
        run.dataset.has_branches().then(|| serde_json::to_value(counts).ok()).flatten()
    }
}

/// Whether requests share prefixes that a prefix cache could find.
fn prefixes_repeat(run: &Run) -> bool {
    let pool = matches!(&run.config.dataset.source, DatasetSource::Synthetic(source) if source.prefix.is_some());
    pool || run.dataset.outlines().iter().any(|outline| outline.turns.len() > 1 || outline.system.is_some())
}

/// The command line as given; with the seed that was drawn if none was given.
pub(crate) fn repeating_command(run: &Run) -> String {
    let given = &run.config.command_line;
    if run.config.random_seed.is_some() { given.clone() } else { format!("{given} --random-seed {}", run.seed.value()) }
}
