//! The command line: from words to what shall be done. Options come from the catalogue, meaning comes from
//! `aiperf-config`; nothing is run here.

mod analyze;
mod attach;
mod capacity;
mod chat;
mod command;
mod compare;
mod completion;
mod config;
mod doctor;
mod error;
mod help;
mod init;
mod kube;
mod man_pages;
#[cfg(test)]
mod manual;
mod merge;
mod mistake;
mod node;
mod plot;
mod plugins;
mod profile;
mod report;
mod selftest;
mod sim;
mod speed_bench_report;
mod spelling;
#[cfg(test)]
mod tests;
mod trace;

use std::ffi::OsString;
use std::path::PathBuf;

use aiperf_config::{Environment, Experiment};
use aiperf_options::RawOptions;
use clap::error::ErrorKind;
use mistake::Mistake;

use crate::build;

pub(crate) use analyze::{AnalyzeInvocation, AnalyzeView};
pub(crate) use attach::AttachInvocation;
pub(crate) use chat::ChatInvocation;
pub(crate) use compare::{CompareInvocation, GateOptions};
pub(crate) use completion::Completion;
pub(crate) use config::{ConfigInvocation, ExpandFormat};
pub(crate) use doctor::DoctorInvocation;
pub(crate) use error::CliError;
pub(crate) use init::InitInvocation;
pub(crate) use kube::{
    AttachRequest, CleanupRequest, ClusterAccess, DashboardRequest, DebugRequest, DeleteRequest, DeployFlags,
    DeployRequest, KubeInvocation, ListFilter, ListRequest, LogsRequest, PreflightRequest, ResultsRequest, SweepFlags,
    WorkloadChoice,
};
pub(crate) use man_pages::ManPages;
pub(crate) use merge::MergeInvocation;
pub(crate) use node::NodeInvocation;
pub(crate) use plot::{PlotInvocation, PlotTarget, PlotUpload, TerminalGraphics};
pub(crate) use plugins::{PLUGIN_DIR, PluginsInvocation};
pub(crate) use report::{HtmlRequest, ReportInvocation};
pub(crate) use selftest::SelfTestInvocation;
pub(crate) use sim::SimInvocation;
pub(crate) use speed_bench_report::SpeedBenchInvocation;
pub(crate) use trace::{AnalysisFormat, AnalyzeTrace, ChangeTrace, MakeSessions, TraceInvocation, ValidateTrace};

/// Commands of the reference that start one of its processes.
const INTERNAL_COMMANDS: [&str; 2] = ["service", "proxy"];
/// Commands of GenAI-Perf; some of the reference have the same names.
const GENAI_PERF_COMMANDS: [&str; 2] = ["create-template", "process-export-files"];
const HELP: &str = "help";

/// What the user wants done.
#[derive(Debug)]
pub(crate) enum Invocation {
    Profile(Box<Experiment>),
    /// Let nodes send a run.
    Coordinate(Box<CoordinateInvocation>),
    /// Take over from a coordinator that is lost.
    Attach(AttachInvocation),
    /// Send a share of a run.
    Node(NodeInvocation),
    Chat(Box<ChatInvocation>),
    /// Make a command with the user.
    Init(InitInvocation),
    /// Check this machine.
    Doctor(DoctorInvocation),
    /// Put SPEED-Bench runs into one table.
    SpeedBenchReport(SpeedBenchInvocation),
    SelfTest(SelfTestInvocation),
    Sim(SimInvocation),
    Report(ReportInvocation),
    /// Join the folders of several nodes.
    Merge(MergeInvocation),
    /// Run benchmarks in a Kubernetes cluster.
    Kube(Box<KubeInvocation>),
    /// Look at a configuration file.
    Config(ConfigInvocation),
    /// Look at finished runs.
    Analyze(AnalyzeInvocation),
    /// Compare runs with a baseline, perhaps as a gate.
    Compare(CompareInvocation),
    /// Draw charts of runs.
    Plot(Box<PlotInvocation>),
    /// List, check or begin plugins.
    Plugins(PluginsInvocation),
    /// Check an artifact folder or a file of results.
    Validate(PathBuf),
    Trace(TraceInvocation),
    Completion(Completion),
    /// Man pages, and the folder for them.
    ManPages(ManPages),
    /// Help or version, for stdout.
    Text(String),
}

/// A run that nodes send.
#[derive(Debug)]
pub(crate) struct CoordinateInvocation {
    pub(crate) experiment: Experiment,
    /// The options as typed, for the nodes.
    pub(crate) options: RawOptions,
}

/// The run that these options describe: of this process, or of nodes.
pub(crate) fn experiment(raw: &RawOptions, environment: &Environment) -> Result<Experiment, CliError> {
    profile::experiment(raw, environment)
}

/// Reads a whole command line, program name included.
pub(crate) fn parse(
    args: impl IntoIterator<Item = OsString>,
    environment: &Environment,
) -> Result<Invocation, CliError> {
    let words = args
        .into_iter()
        .map(|word| word.into_string().map_err(|word| CliError::NotText(word.to_string_lossy().into_owned())))
        .collect::<Result<Vec<String>, CliError>>()?;
    if let [_, word] = &words[..]
        && ["--version", "-V"].contains(&word.as_str())
    {
        // Answered without the table of all options: scripts ask often.
        return Ok(Invocation::Text(format!("{}\n", build::version_line())));
    }
    let words = asking_for_help(words);
    if let Some(name) = words.get(1) {
        if name == aiperf_genai_perf::NAME {
            return Ok(Invocation::Text(aiperf_genai_perf::help_page()));
        }
        refuse_elsewhere(name)?;
        if name == analyze::NAME && analyze::is_genai_perf(&words) {
            return Err(CliError::AnalyzeOfGenaiPerf);
        }
        if name == config::NAME && config::is_genai_perf(&words) {
            return Err(CliError::ConfigOfGenaiPerf);
        }
    }
    let (words, typed) = spelling::normalise(words);
    let words = trace::naming_its_kind(words, environment);
    if words.len() == 2 && words[1] == "profile" {
        return Err(CliError::NothingToProfile);
    }
    let mut command = command::program(command::Purpose::Parsing);
    let matches = match command.try_get_matches_from_mut(&words) {
        Ok(matches) => matches,
        Err(clap_error) => return not_matched(&clap_error, &words, &typed, &command, environment),
    };
    if matches.get_flag(command::INSTALL_COMPLETION) {
        return completion::install(&matches, environment).map(Invocation::Completion);
    }
    match matches.subcommand() {
        Some(("profile", matches)) => {
            let raw = profile::raw_options(matches, &typed);
            let experiment = profile::experiment(&raw, environment)?;
            Ok(if experiment.cells.iter().any(|cell| cell.config.cluster.is_some()) {
                Invocation::Coordinate(Box::new(CoordinateInvocation { experiment, options: raw }))
            } else {
                Invocation::Profile(Box::new(experiment))
            })
        }
        Some((capacity::NAME, matches)) => {
            capacity::read(matches, &typed, environment).map(|experiment| Invocation::Profile(Box::new(experiment)))
        }
        Some(("chat", matches)) => chat::read(matches, environment).map(|chat| Invocation::Chat(Box::new(chat))),
        Some((init::NAME, matches)) => Ok(Invocation::Init(init::read(matches))),
        Some((doctor::NAME, matches)) => Ok(Invocation::Doctor(doctor::read(matches))),
        Some((speed_bench_report::NAME, matches)) => {
            Ok(Invocation::SpeedBenchReport(speed_bench_report::read(matches)))
        }
        Some(("selftest", matches)) => Ok(Invocation::SelfTest(selftest::read(matches))),
        Some(("sim", matches)) => sim::read(matches).map(Invocation::Sim),
        Some((node::NAME, matches)) => Ok(Invocation::Node(node::read(matches, environment))),
        Some((attach::NAME, matches)) => Ok(Invocation::Attach(attach::read(matches, environment))),
        Some((merge::NAME, matches)) => Ok(Invocation::Merge(merge::read(matches, environment))),
        Some(("report", matches)) => report::read(matches, environment).map(Invocation::Report),
        Some((config::NAME, matches)) => config::read(matches, &typed, environment).map(Invocation::Config),
        Some((kube::NAME, matches)) => {
            kube::read(matches, &typed, environment).map(|asked| Invocation::Kube(Box::new(asked)))
        }
        Some((analyze::NAME, matches)) => analyze::read(matches, environment).map(Invocation::Analyze),
        Some(("compare", matches)) => compare::read(matches, environment).map(Invocation::Compare),
        Some(("plot", matches)) => plot::read(matches, environment).map(|asked| Invocation::Plot(Box::new(asked))),
        Some((plugins::NAME, matches)) => plugins::read(matches).map(Invocation::Plugins),
        Some(("gate", matches)) => compare::read_gate(matches, environment).map(Invocation::Compare),
        Some((name @ "validate", matches)) => match trace::artifact(matches, environment) {
            Some(folder) => Ok(Invocation::Validate(folder)),
            None => trace::read(name, matches, environment).map(Invocation::Trace),
        },
        Some((name @ ("analyze-trace" | "synthesize"), matches)) => {
            trace::read(name, matches, environment).map(Invocation::Trace)
        }
        Some((man_pages::NAME, matches)) => Ok(Invocation::ManPages(man_pages::read(matches))),
        Some(("completions", matches)) => completion::print(matches).map(Invocation::Completion),
        _ => Ok(Invocation::Text(help::next_steps())),
    }
}

/// Whether this program has a command.
pub(crate) fn has_command(name: &str) -> bool {
    command::program(command::Purpose::Parsing).find_subcommand(name).is_some()
}

/// `aiperf help COMMAND` is another way to write `aiperf COMMAND --help`.
fn asking_for_help(mut words: Vec<String>) -> Vec<String> {
    if words.get(1).is_some_and(|word| word == HELP) {
        words.remove(1);
        words.push("--help".to_owned());
    }
    words
}

/// Commands that are known and that are not here.
fn refuse_elsewhere(name: &str) -> Result<(), CliError> {
    if INTERNAL_COMMANDS.contains(&name) {
        return Err(CliError::InternalCommand(name.to_owned()));
    }
    if GENAI_PERF_COMMANDS.contains(&name) {
        return Err(CliError::CommandOfGenaiPerf(name.to_owned()));
    }
    Ok(())
}

/// Columns of the terminal; without one, the value of `COLUMNS`.
fn columns(environment: &Environment) -> usize {
    let said = environment.variables.get("COLUMNS").and_then(|columns| columns.parse().ok());
    let terminal = terminal_size::terminal_size().map(|(columns, _)| usize::from(columns.0));
    terminal.or(said).unwrap_or(100)
}

/// Help and version are answers, everything else is a mistake.
fn not_matched(
    error: &clap::Error,
    words: &[String],
    typed: &spelling::Typed,
    program: &clap::Command,
    environment: &Environment,
) -> Result<Invocation, CliError> {
    match error.kind() {
        ErrorKind::DisplayVersion => Ok(Invocation::Text(format!("{}\n", build::version_line()))),
        ErrorKind::DisplayHelp => {
            let is_brief = !words.contains(&"--help".to_owned());
            let help = match words.get(1).map(String::as_str).filter(|_| is_brief) {
                Some("profile") => command::brief_profile(columns(environment)).render_help(),
                Some(capacity::NAME) => capacity::brief(columns(environment)).render_help(),
                _ => error.render(),
            };
            let text = if environment.stdout_is_terminal { help.ansi().to_string() } else { help.to_string() };
            Ok(Invocation::Text(text))
        }
        _ => Err(Mistake { words, typed, program }.explain(error)),
    }
}
