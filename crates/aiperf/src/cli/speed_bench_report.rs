//! `aiperf speed-bench-report FOLDER...`.

use std::path::PathBuf;

use aiperf_speed_bench::SpeedBenchMetric;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

pub(super) const NAME: &str = "speed-bench-report";
const PATHS: &str = "paths";
const NAMED_PATHS: &str = "named-paths";
const OUTPUT: &str = "output";
const FORMAT: &str = "format";
const METRIC: &str = "metric";

/// SPEED-Bench runs to put into one table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SpeedBenchInvocation {
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) metric: SpeedBenchMetric,
    /// File for the CSV, if it is wanted.
    pub(crate) csv: Option<PathBuf>,
    pub(crate) table: bool,
}

pub(super) fn command() -> Command {
    Command::new(NAME)
        .about("Put SPEED-Bench runs into one table: acceptance of drafts or throughput, by model and category")
        .after_help("Example:\n  aiperf speed-bench-report artifacts/speed-bench --metric accept_length")
        .disable_version_flag(true)
        .arg(
            Arg::new(PATHS)
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .num_args(1..)
                .required_unless_present(NAMED_PATHS)
                .help("Folders of runs, or folders that contain them"),
        )
        .arg(
            Arg::new(NAMED_PATHS)
                .long(PATHS)
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .action(ArgAction::Append)
                .num_args(1..)
                .help("The same as an option"),
        )
        .arg(
            Arg::new(OUTPUT)
                .long(OUTPUT)
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .default_value("speed_bench_report.csv")
                .help("File for the CSV"),
        )
        .arg(
            Arg::new(FORMAT)
                .long(FORMAT)
                .value_parser(PossibleValuesParser::new(["csv", "table", "both"]))
                .default_value("both")
                .help("Write a CSV file, print a table, or both"),
        )
        .arg(
            Arg::new(METRIC)
                .long(METRIC)
                .value_parser(PossibleValuesParser::new(SpeedBenchMetric::ALL.map(SpeedBenchMetric::name)))
                .default_value(SpeedBenchMetric::AcceptLength.name())
                .help("Tokens accepted per step, share of draft tokens accepted, or output tokens per second"),
        )
}

pub(super) fn read(matches: &ArgMatches) -> SpeedBenchInvocation {
    let text = |id: &str| matches.get_one::<String>(id).map_or("", String::as_str);
    let many = |id: &str| matches.get_many::<String>(id).into_iter().flatten().map(PathBuf::from);
    let format = text(FORMAT);
    SpeedBenchInvocation {
        folders: many(PATHS).chain(many(NAMED_PATHS)).collect(),
        metric: SpeedBenchMetric::of_name(text(METRIC)).unwrap_or(SpeedBenchMetric::AcceptLength),
        csv: (format != "table").then(|| PathBuf::from(text(OUTPUT))),
        table: format != "csv",
    }
}
