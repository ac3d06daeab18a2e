//! The `aiperf` program.
#![forbid(unsafe_code)]

// Its macros are for all that follow.
#[macro_use]
mod output;

mod analyze;
mod artifacts;
mod build;
mod capacity;
mod chat;
mod cli;
mod cluster;
mod compare;
mod config_file;
mod doctor;
mod dry_run;
mod exporters;
mod genai_perf;
mod html_report;
mod init;
mod interrupts;
mod kube;
mod limits;
mod logging;
mod merge;
mod plot;
mod plugin_processes;
mod plugins;
mod profile;
mod progress;
mod remaining_time;
mod resume;
mod run_files;
mod screen;
mod selftest;
mod simulate;
mod speed_bench_report;
mod trace_tool;
mod trials;
mod views;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::{env, fs};

use aiperf_config::{Environment, ExpressionChecks, Extensions};
use aiperf_endpoint::{PayloadTemplate, ResponseField};
use anyhow::Context;
use cli::{Completion, Invocation};
use interrupts::Interrupts;
use output::print;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // A process of the sandbox for programs of answers is a copy of this program, and never comes back from here.
    aiperf_sandbox::enter_if_asked();
    if let Some(code) = cluster::report_if_asked() {
        return code;
    }
    // First of all, so that no Ctrl-C is lost.
    match Interrupts::catch().and_then(|interrupts| run(&interrupts)) {
        Ok(code) => printed(code),
        Err(error) => {
            aiperf_dashboard::restore();
            screen::release();
            eprintln!("error: {}", sentence(&error));
            ExitCode::FAILURE
        }
    }
}

/// A command that could not print what it found out has not succeeded.
fn printed(code: ExitCode) -> ExitCode {
    match output::take_failure() {
        Ok(()) => code,
        Err(error) => {
            eprintln!("error: {}", sentence(&error));
            if code == ExitCode::SUCCESS { ExitCode::FAILURE } else { code }
        }
    }
}

/// An error with its causes. Many errors quote their cause themselves; it is not said twice.
fn sentence(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |said, cause| match cause.to_string() {
        cause if said.is_empty() => cause,
        cause if said.contains(&cause) => said,
        cause => format!("{said}: {cause}"),
    })
}

fn run(interrupts: &Interrupts) -> anyhow::Result<ExitCode> {
    limits::report_full_files()?;
    let mut environment = environment()?;
    let args: Vec<OsString> = env::args_os().collect();
    let packs = plugins::load(&args, &environment)?;
    environment.extensions = packs.extensions(&plugins::rows_folder(&environment));
    let environment = environment;
    if let Some(words) = aiperf_genai_perf::words_of(&args) {
        return genai_perf::run(words, &environment, interrupts);
    }
    match cli::parse(args, &environment)? {
        Invocation::Text(text) => print(text.as_bytes())?,
        Invocation::ManPages(pages) => {
            let folder = &pages.folder;
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
            pages.write().with_context(|| format!("cannot write to {}", folder.display()))?;
            println!("{}", folder.display());
        }
        Invocation::Completion(Completion { script, path: None }) => print(&script)?,
        Invocation::Completion(Completion { script, path: Some(path) }) => {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
            }
            fs::write(&path, script).with_context(|| format!("cannot write {}", path.display()))?;
            println!("{}", path.display());
        }
        Invocation::Profile(experiment) => return profile::run(&experiment, &environment, interrupts),
        Invocation::Chat(chat) => return chat::run(&chat, &environment, interrupts),
        Invocation::Init(asked) => return init::run(&asked, &environment),
        Invocation::Doctor(asked) => return doctor::run(&asked, &environment),
        Invocation::SpeedBenchReport(asked) => return speed_bench_report::run(&asked, &environment),
        Invocation::SelfTest(test) => return selftest::run(&test, &environment, interrupts),
        Invocation::Coordinate(asked) => return cluster::coordinate(&asked, &environment, interrupts),
        Invocation::Attach(asked) => return cluster::attach(&asked, &environment, interrupts),
        Invocation::Node(asked) => return cluster::node(&asked, &environment, interrupts),
        Invocation::Merge(asked) => return merge::merge(&asked, &environment),
        Invocation::Report(asked) => return artifacts::report(&asked, &environment),
        Invocation::Analyze(asked) => return analyze::run(&asked),
        Invocation::Kube(asked) => return kube::run(&asked, &environment, interrupts),
        Invocation::Config(asked) => return config_file::run(&asked, &environment),
        Invocation::Compare(asked) => return compare::run(&asked),
        Invocation::Plugins(asked) => return plugins::run(&asked, &packs),
        Invocation::Plot(mut asked) => {
            asked.options.added = packs.plots();
            return plot::run(&asked, &environment, interrupts);
        }
        Invocation::Validate(dir) => return artifacts::validate(&dir),
        Invocation::Trace(tool) => return trace_tool::run(&tool),
        Invocation::Sim(sim) => simulate::run(&sim, interrupts)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What this process finds itself in.
fn environment() -> anyhow::Result<Environment> {
    Ok(Environment {
        stdout_is_terminal: io::stdout().is_terminal(),
        stderr_is_terminal: io::stderr().is_terminal(),
        variables: env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect(),
        current_dir: env::current_dir().context("cannot find the working folder")?,
        peek: Some(aiperf_dataset::peek),
        listed_models: Some(aiperf_experiment::listed_models),
        expressions: Some(ExpressionChecks {
            payload_template: |text| PayloadTemplate::parse(text).map(|template| template.may_write_limit()),
            response_field: |text| ResponseField::parse(text).map(|_| ()),
        }),
        extensions: Extensions::default(),
    })
}
