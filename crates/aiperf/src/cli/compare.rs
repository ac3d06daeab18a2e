//! `aiperf compare FOLDER FOLDER...` and `aiperf gate --baseline FOLDER FOLDER`

use std::path::{Path, PathBuf};

use aiperf_compare::{AskedQuantity, ComparisonOptions, Format, OnUnclear, Selection};
use aiperf_config::Environment;
use aiperf_option_table::OptionRow;
use aiperf_stats::Level;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

use super::CliError;
use super::command::option_arg;

/// Runs to compare with a baseline.
#[derive(Debug)]
pub(crate) struct CompareInvocation {
    /// The baseline first, each as the user wrote it and where it is.
    pub(crate) folders: Vec<(PathBuf, PathBuf)>,
    pub(crate) asked: ComparisonOptions,
    pub(crate) format: Format,
    /// Where that format goes; to stdout where `None`.
    pub(crate) output: Option<PathBuf>,
    /// Where the HTML report goes, if one is wanted.
    pub(crate) html: Option<PathBuf>,
    pub(crate) gate: Option<GateOptions>,
}

/// What makes a gate of a comparison.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GateOptions {
    pub(crate) on_unclear: OnUnclear,
}

/// How an option of these commands is given.
#[derive(Debug, Clone, Copy)]
pub(super) enum CompareArg {
    Text,
    /// Repeatable, or with commas.
    List,
    Flag,
    File,
    Folder,
}

type CompareOption = OptionRow<CompareArg>;

pub(super) const OPTIONS: [CompareOption; 8] = [
    CompareOption {
        name: "metric",
        value: "METRIC[:STATISTIC[:THRESHOLD]]",
        default: "the main metrics",
        help: "Metric to compare, such as time_to_first_token:p99:5%; the statistic is avg or a percentile; several are separated by commas",
        action: CompareArg::List,
    },
    CompareOption {
        name: "threshold",
        value: "PERCENT",
        default: "2.5%; 1 point for percentages",
        help: "Largest change that counts as no change",
        action: CompareArg::Text,
    },
    CompareOption {
        name: "detect",
        value: "PERCENT",
        default: "twice the threshold",
        help: "Change for which to forecast the number of samples; must be above the threshold",
        action: CompareArg::Text,
    },
    CompareOption {
        name: "confidence-level",
        value: "LEVEL",
        default: "0.95",
        help: "Probability that all verdicts together are right",
        action: CompareArg::Text,
    },
    CompareOption {
        name: "format",
        value: "console|markdown|json|junit",
        default: "console",
        help: "Format of the result",
        action: CompareArg::Text,
    },
    CompareOption {
        name: "output",
        value: "FILE",
        default: "stdout",
        help: "File to write the result to; the console format then goes to stdout",
        action: CompareArg::File,
    },
    CompareOption {
        name: "html",
        value: "FILE",
        default: "none",
        help: "Also write the comparison as an HTML report to this file: one file with charts that opens without a network",
        action: CompareArg::File,
    },
    CompareOption {
        name: "allow-incomplete",
        value: "",
        default: "",
        help: "Also judge runs that were interrupted, killed or rebuilt, or that lost records; without it such a run gets no verdict and the exit code is 4",
        action: CompareArg::Flag,
    },
];

pub(super) const GATE_OPTIONS: [CompareOption; 2] = [
    CompareOption {
        name: "baseline",
        value: "FOLDER",
        default: "",
        help: "Artifact folder of the run to compare with (only `gate`)",
        action: CompareArg::Folder,
    },
    CompareOption {
        name: "on-unclear",
        value: "pass|fail",
        default: "fail",
        help: "Exit code if the data is inconclusive: 0 for `pass`, 3 for `fail` (only `gate`)",
        action: CompareArg::Text,
    },
];

const COMPARE_EXAMPLES: &str = "\
Examples:
  aiperf compare artifacts/before artifacts/after
  aiperf compare before after --metric time_to_first_token:p99:5% --format markdown
  aiperf compare artifacts/before artifacts/after --html comparison.html";
const GATE_EXAMPLES: &str = "\
Examples:
  aiperf gate --baseline artifacts/main artifacts/branch
  aiperf gate --baseline main branch --format junit --output gate.xml";

pub(super) fn command() -> Command {
    let folders = Arg::new("folders")
        .num_args(0..)
        .value_name("FOLDER")
        .value_hint(ValueHint::DirPath)
        .help("Artifact folders of aiperf or AIPerf: the baseline first, then the runs to compare with it");
    Command::new("compare")
        .about("Compare runs with a baseline: better, worse, equal or inconclusive")
        .disable_version_flag(true)
        .override_usage("aiperf compare <BASELINE> <FOLDER>... [OPTIONS]")
        .after_help(COMPARE_EXAMPLES)
        .arg(folders)
        .args(OPTIONS.iter().map(arg))
}

pub(super) fn gate_command() -> Command {
    let folder = Arg::new("folders")
        .num_args(0..)
        .value_name("FOLDER")
        .value_hint(ValueHint::DirPath)
        .help("Artifact folder of the run to judge, of aiperf or AIPerf");
    Command::new("gate")
        .about("Compare a run with a baseline in CI: exit code 0 for a pass, 2 for a regression, 3 if inconclusive, 4 if a run is incomplete")
        .disable_version_flag(true)
        .override_usage("aiperf gate --baseline <FOLDER> <FOLDER> [OPTIONS]")
        .after_help(GATE_EXAMPLES)
        .arg(folder)
        .args(OPTIONS.iter().chain(&GATE_OPTIONS).map(arg))
}

fn arg(row: &CompareOption) -> Arg {
    let arg = option_arg(row, row.value);
    match row.action {
        CompareArg::List => arg.action(ArgAction::Append).num_args(1).value_delimiter(','),
        CompareArg::Folder => arg.value_hint(ValueHint::DirPath),
        CompareArg::File => arg.value_hint(ValueHint::FilePath),
        CompareArg::Text | CompareArg::Flag => arg,
    }
}

pub(super) fn read(matches: &ArgMatches, environment: &Environment) -> Result<CompareInvocation, CliError> {
    let folders = folders(matches);
    if folders.len() < 2 {
        return Err(CliError::TooFewFolders);
    }
    invocation(matches, environment, &folders, Selection::Wide, None)
}

pub(super) fn read_gate(matches: &ArgMatches, environment: &Environment) -> Result<CompareInvocation, CliError> {
    let text = |name: &str| matches.get_one::<String>(name);
    let candidates = folders(matches);
    let (Some(baseline), [candidate]) = (text("baseline"), candidates.as_slice()) else {
        return Err(CliError::NoGate);
    };
    let on_unclear = match text("on-unclear").map(String::as_str) {
        None | Some("fail") => OnUnclear::Fail,
        Some("pass") => OnUnclear::Pass,
        Some(other) => return Err(refused("--on-unclear", format!("{other:?} is neither pass nor fail"))),
    };
    let gate = Some(GateOptions { on_unclear });
    invocation(matches, environment, &[baseline, candidate], Selection::Gate, gate)
}

fn folders(matches: &ArgMatches) -> Vec<&String> {
    matches.get_many::<String>("folders").into_iter().flatten().collect()
}

fn invocation(
    matches: &ArgMatches,
    environment: &Environment,
    folders: &[&String],
    selection: Selection,
    gate: Option<GateOptions>,
) -> Result<CompareInvocation, CliError> {
    let text = |name: &str| matches.get_one::<String>(name);
    let share = |option: &'static str| {
        let read = |text: &String| text.parse().map_err(|why| refused(option, format!("{why}")));
        text(option.trim_start_matches('-')).map(read).transpose()
    };
    let quantities = matches.get_many::<String>("metric").into_iter().flatten().map(|text| quantity(text));
    let level = match text("confidence-level") {
        None => Level::P95,
        Some(text) => {
            let level = text.parse().ok().and_then(|level| Level::new(level).ok());
            level.ok_or_else(|| refused("--confidence-level", format!("{text:?} is not a number between 0 and 1")))?
        }
    };
    let format = match text("format") {
        None => Format::Console,
        Some(name) => Format::from_name(name)
            .ok_or_else(|| refused("--format", format!("{name:?} is not one of {}", Format::NAMES.join(", "))))?,
    };
    let here = |name: &String| (PathBuf::from(name), environment.current_dir.join(Path::new(name)));
    Ok(CompareInvocation {
        folders: folders.iter().map(|name| here(name)).collect(),
        asked: ComparisonOptions {
            selection,
            quantities: quantities.collect::<Result<_, _>>()?,
            threshold: share("--threshold")?,
            detect: share("--detect")?,
            level,
            allow_incomplete: matches.get_flag("allow-incomplete"),
        },
        format,
        output: text("output").map(|path| environment.current_dir.join(path)),
        html: text("html").map(|path| environment.current_dir.join(path)),
        gate,
    })
}

/// `time_to_first_token:p99:5%`
fn quantity(text: &str) -> Result<AskedQuantity, CliError> {
    let refuse = |why: String| refused("--metric", why);
    let (quantity, threshold) = match text.rsplit_once(':').filter(|(_, end)| end.ends_with('%')) {
        None => (text, None),
        Some((quantity, threshold)) => (quantity, Some(threshold.parse().map_err(|why| refuse(format!("{why}")))?)),
    };
    let quantity = quantity.parse().map_err(|why| refuse(format!("{why}")))?;
    Ok(AskedQuantity { quantity, threshold })
}

fn refused(option: &'static str, problem: String) -> CliError {
    CliError::TraceOption { option, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(words: &[&str]) -> Result<CompareInvocation, CliError> {
        let matches = command().try_get_matches_from(["compare"].iter().chain(words)).unwrap();
        read(&matches, &Environment { current_dir: "/here".into(), ..Environment::default() })
    }

    fn gate(words: &[&str]) -> Result<CompareInvocation, CliError> {
        let matches = gate_command().try_get_matches_from(["gate"].iter().chain(words)).unwrap();
        read_gate(&matches, &Environment { current_dir: "/here".into(), ..Environment::default() })
    }

    #[test]
    fn every_option_reaches_the_comparison() {
        let words = ["a", "b", "/c", "--metric", "request_latency:p99:10%,time_to_first_token", "--metric=goodput:3%"];
        let more =
            ["--threshold", "2%", "--detect", "12%", "--confidence-level", "0.9", "--format", "json", "--output", "o"];
        let asked = compare(&[&words[..], &more[..], &["--allow-incomplete"]].concat()).unwrap();
        assert!(asked.asked.allow_incomplete && !compare(&["a", "b"]).unwrap().asked.allow_incomplete);
        let places: Vec<_> = asked.folders.iter().map(|(_, place)| place.display().to_string()).collect();
        assert_eq!(places, ["/here/a", "/here/b", "/c"]);
        let quantities: Vec<_> = asked.asked.quantities.iter().map(|asked| asked.quantity.to_string()).collect();
        assert_eq!(quantities, ["request_latency:p99", "time_to_first_token:avg", "goodput:avg"]);
        let thresholds = asked.asked.quantities.iter().map(|asked| asked.threshold.map(|share| share.to_string()));
        assert_eq!(thresholds.collect::<Vec<_>>(), [Some("10%".to_owned()), None, Some("3%".to_owned())]);
        assert_eq!(asked.asked.threshold.unwrap().to_string(), "2%");
        assert_eq!(asked.asked.detect.unwrap().to_string(), "12%");
        assert_eq!(Ok(asked.asked.level), Level::new(0.9));
        assert_eq!((asked.format, asked.output), (Format::Json, Some("/here/o".into())));
        assert!(asked.gate.is_none());
    }

    #[test]
    fn a_gate_has_a_baseline_and_one_candidate() {
        let asked = gate(&["--baseline", "a", "b", "--on-unclear", "pass"]).unwrap();
        assert_eq!(asked.folders[0].0, PathBuf::from("a"));
        assert_eq!(asked.gate.unwrap().on_unclear, OnUnclear::Pass);
        assert_eq!(gate(&["b", "--baseline=a"]).unwrap().gate.unwrap().on_unclear, OnUnclear::Fail);
        for words in [&["b"][..], &["--baseline", "a"], &["--baseline", "a", "b", "c"]] {
            assert!(gate(words).unwrap_err().to_string().contains("aiperf gate --baseline A B"));
        }
        assert!(compare(&["a"]).unwrap_err().to_string().contains("aiperf compare A B"));
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_option() {
        let refusal = |words: &[&str]| compare(&[&["a", "b"], words].concat()).unwrap_err().to_string();
        assert!(refusal(&["--threshold", "2"]).starts_with("--threshold: \"2\" is not a percentage"));
        assert!(refusal(&["--detect", "0%"]).starts_with("--detect: "));
        assert!(refusal(&["--metric", "ttft"]).starts_with("--metric: \"ttft\" is not a metric"));
        assert!(
            refusal(&["--metric", "request_latency:p99:200%"]).starts_with("--metric: \"200%\" is not a percentage")
        );
        assert!(refusal(&["--confidence-level", "95"]).starts_with("--confidence-level: \"95\""));
        assert!(refusal(&["--format", "xml"]).contains("is not one of console, markdown, json, junit"));
        assert!(gate(&["--baseline", "a", "b", "--on-unclear", "x"]).unwrap_err().to_string().contains("--on-unclear"));
    }
}
