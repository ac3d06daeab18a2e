//! `aiperf report FOLDER`

use std::path::PathBuf;

use aiperf_artifact::RebuildOptions;
use aiperf_clock::Nanos;
use aiperf_config::Environment;
use aiperf_options::catalogue::OptionId;
use aiperf_protocol::EndpointKind;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

use super::CliError;

/// A summary to be made again.
#[derive(Debug)]
pub(crate) struct ReportInvocation {
    pub(crate) folder: PathBuf,
    pub(crate) asked: RebuildOptions,
    /// File for a Perfetto trace of the run.
    pub(crate) trace: Option<PathBuf>,
    /// Folder of the files; `None` for that of the records.
    pub(crate) output: Option<PathBuf>,
    /// The HTML report is wanted, and nothing else.
    pub(crate) html: Option<HtmlRequest>,
}

/// How the HTML report shall be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HtmlRequest {
    /// With prompts and answers.
    pub(crate) include_text: bool,
}

const EXAMPLES: &str = "\
Examples:
  aiperf report artifacts/my-run
  aiperf report artifacts/my-run --goodput time_to_first_token:200 --output-dir again
  aiperf report artifacts/my-run --html
  aiperf report artifacts/my-sweep --html";

pub(super) fn command() -> Command {
    let types = OptionId::EndpointType.spec().members().join(", ");
    Command::new("report")
        .after_help(EXAMPLES)
        .about("Rebuild a run's summary files from its records, or write an HTML report of a run or a sweep")
        .disable_version_flag(true)
        .arg(
            Arg::new("folder")
                .index(1)
                .required(true)
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .help("Artifact folder of a run of aiperf or AIPerf; with --html also of a sweep or of repeated runs"),
        )
        .arg(
            Arg::new("goodput")
                .long("goodput")
                .value_name("METRIC:LIMIT")
                .num_args(1..)
                .action(ArgAction::Append)
                .help("SLO limits that a request must meet to count as good, instead of those of the run"),
        )
        .arg(
            Arg::new("slice-duration")
                .long("slice-duration")
                .value_name("SECONDS")
                .help("Length of the time slices, instead of that of the run"),
        )
        .arg(
            Arg::new("percentiles")
                .long("percentiles")
                .value_name("PERCENT")
                .num_args(1..)
                .action(ArgAction::Append)
                .value_delimiter(',')
                .help("Percentiles in addition to the usual ones, such as 99.9"),
        )
        .arg(
            Arg::new("endpoint-type")
                .long("endpoint-type")
                .value_name("TYPE")
                .help(format!("Endpoint type of the run, if the folder does not tell [values: {types}]")),
        )
        .arg(
            Arg::new("export-genai-perf")
                .long("export-genai-perf")
                .action(ArgAction::SetTrue)
                .help("Also write the summary as GenAI-Perf does (profile_export_genai_perf.json and .csv)"),
        )
        .arg(
            Arg::new("html")
                .long("html")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["slice-duration", "percentiles", "endpoint-type", "export-genai-perf"])
                .help("Write only the HTML report, report.html: one file with all charts that opens without a network"),
        )
        .arg(
            Arg::new("include-text")
                .long("include-text")
                .action(ArgAction::SetTrue)
                .requires("html")
                .help("Put the first prompts and answers of the run into the HTML report"),
        )
        .arg(
            Arg::new("trace-out")
                .long("trace-out")
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("Write a trace of all requests that ui.perfetto.dev opens"),
        )
        .arg(
            Arg::new("output-dir")
                .long("output-dir")
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .help("Folder to write to [default: next to the records]"),
        )
}

pub(super) fn read(matches: &ArgMatches, environment: &Environment) -> Result<ReportInvocation, CliError> {
    let text = |name: &str| matches.get_one::<String>(name);
    let path = |text: &String| environment.current_dir.join(text);
    let goodput = match matches.get_many::<String>("goodput") {
        None => None,
        Some(words) => {
            let words = words.cloned().collect::<Vec<_>>().join(" ");
            Some(aiperf_options::read_goodput(&words).map_err(|why| refused("--goodput", why))?)
        }
    };
    let percents = matches.get_many::<String>("percentiles").into_iter().flatten();
    let percentiles = percents.map(percent).collect::<Result<Vec<_>, _>>()?;
    let slice_duration = text("slice-duration").map(slice_duration).transpose()?;
    let endpoint = text("endpoint-type").map(endpoint).transpose()?;
    Ok(ReportInvocation {
        folder: text("folder").map(path).unwrap_or_default(),
        asked: RebuildOptions {
            goodput,
            slice_duration,
            percentiles,
            endpoint,
            genai_perf: matches.get_flag("export-genai-perf"),
        },
        trace: text("trace-out").map(path),
        output: text("output-dir").map(path),
        html: matches.get_flag("html").then(|| HtmlRequest { include_text: matches.get_flag("include-text") }),
    })
}

fn percent(text: &String) -> Result<f64, CliError> {
    let percent = text.trim_start_matches('p').parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or_else(|| refused("--percentiles", format!("{text:?} is not a number from 0 to 100")))
}

fn slice_duration(text: &String) -> Result<Nanos, CliError> {
    let seconds = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.001);
    let seconds =
        seconds.ok_or_else(|| refused("--slice-duration", format!("{text:?} is not a number of at least 0.001")))?;
    Ok(Nanos::from_secs_f64(seconds))
}

fn endpoint(text: &String) -> Result<EndpointKind, CliError> {
    EndpointKind::from_name(text).ok_or_else(|| {
        refused("--endpoint-type", format!("{text:?} is not an endpoint type; `aiperf report --help` lists them"))
    })
}

fn refused(option: &'static str, problem: String) -> CliError {
    CliError::TraceOption { option, problem }
}
