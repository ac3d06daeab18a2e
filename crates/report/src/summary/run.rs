//! Everything the summary files and tables of one run are made of, as plain data.

use std::path::PathBuf;

use aiperf_clock::Nanos;
use aiperf_metrics::{
    ClientHealth, Evidence, LostRecords, Metric, MetricResult, Percentile, PhaseAccounting, Summary, Thresholds,
    ValidityNote,
};
use aiperf_protocol::{PhaseKind, RunEnding};
use serde_json::{Map, Value};

use crate::{
    AccuracyReport, AskedPercentiles, Citation, LocalZone, RunPlace, ServerMetricsSummary, Timestamps, WrittenFile,
};

#[derive(Debug, Clone)]
pub struct RunReport {
    /// Version of this program.
    pub aiperf_version: String,
    /// 12 hexadecimal digits.
    pub benchmark_id: String,
    /// Title of the main table, for example "LLM Metrics".
    pub metrics_title: &'static str,
    /// All profiling phases that count, together.
    pub profiling: PhaseReport,
    /// All warmups together.
    pub warmup: Option<PhaseReport>,
    /// Each phase by itself, in the order in which they began.
    pub phases: Vec<PhaseReport>,
    /// The resolved configuration, secrets redacted.
    pub input_config: Value,
    pub random_seed: Option<u64>,
    /// Where it stands among other runs of the same command, if there are others.
    pub place: Option<RunPlace>,
    /// The command that repeats this run, secrets redacted.
    pub cli_command: String,
    /// How it ended.
    pub ending: RunEnding,
    /// The `telemetry_data` object of the summary, if GPU telemetry is part of the run.
    pub telemetry_data: Option<Value>,
    /// What the servers reported about themselves, if they did.
    pub server_metrics: Option<ServerMetricsSummary>,
    /// The `branch_stats` object of the summary, if conversations start others.
    pub branch_stats: Option<Value>,
    /// Requests that were sent and have no record in the records file.
    pub lost: LostRecords,
    /// Rows of the data that could not be used.
    pub rows_left_out: u64,
    /// How recorded sessions of agents were entered and gone on with.
    pub agentic_replay: Option<Value>,
    /// Of a scenario: its name, and whether the results may be handed in.
    pub metadata: Option<Value>,
    pub thresholds: Thresholds,
    /// The metrics by GenAI-Perf's definitions, if its files are wanted.
    pub genai_perf: Option<Vec<MetricResult>>,
    /// Whether the client was the limit, if it was watched.
    pub client_health: Option<ClientHealth>,
    /// How many answers were right, if the run is an accuracy benchmark.
    pub accuracy: Option<AccuracyReport>,
    /// The self-test of this machine that the run is compared with, if there is one.
    pub selftest: Option<Citation>,
    /// Where the times of responses came from.
    pub timestamps: Option<Timestamps>,
    /// Prompts begin like others, so that a cache has something to find.
    pub prefixes_repeat: bool,
    /// How long the run had to wait for the server before its first request.
    pub waited_for_server: Nanos,
    /// How the requests of each phase ended, in order; named as the phases are.
    pub accounting: Vec<PhaseAccounting>,
    /// Objects of the summary that others made: whoever could end the run early, or an earlier summary, if they cannot
    /// be made again from records. What is known here goes before them.
    pub carried: Map<String, Value>,
    /// Sentences for the console on what was asked of the run itself, and whether it came to that.
    pub remarks: Vec<String>,
    /// `--show-trace-timing`.
    pub show_trace_timing: bool,
    /// Files that others wrote, to be listed with ours.
    pub other_files: Vec<WrittenFile>,
    pub log_file: Option<PathBuf>,
    pub zone: LocalZone,
}

impl RunReport {
    /// What a reader should know before believing the numbers of the profiling phase.
    pub fn validity(&self) -> Vec<ValidityNote> {
        let accounting = PhaseAccounting::joined(self.measured_phases().filter_map(|phase| self.accounting_of(phase)));
        // The page of a server counts the requests of all phases together.
        let server = self.server_metrics.as_ref().filter(|_| !self.has_others_in_flight());
        let evidence = Evidence {
            summary: &self.profiling.summary,
            thresholds: &self.thresholds,
            health: self.client_health.as_ref(),
            accounting: accounting.as_ref(),
            certified: self.selftest.as_ref().map(Citation::load),
            lost: self.lost,
            rows_left_out: self.rows_left_out,
            warmup: self.warmup.as_ref().map(|warmup| &warmup.summary),
            clock_step: self.timestamps.and_then(|stamps| stamps.clock_offset).map_or(Nanos::ZERO, |o| o.largest_step),
            was_stopped: self.ending.outcome.is_stopped(),
            late_reads: self.timestamps.map(|stamps| stamps.late).unwrap_or_default(),
            prefixes_repeat: self.prefixes_repeat,
            waited_for_server: self.waited_for_server,
            server: server.and_then(ServerMetricsSummary::claims),
        };
        evidence.notes()
    }

    /// The phases that the results are about.
    pub fn measured_phases(&self) -> impl Iterator<Item = &PhaseReport> {
        self.phases.iter().filter(|phase| phase.is_measured())
    }

    /// Whether requests that do not count were in flight in the time of those that do.
    fn has_others_in_flight(&self) -> bool {
        let measured = &self.profiling.summary;
        let overlaps = |other: &PhaseReport| other.summary.start < measured.end && other.summary.end > measured.start;
        self.phases.iter().any(|phase| !phase.is_measured() && overlaps(phase))
    }

    /// Whether the results are about several phases.
    pub(crate) fn is_joined(&self) -> bool {
        self.measured_phases().count() > 1
    }

    pub(crate) fn accounting_of(&self, phase: &PhaseReport) -> Option<&PhaseAccounting> {
        self.accounting.iter().find(|accounting| accounting.phase == phase.name)
    }
}

/// One phase of a run.
#[derive(Debug, Clone)]
pub struct PhaseReport {
    pub name: String,
    pub kind: PhaseKind,
    pub index: u32,
    pub profiling_index: Option<u32>,
    /// The results of the run cover it.
    pub in_results: bool,
    pub was_cancelled: bool,
    pub summary: Summary,
    pub percentiles: AskedPercentiles,
}

impl PhaseReport {
    /// Whether the results of the run are about it.
    pub fn is_measured(&self) -> bool {
        self.kind == PhaseKind::Profiling && self.in_results
    }

    pub(crate) fn succeeded(&self) -> bool {
        self.summary.successful > 0
    }

    pub(crate) fn average(&self, metric: Metric) -> Option<f64> {
        self.statistic(metric, "avg")
    }

    /// `avg`, or a percentile by its name.
    pub(crate) fn statistic(&self, metric: Metric, name: &str) -> Option<f64> {
        let stats = self.summary.get(metric)?;
        let percentile = Percentile::ALL.into_iter().find(|percentile| percentile.name() == name);
        percentile.map_or(stats.avg, |percentile| stats.percentile(percentile))
    }
}
