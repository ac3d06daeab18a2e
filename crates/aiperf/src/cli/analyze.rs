//! `aiperf analyze swim-lane FOLDER...` and `aiperf analyze turn-messages FOLDER...`

use std::path::PathBuf;

use aiperf_config::Environment;
use aiperf_timeline::{SwimLaneOptions, TurnMessagesOptions};
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};

use super::CliError;

pub(super) const NAME: &str = "analyze";
const SWIM_LANE: &str = "swim-lane";
const TURN_MESSAGES: &str = "turn-messages";

/// Runs to look at again.
#[derive(Debug)]
pub(crate) struct AnalyzeInvocation {
    pub(crate) folders: Vec<PathBuf>,
    /// File of the one run; next to the records if `None`.
    pub(crate) output: Option<PathBuf>,
    pub(crate) view: AnalyzeView,
}

/// What is made of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum AnalyzeView {
    SwimLane { options: SwimLaneOptions, html: bool },
    TurnMessages(TurnMessagesOptions),
}

const EXAMPLES: &str = "\
Examples:
  aiperf analyze swim-lane artifacts/my-run --html
  aiperf analyze turn-messages artifacts/my-run

GenAI-Perf's command of this name is `aiperf genai-perf analyze`.";

pub(super) fn command() -> Command {
    Command::new(NAME)
        .about("Look at a finished run: swim lanes of its sessions, messages turn by turn")
        .after_help(EXAMPLES)
        .disable_version_flag(true)
        .subcommand_required(true)
        .subcommand(swim_lane())
        .subcommand(turn_messages())
}

fn swim_lane() -> Command {
    Command::new(SWIM_LANE)
        .about("Draw when each session slot sent its requests (swim_lane.png)")
        .disable_version_flag(true)
        .args(common("PNG file to write, if there is one folder [default: swim_lane.png in the folder]"))
        .arg(
            number("concurrency", "N", "Concurrency to draw as a line [default: that of the run]")
                .short('c')
                .value_parser(clap::value_parser!(u64)),
        )
        .arg(
            number("ramp", "SECONDS", "End of the ramp to draw as a line [default: that of the run]")
                .value_parser(clap::value_parser!(f64)),
        )
        .arg(
            Arg::new("html")
                .long("html")
                .action(ArgAction::SetTrue)
                .overrides_with("no-html")
                .help("Also write a page to zoom and to look at single requests (swim_lane.html)"),
        )
        .arg(
            Arg::new("no-html")
                .long("no-html")
                .action(ArgAction::SetTrue)
                .overrides_with("html")
                .help("Write the picture only, which is the default"),
        )
}

fn turn_messages() -> Command {
    let count =
        |name: &'static str, help: &'static str| number(name, "N", help).value_parser(clap::value_parser!(usize));
    Command::new(TURN_MESSAGES)
        .about("Show the messages of each turn as a page (turn_messages.html); needs a run with --export-level raw")
        .disable_version_flag(true)
        .args(common("HTML file to write, if there is one folder [default: turn_messages.html in the folder]"))
        .arg(count("limit-conversations", "Conversations to show [default: 40]").short('n'))
        .arg(count("max-turns", "Turns to show of each conversation [default: 60]"))
        .arg(count("content-cap", "Letters to show of each message [default: 8000]"))
}

fn common(output: &'static str) -> [Arg; 3] {
    [
        Arg::new("folders")
            .index(1)
            .required_unless_present("run-dirs")
            .num_args(1..)
            .value_name("FOLDER")
            .value_hint(ValueHint::DirPath)
            .help("Artifact folders of runs of aiperf or AIPerf"),
        Arg::new("run-dirs")
            .long("run-dirs")
            .num_args(1..)
            .action(ArgAction::Append)
            .value_name("FOLDER")
            .value_hint(ValueHint::DirPath)
            .help("Artifact folders of runs; the same as naming them without --run-dirs"),
        Arg::new("out").long("out").short('o').value_name("FILE").value_hint(ValueHint::FilePath).help(output),
    ]
}

fn number(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

/// Whether the words after `analyze` are those of GenAI-Perf's command of this name.
pub(super) fn is_genai_perf(words: &[String]) -> bool {
    words.get(2).is_some_and(|word| {
        ![SWIM_LANE, TURN_MESSAGES, "swim_lane", "turn_messages", "--help", "-h"].contains(&word.as_str())
    })
}

pub(super) fn read(matches: &ArgMatches, environment: &Environment) -> Result<AnalyzeInvocation, CliError> {
    let (name, matches) = matches.subcommand().unwrap_or((SWIM_LANE, matches));
    let path = |text: &String| environment.current_dir.join(text);
    let named = ["folders", "run-dirs"].into_iter().filter_map(|name| matches.get_many::<String>(name));
    let folders: Vec<PathBuf> = named.flatten().map(path).collect();
    let output = matches.get_one::<String>("out").map(path);
    if output.is_some() && folders.len() > 1 {
        let problem = format!("there are {} folders; give one, or leave it out", folders.len());
        return Err(CliError::TraceOption { option: "--out", problem });
    }
    let count = |name: &str, default: usize| matches.get_one::<usize>(name).copied().unwrap_or(default);
    let view = if name == SWIM_LANE {
        let ramp = matches.get_one::<f64>("ramp").copied();
        if let Some(ramp) = ramp.filter(|ramp| !ramp.is_finite() || *ramp < 0.0) {
            return Err(CliError::TraceOption {
                option: "--ramp",
                problem: format!("{ramp} is not a number of at least 0"),
            });
        }
        let options = SwimLaneOptions { concurrency: matches.get_one::<u64>("concurrency").copied(), ramp };
        AnalyzeView::SwimLane { options, html: matches.get_flag("html") }
    } else {
        let TurnMessagesOptions { conversations, turns, letters } = TurnMessagesOptions::default();
        AnalyzeView::TurnMessages(TurnMessagesOptions {
            conversations: count("limit-conversations", conversations),
            turns: count("max-turns", turns),
            letters: count("content-cap", letters),
        })
    };
    Ok(AnalyzeInvocation { folders, output, view })
}
