//! `aiperf analyze-trace FILE`

use std::path::PathBuf;

use aiperf_config::Environment;
use aiperf_trace::{Layout, ModelShape};
use clap::{Arg, ArgMatches, Command, ValueHint};

use super::{BLOCK_SIZE, block_size, given, layout, layout_arg, path, required, word};
use crate::cli::CliError;

#[derive(Debug)]
pub(crate) struct AnalyzeTrace {
    pub(crate) input: PathBuf,
    pub(crate) layout: Option<Layout>,
    /// Tokens of a block, if they differ from those of the layout.
    pub(crate) block_size: Option<u32>,
    pub(crate) shape: Option<ModelShape>,
    pub(crate) format: AnalysisFormat,
    /// JSON, or CSV if the name ends in `.csv`.
    pub(crate) output: Option<PathBuf>,
    /// An HTML page with charts.
    pub(crate) plot: Option<PathBuf>,
}

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnalysisFormat {
    Table,
    Json,
    Csv,
}

pub(super) fn command() -> Command {
    Command::new("analyze-trace")
        .about("Analyze a trace: lengths, shared prefixes, cache hit rate, burstiness, sessions")
        .disable_version_flag(true)
        .args(word(1, "input-file", "FILE", "Trace to read"))
        .args(word(2, "block-size", "TOKENS", BLOCK_SIZE))
        .args(word(
            3,
            "output-file",
            "PATH",
            "File to write the figures to, as JSON, or as CSV if its name ends in .csv",
        ))
        .arg(layout_arg())
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .help("Format to print [values: table, json, csv] [default: table]"),
        )
        .arg(Arg::new("model-shape").long("model-shape").value_name("SHAPE").help(format!(
            "Model shape for cache sizes in GiB: LAYERSxKV_HEADSxHEAD_DIM[xBYTES], or one of {}",
            ModelShape::names().collect::<Vec<_>>().join(", ")
        )))
        .arg(
            Arg::new("plot")
                .long("plot")
                .value_name("PATH")
                .value_hint(ValueHint::FilePath)
                .help("HTML page to draw the figures into"),
        )
}

pub(super) fn read(matches: &ArgMatches, environment: &Environment) -> Result<AnalyzeTrace, CliError> {
    let shape = matches.get_one::<String>("model-shape").map(|text| text.parse());
    let format = match matches.get_one::<String>("format").map(|name| name.to_ascii_lowercase()).as_deref() {
        None | Some("table") => AnalysisFormat::Table,
        Some("json") => AnalysisFormat::Json,
        Some("csv") => AnalysisFormat::Csv,
        Some(other) => {
            let problem = format!("{other:?}: table, json or csv is expected");
            return Err(CliError::TraceOption { option: "--format", problem });
        }
    };
    Ok(AnalyzeTrace {
        input: path(environment, required(matches, "input-file")?),
        layout: layout(matches)?,
        block_size: block_size(matches)?,
        shape: shape.transpose().map_err(|problem| CliError::TraceOption { option: "--model-shape", problem })?,
        format,
        output: given(matches, "output-file").map(|text| path(environment, text)),
        plot: matches.get_one::<String>("plot").map(|text| path(environment, text)),
    })
}
