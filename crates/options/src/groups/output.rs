//! What is written, printed and shown.

pub(crate) mod rows;

use std::path::{Path, PathBuf};
use std::time::Duration;

use aiperf_config::{
    AutoPlots, ConsoleOutput, DatasetConfig, EndpointConfig, Environment, ExportLevel, LoadLevel, LogLevel,
    OutputConfig, Pace, PhaseConfig, RateCurve, Strict, UiKind,
};

use crate::catalogue::OptionId;
use crate::grammar::goodput;
use crate::{ConfigError, RawOptions};

/// No window is left out of the files, so that there must not be too many of them.
const SHORTEST_SLICE: Duration = Duration::from_millis(1);

/// Ends of exported file names, longest first, so that a name from an earlier run can be given as the prefix.
const SUFFIXES: [&str; 17] = [
    "_server_metrics.parquet",
    "_network_latency.jsonl",
    "_server_metrics.jsonl",
    "_server_metrics.json",
    "_gpu_telemetry.jsonl",
    "_server_metrics.csv",
    "_genai_perf.json",
    "_timeslices.json",
    "_genai_perf.csv",
    "_timeslices.csv",
    "_accuracy.jsonl",
    "_console.txt",
    "_raw.jsonl",
    ".parquet",
    ".jsonl",
    ".json",
    ".csv",
];

pub(super) fn resolve(
    raw: &RawOptions,
    environment: &Environment,
    endpoint: &EndpointConfig,
    dataset: &DatasetConfig,
    profiling: &PhaseConfig,
    warnings: &mut Vec<String>,
) -> Result<OutputConfig, ConfigError> {
    let level = match raw.choice(OptionId::ExportLevel)? {
        Some("summary") => ExportLevel::Summary,
        Some("raw") => ExportLevel::Raw,
        _ => ExportLevel::Records,
    };
    let export_http_trace = raw.flag(OptionId::ExportHttpTrace)?;
    if export_http_trace && level == ExportLevel::Summary {
        let why = "the trace is part of the per-request records, which --export-level summary does not write";
        return Err(raw.conflict(OptionId::ExportHttpTrace, OptionId::ExportLevel, why));
    }
    let export_parquet = raw.flag(OptionId::ExportRecordsParquet)?;
    if export_parquet && level == ExportLevel::Summary {
        let why = "the table holds the per-request records, which --export-level summary does not write";
        return Err(raw.conflict(OptionId::ExportRecordsParquet, OptionId::ExportLevel, why));
    }
    let html = raw.flag(OptionId::Html)?;
    if html && level == ExportLevel::Summary {
        let why = "the charts are drawn from the per-request records, which --export-level summary does not write";
        return Err(raw.conflict(OptionId::Html, OptionId::ExportLevel, why));
    }
    let prefix = prefix(raw, warnings)?;
    let export_outputs = raw.flag(OptionId::ExportOutputsJson)?;
    if export_outputs && prefix.as_deref() == Some("outputs") {
        let why = "both the texts and the summary would be written to outputs.json; choose another prefix";
        return Err(raw.conflict(OptionId::ExportOutputsJson, OptionId::ProfileExportPrefix, why));
    }
    Ok(OutputConfig {
        dir: dir(raw, environment, endpoint, dataset, profiling)?,
        overwrite: raw.flag(OptionId::Overwrite)?,
        prefix,
        level,
        ui: ui(raw, environment, warnings)?,
        console: console(raw)?,
        stats_interval: raw.seconds(OptionId::StatsInterval)?,
        log_level: log_level(raw)?,
        goodput: goodput(raw)?,
        show_trace_timing: raw.flag(OptionId::ShowTraceTiming)?,
        export_http_trace,
        slice_duration: slice_duration(raw)?,
        export_outputs,
        export_parquet,
        export_genai_perf: raw.flag(OptionId::ExportGenaiPerf)?,
        plots: plots(raw)?,
        html,
        strict: strict(raw)?,
    })
}

fn plots(raw: &RawOptions) -> Result<AutoPlots, ConfigError> {
    let is_required = raw.flag(OptionId::PlotRequired)?;
    let is_refused = raw.get(OptionId::AutoPlot).is_some() && !raw.flag(OptionId::AutoPlot)?;
    if is_required && is_refused {
        let why = "plots that are not drawn cannot be required";
        return Err(raw.conflict(OptionId::PlotRequired, OptionId::AutoPlot, why));
    }
    Ok(match (is_required, raw.flag(OptionId::AutoPlot)?) {
        (true, _) => AutoPlots::Required,
        (false, true) => AutoPlots::Wanted,
        (false, false) => AutoPlots::Off,
    })
}

fn slice_duration(raw: &RawOptions) -> Result<Option<Duration>, ConfigError> {
    let id = OptionId::SliceDuration;
    let length = raw.seconds(id)?;
    if length.is_some_and(|length| length < SHORTEST_SLICE) {
        let expected =
            format!("must be at least {} s; shorter windows hold too few requests", SHORTEST_SLICE.as_secs_f64());
        return Err(raw.bad(id, raw.text(id).unwrap_or_default(), &expected));
    }
    Ok(length)
}

fn dir(
    raw: &RawOptions,
    environment: &Environment,
    endpoint: &EndpointConfig,
    dataset: &DatasetConfig,
    profiling: &PhaseConfig,
) -> Result<PathBuf, ConfigError> {
    let id = OptionId::OutputArtifactDir;
    match raw.text(id) {
        Some(text) if text.trim().is_empty() => Err(raw.bad(id, text, "give a folder")),
        Some(text) => Ok(environment.current_dir.join(text)),
        None => Ok(environment.current_dir.join("artifacts").join(automatic_name(endpoint, dataset, profiling))),
    }
}

/// `<model>-openai-<endpoint>-<load>`, so that runs that differ in these do not overwrite each other.
fn automatic_name(endpoint: &EndpointConfig, dataset: &DatasetConfig, profiling: &PhaseConfig) -> String {
    let model = dataset.models.first().map_or("model", |model| &**model).replace(['/', '\\'], "_");
    let several = if dataset.models.len() > 1 { "_multi" } else { "" };
    let rate_name = |rate: &RateCurve| rate.points.first().map_or(0.0, |point| point.per_second);
    let load = match &profiling.pace {
        Pace::Concurrency(n) => format!("concurrency{n}"),
        Pace::AgenticReplay(replay) => format!("concurrency{}", replay.lanes),
        Pace::Rate { rate, ceiling: Some(n), .. } => format!("concurrency{n}-request_rate{:?}", rate_name(rate)),
        Pace::Rate { rate, ceiling: None, .. } => format!("request_rate{:?}", rate_name(rate)),
        Pace::Controlled(level) => match level {
            LoadLevel::Users(n) => format!("concurrency{n}"),
            LoadLevel::Rate { per_second, .. } => format!("request_rate{per_second:?}"),
            LoadLevel::PacedUsers { users, per_second, .. } => format!("user_centric-users{users}-qps{per_second:?}"),
        },
        Pace::FixedSchedule { .. } => "fixed_schedule".to_owned(),
        Pace::UserCentric { per_second, users, .. } => format!("user_centric-users{users}-qps{per_second:?}"),
    };
    format!("{model}{several}-openai-{}-{load}", endpoint.kind.facts().name)
}

fn prefix(raw: &RawOptions, warnings: &mut Vec<String>) -> Result<Option<String>, ConfigError> {
    let id = OptionId::ProfileExportPrefix;
    let Some(text) = raw.text(id) else { return Ok(None) };
    let path = Path::new(text);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if path.is_absolute() {
        warnings
            .push(format!("{} {text}: only {name} is used; the folder comes from --artifact-dir", raw.spelling(id)));
    } else if name != text {
        return Err(raw.bad(id, text, "must be a name without a folder; give the folder with --artifact-dir"));
    }
    let name = SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    if name.is_empty() {
        return Err(raw.bad(id, text, "the name is empty without its suffix"));
    }
    Ok(Some(name.to_owned()))
}

fn ui(raw: &RawOptions, environment: &Environment, warnings: &mut Vec<String>) -> Result<UiKind, ConfigError> {
    let verbose = raw.flag(OptionId::Verbose)? || raw.flag(OptionId::ExtraVerbose)?;
    let has_screen = environment.stdout_is_terminal && can_draw(environment);
    let asked = raw.choice(OptionId::UiType)?;
    if raw.flag(OptionId::Quiet)? {
        return match asked {
            Some("none") | None => Ok(UiKind::None),
            Some(_) => Err(raw.conflict(OptionId::Quiet, OptionId::UiType, "--quiet shows nothing during the run")),
        };
    }
    match asked {
        Some("dashboard") if has_screen => Ok(UiKind::Dashboard),
        Some("dashboard") => {
            warnings.push(format!(
                "{} dashboard needs a terminal on stdout that can move its cursor (TERM is not dumb); progress lines are shown \
                 instead",
                raw.spelling(OptionId::UiType)
            ));
            Ok(UiKind::Simple)
        }
        Some("none") => Ok(UiKind::None),
        Some(_) => Ok(UiKind::Simple),
        None if verbose => Ok(UiKind::Simple),
        None if has_screen && environment.stderr_is_terminal && !raw.flag(OptionId::Json)? => Ok(UiKind::Dashboard),
        None if environment.stderr_is_terminal => Ok(UiKind::Simple),
        None => Ok(UiKind::None),
    }
}

/// Whether the terminal can do more than print lines.
fn can_draw(environment: &Environment) -> bool {
    environment.variables.get("TERM").is_some_and(|term| !term.is_empty() && term != "dumb")
}

fn console(raw: &RawOptions) -> Result<ConsoleOutput, ConfigError> {
    match (raw.flag(OptionId::Json)?, raw.flag(OptionId::Quiet)?) {
        (true, _) => Ok(ConsoleOutput::Json),
        (false, true) => Ok(ConsoleOutput::Nothing),
        (false, false) => Ok(ConsoleOutput::Report),
    }
}

fn log_level(raw: &RawOptions) -> Result<LogLevel, ConfigError> {
    let id = OptionId::LogLevel;
    let named = match raw.choice(id)? {
        None => None,
        Some("TRACE") => Some(LogLevel::Trace),
        Some("DEBUG") => Some(LogLevel::Debug),
        Some("NOTICE") => Some(LogLevel::Notice),
        Some("WARNING") => Some(LogLevel::Warning),
        Some("SUCCESS") => Some(LogLevel::Success),
        Some("ERROR") => Some(LogLevel::Error),
        Some("CRITICAL") => Some(LogLevel::Critical),
        Some(_) => Some(LogLevel::Info),
    };
    let short = if raw.flag(OptionId::ExtraVerbose)? {
        Some((OptionId::ExtraVerbose, LogLevel::Trace))
    } else if raw.flag(OptionId::Verbose)? {
        Some((OptionId::Verbose, LogLevel::Debug))
    } else {
        None
    };
    match (named, short) {
        (Some(named), Some((other, level))) if named != level => {
            Err(raw.conflict(other, id, "they ask for different log levels; give one of them"))
        }
        (_, Some((_, level))) | (Some(level), None) => Ok(level),
        (None, None) => Ok(LogLevel::Info),
    }
}

/// The codes are the metrics' own; they are looked at with the objectives of `--goodput`, before anything is sent.
fn strict(raw: &RawOptions) -> Result<Option<Strict>, ConfigError> {
    let id = OptionId::Strict;
    if !raw.is_given(id) {
        return Ok(None);
    }
    let codes: Vec<String> = raw.list(id).into_iter().map(ToOwned::to_owned).collect();
    if codes.is_empty() && !raw.tokens(id).is_empty() {
        return Err(raw.bad(
            id,
            &raw.tokens(id).join(","),
            "separate codes with commas, or give no code to fail on every warning",
        ));
    }
    Ok(Some(if codes.is_empty() { Strict::EveryWarning } else { Strict::Codes(codes) }))
}

fn goodput(raw: &RawOptions) -> Result<Vec<(String, f64)>, ConfigError> {
    let Some(text) = raw.text(OptionId::Goodput) else { return Ok(Vec::new()) };
    goodput::read(text).map_err(|reason| raw.bad(OptionId::Goodput, text, &reason))
}
