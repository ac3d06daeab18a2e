//! `aiperf capacity`: the options of `aiperf profile` that go with a search for the highest load within service-level objectives.

use aiperf_config::{Environment, Experiment};
use aiperf_options::catalogue::{OptionId, OptionSpec};
use aiperf_options::{CAPACITY_RECIPE, ConfigError, contradicts_capacity};
use clap::{ArgMatches, Command};

use super::command::{self, Purpose};
use super::profile;
use super::spelling::Typed;
use super::{CliError, help};

pub(super) const NAME: &str = "capacity";
/// How messages name what stands for the recipe.
pub(super) const SPELLING: &str = "aiperf capacity";

fn base() -> Command {
    Command::new(NAME)
        .about("Find the highest request rate, or the most users, that a server serves within its SLOs")
        .disable_version_flag(true)
        .override_usage("aiperf capacity --url <URL> --slo <METRIC:LIMIT> [OPTIONS]")
}

fn is_shown(spec: &OptionSpec) -> bool {
    spec.is_supported() && spec.id != OptionId::SearchRecipe && contradicts_capacity(spec.id).is_none()
}

/// All options of `aiperf profile`. Those that contradict the search are hidden, and refused with a reason.
pub(super) fn command(purpose: Purpose) -> Command {
    command::with_options(base().next_line_help(true).after_help(help::CAPACITY_EXAMPLES), purpose, is_shown)
}

/// A page of help with the options that people use most.
pub(super) fn brief(columns: usize) -> Command {
    command::brief(
        base(),
        &help::CAPACITY_BRIEF,
        &format!("{}\n\n{}", help::CAPACITY_EXAMPLES, help::CAPACITY_MORE),
        columns,
    )
}

pub(super) fn read(matches: &ArgMatches, typed: &Typed, environment: &Environment) -> Result<Experiment, CliError> {
    let mut raw = profile::raw_options(matches, typed);
    if let Some(given) = raw.get(OptionId::SearchRecipe) {
        let (first, second) = (given.spelling.clone(), SPELLING.to_owned());
        let why = "this command is a recipe of its own; use `aiperf profile` for others".to_owned();
        return Err(ConfigError::Conflict { first, second, why }.into());
    }
    raw.set(OptionId::SearchRecipe, SPELLING, vec![CAPACITY_RECIPE.to_owned()]);
    profile::experiment(&raw, environment)
}
