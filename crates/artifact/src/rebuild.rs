//! The summaries of a run, rebuilt from its records alone.

use std::fs;
use std::path::Path;

use aiperf_clock::{EpochNanos, Mono, Nanos, WallAnchor};
use aiperf_metrics::{
    Columns, LostRecords, Metric, MetricContext, MetricKind, PhaseAccounting, PhaseWindow, Slices, Summary,
    genai_perf_results,
};
use aiperf_protocol::{EndpointKind, PhaseKind};
use aiperf_report::{
    ArtifactPaths, AskedPercentiles, ExtraFiles, LocalZone, PhaseReport, RunReport, ServerMetricsSummary, SummaryFiles,
    WrittenFile, write_summary_files, write_timeslices,
};
use serde_json::{Map, Value, json};

use crate::origin::RunOrigin;
use crate::records::{PhaseRecords, Records};
use crate::seen_metrics::SeenMetrics;
use crate::unfinished::{self, UnfinishedFile};
use crate::{ArtifactError, Finding, Folder, accuracy, window};

/// What shall be other than it was in the run.
#[derive(Debug, Clone, Default)]
pub struct RebuildOptions {
    /// Objectives of a good request, in shown units; those of the run if `None`.
    pub goodput: Option<Vec<(String, f64)>>,
    /// Length of the windows; that of the run if `None`.
    pub slice_duration: Option<Nanos>,
    /// Percentiles in addition to the usual ones.
    pub percentiles: Vec<f64>,
    /// The endpoint, if the folder does not say.
    pub endpoint: Option<EndpointKind>,
    pub genai_perf: bool,
}

/// A run as its records tell it.
#[derive(Debug)]
pub struct Rebuilt {
    pub report: RunReport,
    /// Lines of the records that were of no use.
    pub skipped: Vec<Finding>,
    /// The folder has a summary that covers requests which have no record: it must not be replaced by this one.
    pub replaces_more: bool,
    /// The window of the profiling phase is that of its records.
    pub estimates_window: bool,
    /// Something that the run was to write is not there.
    is_partial: bool,
    columns: Columns,
    context: MetricContext,
    slice_duration: Option<Nanos>,
}

/// Reads the records of a folder. `version` is this program's own.
pub fn rebuild(folder: &Folder, asked: &RebuildOptions, version: &str) -> Result<Rebuilt, ArtifactError> {
    rebuild_with(folder, asked, version, None)
}

/// Records that were read before, and what was taken for granted of the run.
#[derive(Debug)]
pub(crate) struct ReadBefore {
    pub(crate) parts: Vec<Records>,
    pub(crate) seen: SeenMetrics,
}

/// `before`: the same records as in the folder, if they are known.
pub(crate) fn rebuild_with(
    folder: &Folder,
    asked: &RebuildOptions,
    version: &str,
    before: Option<ReadBefore>,
) -> Result<Rebuilt, ArtifactError> {
    let path = folder.paths().records();
    if !path.exists() {
        return Err(folder.no_records());
    }
    let origin = RunOrigin::find(folder);
    let seen = SeenMetrics::peek(&path)?;
    let context_of =
        |kind: PhaseKind, name: &str| origin.context((kind, name), asked.endpoint, asked.goodput.as_deref(), seen);
    let mut records = match before.filter(|before| before.seen == seen) {
        Some(before) => Records::of_parts(before.parts, &path)?,
        None => Records::read(&path, &context_of)?,
    };
    if records.count == 0 {
        return Err(ArtifactError::Empty { path });
    }
    let skipped = skipped(&records, &folder.name(&path));
    let accounting = origin.accounting();
    let lost = LostRecords { count: missing(&accounting, &records), are_counted: false };
    let estimated: Vec<String> = records
        .phases
        .values()
        .filter(|phase| window::is_estimated(&origin, phase))
        .map(|phase| phase.name.clone())
        .collect();
    let percentiles = &asked.percentiles;
    let is_several = |kind| records.phases.values().filter(|phase| phase.is_of(kind)).count() > 1;
    let (many_warmups, is_joined) = (is_several(PhaseKind::Warmup), is_several(PhaseKind::Profiling));
    let window_of = |kind| {
        let windows = records.phases.values().filter(|phase| phase.is_of(kind));
        PhaseWindow::join(&windows.map(|phase| window::of_phase(&origin, phase)).collect::<Vec<_>>())
    };
    let (warmup_window, profiling_window) = (window_of(PhaseKind::Warmup), window_of(PhaseKind::Profiling));
    // A phase that is all of its kind is summarised once.
    let is_one_of_many = |phase: &&PhaseRecords| match phase.kind {
        PhaseKind::Warmup => many_warmups,
        PhaseKind::Profiling => is_joined || !phase.in_results,
    };
    // What GPUs used and cost is known of all phases together.
    let of_gpus = context_of(PhaseKind::Profiling, PhaseKind::Profiling.name())?;
    if is_joined {
        for phase in records.phases.values_mut() {
            phase.fields.context.gpu_energy = Vec::new();
            phase.fields.context.cost_per_hour = None;
        }
    }
    let of_one = |phase: &PhaseRecords| report_phase(phase, &window::of_phase(&origin, phase), percentiles);
    let mut phases: Vec<PhaseReport> = records.phases.values().filter(is_one_of_many).map(of_one).collect();
    let is_estimated =
        records.phases.values().any(|phase| phase.is_of(PhaseKind::Profiling) && estimated.contains(&phase.name));
    let warmup = records
        .take_joined(PhaseKind::Warmup)
        .zip(warmup_window)
        .map(|(phase, window)| report_phase(&phase, &window, percentiles));
    let mut genai_perf = asked.genai_perf.then(Vec::new);
    let (profiling, columns, context) = match records.take_joined(PhaseKind::Profiling).zip(profiling_window) {
        Some((mut phase, window)) => {
            phase.fields.context.gpu_energy = of_gpus.gpu_energy;
            phase.fields.context.cost_per_hour = of_gpus.cost_per_hour;
            if let Some(results) = &mut genai_perf {
                *results = genai_perf_results(&phase.columns, &window, &phase.fields.context);
            }
            (report_phase(&phase, &window, percentiles), phase.columns, phase.fields.context)
        }
        None => unstarted(warmup.as_ref(), of_gpus),
    };
    phases.extend(warmup.iter().filter(|_| !many_warmups).cloned());
    phases.extend((!is_joined).then(|| profiling.clone()));
    phases.sort_by_key(|phase| phase.index);
    let config = origin.input_config();
    let configured = config["artifacts"]["slice_duration"].as_f64().map(Nanos::from_secs_f64);
    let mut report = RunReport {
        aiperf_version: origin.version().unwrap_or_else(|| version.to_owned()),
        benchmark_id: origin.benchmark_id().unwrap_or_else(|| "unknown".to_owned()),
        metrics_title: context.endpoint.facts().metrics_title,
        profiling,
        warmup,
        phases,
        random_seed: origin.random_seed(),
        place: origin.place(),
        cli_command: origin.cli_command().unwrap_or_else(|| "unknown".to_owned()),
        ending: origin.ending(records.count, lost.count),
        telemetry_data: origin.object("telemetry_data"),
        // The pages are not kept, but what the summary has of them.
        server_metrics: origin.object("server_metrics").as_ref().and_then(ServerMetricsSummary::read),
        branch_stats: origin.object("branch_stats"),
        lost,
        rows_left_out: 0,
        agentic_replay: origin.object("agentic_replay"),
        metadata: origin.object("metadata"),
        thresholds: context.thresholds,
        genai_perf,
        accuracy: accuracy::recounted(folder, &origin, context.confidence)?,
        client_health: None,
        selftest: None,
        timestamps: None,
        prefixes_repeat: false,
        waited_for_server: Nanos::ZERO,
        accounting,
        carried: Map::new(),
        remarks: Vec::new(),
        show_trace_timing: config["artifacts"]["show_trace_timing"] == true,
        other_files: vec![WrittenFile { label: "Records Export".to_owned(), path }],
        log_file: Some(folder.paths().log()).filter(|log| log.exists()),
        zone: LocalZone::system(),
        input_config: config,
    };
    report.carried = carried(&origin, &report, asked.goodput.is_some());
    report.carried.insert("rebuilt".to_owned(), rebuilt_note(&records, &report, &estimated, version));
    let is_partial = origin.summary.is_none() || lost.any() || origin.was_partial;
    Ok(Rebuilt {
        replaces_more: lost.any() && origin.summary.as_ref().is_some_and(|summary| summary.get("rebuilt").is_none()),
        estimates_window: is_estimated,
        is_partial,
        report,
        skipped,
        columns,
        context,
        slice_duration: asked.slice_duration.or(configured),
    })
}

impl Rebuilt {
    /// Writes every summary file.
    pub fn write(&self, paths: &ArtifactPaths) -> SummaryFiles {
        let anchor = identity();
        let timeslices = self.slice_duration.map(|length| {
            let slices = Slices::of(&self.columns, length, &self.context, &anchor);
            write_timeslices(slices, &self.report.input_config, paths)
        });
        write_summary_files(&self.report, paths, ExtraFiles { timeslices, is_partial: self.is_partial })
    }

    /// Where its files are by default: next to the records. Files that the run left unfinished are completed or removed; the
    /// list says how each ended.
    pub fn write_beside(&self, folder: &Folder) -> (SummaryFiles, Vec<UnfinishedFile>) {
        let finished = unfinished::finish(folder);
        let files = self.write(folder.paths());
        if files.has(&folder.paths().summary_json()) {
            // The summary says all that it says.
            let _ = fs::remove_file(folder.paths().run_note());
        }
        (files, finished)
    }

    /// Under the same names in another folder.
    pub fn write_to(&self, folder: &Folder, dir: &Path) -> SummaryFiles {
        self.write(&folder.names_in(dir))
    }
}

/// Times of records are epoch times already.
fn identity() -> WallAnchor {
    WallAnchor::at(Mono::from_nanos(0), EpochNanos(0))
}

fn report_phase(phase: &PhaseRecords, window: &PhaseWindow, percentiles: &[f64]) -> PhaseReport {
    let context = &phase.fields.context;
    let mut summary = Summary::compute(&phase.columns, window, context, &identity());
    phase.as_recorded.apply(&mut summary, context.confidence);
    let mut asked = AskedPercentiles::new(percentiles.to_vec());
    if !asked.is_empty() {
        let of_records =
            |metric: Metric| matches!(metric.definition().kind, MetricKind::Record | MetricKind::RecordList);
        for result in summary.results.iter().filter(|result| of_records(result.metric)) {
            let recorded = phase.as_recorded.values(result.metric);
            asked.note(result.metric, recorded.unwrap_or_else(|| phase.columns.shown_values(result.metric, context)));
        }
    }
    PhaseReport {
        name: phase.name.clone(),
        kind: phase.kind,
        index: phase.index,
        profiling_index: phase.profiling_index,
        in_results: phase.in_results,
        was_cancelled: summary.cut_off > 0,
        summary,
        percentiles: asked,
    }
}

/// Requests that the run sent and that have no record.
pub(crate) fn missing(accounting: &[PhaseAccounting], records: &Records) -> u64 {
    let of_phase = |counted: &PhaseAccounting| {
        let recorded = records.phases.values().filter(|phase| phase.name == counted.phase).map(|phase| phase.count);
        counted.sent.saturating_sub(recorded.sum())
    };
    accounting.iter().map(of_phase).sum()
}

/// A run that was stopped in its warmup.
fn unstarted(warmup: Option<&PhaseReport>, context: MetricContext) -> (PhaseReport, Columns, MetricContext) {
    let at = Mono::from_nanos(warmup.map_or(0, |warmup| warmup.summary.end.0));
    let window = PhaseWindow::new(at, at);
    let report = PhaseReport {
        name: PhaseKind::Profiling.name().to_owned(),
        kind: PhaseKind::Profiling,
        index: u32::from(warmup.is_some()),
        profiling_index: Some(0),
        in_results: true,
        was_cancelled: true,
        summary: Summary::compute(&Columns::new(), &window, &context, &identity()),
        percentiles: AskedPercentiles::default(),
    };
    (report, Columns::new(), context)
}

fn skipped(records: &Records, file: &str) -> Vec<Finding> {
    let bad = records.bad.iter().map(|(line, why)| Finding::at(file, *line, format!("cannot be read: {why}")));
    let torn = records.torn.then(|| Finding::of(file, "the last line is not whole; it is left out"));
    let unknown = records.unknown_tags.iter().map(|tag| Finding::of(file, format!("metric {tag:?} is not known here")));
    bad.chain(torn).chain(unknown).collect()
}

/// With the exact windows, so that a summary that is made again from this one's folder has the same.
fn rebuilt_note(records: &Records, report: &RunReport, estimated: &[String], version: &str) -> Value {
    let window = |phase: &PhaseReport| {
        json!({
            "phase_name": phase.name,
            "start_ns": phase.summary.start.0,
            "end_ns": phase.summary.end.0,
            "window_is_estimated": estimated.contains(&phase.name),
        })
    };
    let phases: Vec<Value> = report.phases.iter().map(window).collect();
    json!({
        "aiperf_version": version,
        "records": records.count,
        "unreadable_lines": records.bad.len() + usize::from(records.torn),
        "phases": phases,
    })
}

/// What the earlier summary has and records cannot give: telemetry, the client's health, metrics of other sources.
fn carried(origin: &RunOrigin, report: &RunReport, other_goodput: bool) -> Map<String, Value> {
    let Some(Value::Object(summary)) = &origin.summary else { return origin.noted_build() };
    let goodput = ["goodput", "good_request_count", "good_request_fraction"];
    let known = |tag: &str| {
        let of_records = Metric::from_tag(tag).is_some_and(|metric| {
            let kind = metric.definition().kind;
            !matches!(kind, MetricKind::Derived | MetricKind::Aggregate)
                || report.profiling.summary.get(metric).is_some()
        });
        of_records || (other_goodput && goodput.contains(&tag)) || tag == "warmup_metrics" || tag == "rebuilt"
    };
    summary.iter().filter(|(key, _)| !known(key)).map(|(key, value)| (key.clone(), value.clone())).collect()
}
