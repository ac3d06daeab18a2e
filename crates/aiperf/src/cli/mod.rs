//! The command line: from words to what shall be done. Options come from the catalogue, meaning comes from
//! `aiperf-config`; nothing is run here.

mod chat;
mod command;
mod compare;
mod completion;
mod error;
#[cfg(test)]
mod manual;
mod profile;
mod report;
mod selftest;
mod sim;
mod spelling;
#[cfg(test)]
mod tests;
mod trace;

use std::ffi::OsString;
use std::path::PathBuf;

use aiperf_config::{Environment, Experiment};
use clap::error::ErrorKind;

pub(crate) use chat::ChatInvocation;
pub(crate) use compare::{CompareInvocation, GateOptions};
pub(crate) use completion::Completion;
pub(crate) use error::CliError;
pub(crate) use report::ReportInvocation;
pub(crate) use selftest::SelfTestInvocation;
pub(crate) use sim::{SimFlag, SimInvocation};
pub(crate) use trace::{AnalysisFormat, AnalyzeTrace, ChangeTrace, MakeSessions, TraceInvocation, ValidateTrace};

/// Commands of the reference that this program knows by name only.
const UNBUILT_COMMANDS: [&str; 8] =
    ["plot", "plugins", "speed-bench-report", "config", "analyze", "kube", "service", "proxy"];

/// What the user wants done.
#[derive(Debug)]
pub(crate) enum Invocation {
    Profile(Box<Experiment>),
    Chat(Box<ChatInvocation>),
    SelfTest(SelfTestInvocation),
    Sim(SimInvocation),
    Report(ReportInvocation),
    /// Hold runs against each other, perhaps as a gate.
    Compare(CompareInvocation),
    /// Check an artifact folder or a file of results.
    Validate(PathBuf),
    Trace(TraceInvocation),
    Completion(Completion),
    /// Help or version, for stdout.
    Text(String),
}

/// Reads a whole command line, program name included. `sim_flags` are the settings of the simulator.
pub(crate) fn parse(
    args: impl IntoIterator<Item = OsString>,
    environment: &Environment,
    sim_flags: &[SimFlag],
) -> Result<Invocation, CliError> {
    let words = args
        .into_iter()
        .map(|word| word.into_string().map_err(|word| CliError::NotText(word.to_string_lossy().into_owned())))
        .collect::<Result<Vec<String>, CliError>>()?;
    if let Some(name) = words.get(1).filter(|name| UNBUILT_COMMANDS.contains(&name.as_str())) {
        return Err(CliError::CommandNotYet(name.clone()));
    }
    let (words, typed) = spelling::normalise(words);
    if words.get(1).is_some_and(|command| command == "profile") && words.len() == 2 {
        return Err(CliError::NothingToProfile);
    }
    let mut command = command::program(sim_flags, command::Purpose::Parsing);
    let matches = match command.try_get_matches_from_mut(&words) {
        Ok(matches) => matches,
        Err(clap_error) => return not_matched(&clap_error, &typed, environment),
    };
    if matches.get_flag(command::INSTALL_COMPLETION) {
        return completion::install(&matches, environment, sim_flags).map(Invocation::Completion);
    }
    match matches.subcommand() {
        Some(("profile", matches)) => {
            let raw = profile::raw_options(matches, &typed);
            Ok(Invocation::Profile(Box::new(Experiment::resolve(&raw, environment)?)))
        }
        Some(("chat", matches)) => chat::read(matches, environment).map(|chat| Invocation::Chat(Box::new(chat))),
        Some(("selftest", matches)) => Ok(Invocation::SelfTest(selftest::read(matches))),
        Some(("sim", matches)) => sim::read(matches, sim_flags).map(Invocation::Sim),
        Some(("report", matches)) => report::read(matches, environment).map(Invocation::Report),
        Some(("compare", matches)) => compare::read(matches, environment).map(Invocation::Compare),
        Some(("gate", matches)) => compare::read_gate(matches, environment).map(Invocation::Compare),
        Some(("validate", matches)) if trace::artifact(matches, environment).is_some() => {
            Ok(Invocation::Validate(trace::artifact(matches, environment).unwrap_or_default()))
        }
        Some((name @ ("analyze-trace" | "synthesize" | "validate"), matches)) => {
            trace::read(name, matches, environment).map(Invocation::Trace)
        }
        Some(("completions", matches)) => completion::print(matches, sim_flags).map(Invocation::Completion),
        _ => Ok(Invocation::Text(command.render_help().to_string())),
    }
}

/// Help and version are answers, everything else is a mistake.
fn not_matched(
    error: &clap::Error,
    typed: &spelling::Typed,
    environment: &Environment,
) -> Result<Invocation, CliError> {
    match error.kind() {
        ErrorKind::DisplayVersion => Ok(Invocation::Text(format!("{}\n", env!("CARGO_PKG_VERSION")))),
        ErrorKind::DisplayHelp => {
            let help = error.render();
            let text = if environment.stdout_is_terminal { help.ansi().to_string() } else { help.to_string() };
            Ok(Invocation::Text(text))
        }
        _ => Err(CliError::from_clap(error, typed)),
    }
}
