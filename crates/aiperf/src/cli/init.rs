//! `aiperf init`.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};

use crate::init::Goal;

pub(super) const NAME: &str = "init";
const URL: &str = "url";
const MODEL: &str = "model";
const GOAL: &str = "goal";

/// What is known already; the rest is asked for.
#[derive(Debug, Default)]
pub(crate) struct InitInvocation {
    pub(crate) url: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) goal: Option<Goal>,
}

pub(super) fn command() -> Command {
    let goals = Goal::ALL.map(|goal| format!("{:<10}  {}", goal.name(), goal.question())).join("\n  ");
    Command::new(NAME)
        .about("Ask for server, model and goal, and print the command to run")
        .after_help(format!(
            "Goals:\n  {goals}\n\nExamples:\n  aiperf init\n  aiperf init --url localhost:8000 --goal capacity"
        ))
        .disable_version_flag(true)
        .arg(Arg::new(URL).long(URL).short('u').value_name("URL").help("URL of the server"))
        .arg(
            Arg::new(MODEL).long(MODEL).short('m').value_name("NAME").help("Name of the model, as the server knows it"),
        )
        .arg(
            Arg::new(GOAL)
                .long(GOAL)
                .value_name("GOAL")
                .value_parser(PossibleValuesParser::new(Goal::ALL.map(Goal::name)))
                .help("What you want to find out"),
        )
}

pub(super) fn read(matches: &ArgMatches) -> InitInvocation {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    InitInvocation { url: text(URL), model: text(MODEL), goal: text(GOAL).and_then(|name| Goal::from_answer(&name)) }
}
