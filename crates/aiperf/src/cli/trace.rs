//! The commands about traces: `analyze-trace`, `synthesize` and `validate`.

mod analyze;
mod synthesize;
mod validate;

use std::path::PathBuf;

use aiperf_config::Environment;
use aiperf_trace::Layout;
use clap::{Arg, ArgMatches, Command, ValueHint};

pub(crate) use analyze::{AnalysisFormat, AnalyzeTrace};
pub(crate) use synthesize::{ChangeTrace, MakeSessions};
pub(crate) use validate::ValidateTrace;
pub(super) use validate::artifact;

use super::CliError;

/// What shall be done with a trace.
#[derive(Debug)]
pub(crate) enum TraceInvocation {
    Analyze(AnalyzeTrace),
    Change(ChangeTrace),
    Make(Box<MakeSessions>),
    Validate(ValidateTrace),
}

/// What `synthesize` makes.
const KINDS: [&str; 2] = ["trace", "agentic-code"];

pub(super) fn commands() -> [Command; 3] {
    [analyze::command(), synthesize::command(), validate::command()]
}

/// `aiperf synthesize FILE` is another way to write `aiperf synthesize trace FILE`, if there is such a file.
pub(super) fn naming_its_kind(mut words: Vec<String>, environment: &Environment) -> Vec<String> {
    let is_file = |word: &String| !KINDS.contains(&word.as_str()) && path(environment, word).is_file();
    if words.get(1).is_some_and(|name| name == "synthesize") && words.get(2).is_some_and(is_file) {
        words.insert(2, KINDS[0].to_owned());
    }
    words
}

pub(super) fn read(name: &str, matches: &ArgMatches, environment: &Environment) -> Result<TraceInvocation, CliError> {
    match name {
        "analyze-trace" => analyze::read(matches, environment).map(TraceInvocation::Analyze),
        "synthesize" => match matches.subcommand() {
            Some(("trace", matches)) => synthesize::change(matches, environment).map(TraceInvocation::Change),
            Some((_, matches)) => {
                synthesize::make(matches, environment).map(|sessions| TraceInvocation::Make(Box::new(sessions)))
            }
            None => Err(CliError::MissingValue("aiperf synthesize".to_owned())),
        },
        _ => validate::read(matches, environment).map(TraceInvocation::Validate),
    }
}

/// A word that may also be given by name: `FILE` or `--input-file FILE`.
fn word(position: usize, named: &'static str, value: &'static str, help: &'static str) -> [Arg; 2] {
    let positional = Arg::new(format!("positional-{named}")).index(position).value_name(value).help(help);
    let by_name = format!("{help}; the same as {value} without a name");
    let option = Arg::new(named).long(named).value_name(value).help(by_name).conflicts_with(positional.get_id());
    [positional.value_hint(ValueHint::AnyPath), option.value_hint(ValueHint::AnyPath)]
}

fn given<'m>(matches: &'m ArgMatches, named: &str) -> Option<&'m String> {
    let positional = matches.try_get_one::<String>(&format!("positional-{named}")).ok().flatten();
    positional.or_else(|| matches.get_one::<String>(named))
}

fn required<'m>(matches: &'m ArgMatches, named: &str) -> Result<&'m String, CliError> {
    given(matches, named).ok_or_else(|| CliError::MissingValue(format!("--{named}")))
}

fn path(environment: &Environment, text: &str) -> PathBuf {
    environment.current_dir.join(text)
}

fn layout_arg() -> Arg {
    Arg::new("custom-dataset-type")
        .long("custom-dataset-type")
        .value_name("LAYOUT")
        .help(format!("Format of the file [values: {}] [default: detected]", layouts()))
}

fn layout(matches: &ArgMatches) -> Result<Option<Layout>, CliError> {
    let Some(name) = matches.get_one::<String>("custom-dataset-type") else { return Ok(None) };
    let wanted = name.to_ascii_lowercase().replace('-', "_");
    Layout::ALL.into_iter().find(|layout| layout.name() == wanted).map(Some).ok_or_else(|| CliError::TraceOption {
        option: "--custom-dataset-type",
        problem: format!("{name:?} is not a trace format; choose one of {}", layouts()),
    })
}

/// What `--block-size` is for.
const BLOCK_SIZE: &str = "Number of tokens that one block id stands for [default: 512; 16 for bailian_trace; for \
                          baseten_trace as the file says, else 64]";

fn layouts() -> String {
    Layout::ALL.map(Layout::name).join(", ")
}

/// The number behind `--NAME`.
fn number<T: std::str::FromStr>(
    name: &'static str,
    text: Option<&String>,
    expected: &str,
    accepts: impl Fn(&T) -> bool,
) -> Result<Option<T>, CliError> {
    let Some(text) = text else { return Ok(None) };
    let number = text.parse().ok().filter(accepts);
    number.map(Some).ok_or_else(|| CliError::Other(format!("--{name} was given {text:?}: {expected} is expected")))
}

fn block_size(matches: &ArgMatches) -> Result<Option<u32>, CliError> {
    number("block-size", given(matches, "block-size"), "a whole number of at least 1", |size| *size > 0)
}
