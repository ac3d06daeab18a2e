//! `aiperf selftest`: runs a self-test, prints what it found and keeps it for later reports.

use std::process::ExitCode;
use std::sync::Arc;

use aiperf_clock::Nanos;
use aiperf_config::{Environment, LogLevel, UiKind};
use aiperf_engine::ControlSource;
use aiperf_experiment::{Monitor, SelfTest, SelfTestError, SelfTestFormat, SelfTestOptions, StateFile};
use aiperf_options::RawOptions;
use aiperf_report::console::{self, Width};
use aiperf_report::{Grade, SelfTestReport};
use anyhow::Context;

use crate::build::VERSION;
use crate::cli::SelfTestInvocation;
use crate::interrupts::Interrupts;
use crate::{logging, profile};

/// Without a terminal to ask.
const WIDTH: Width = Width(80);

pub(crate) fn run(
    invocation: &SelfTestInvocation,
    environment: &Environment,
    interrupts: &Interrupts,
) -> anyhow::Result<ExitCode> {
    logging::start(LogLevel::Warning);
    logging::warn_of_unread(environment);
    let mut options = SelfTestOptions::default();
    for (flag, value) in &invocation.settings {
        options.set(flag, value)?;
    }
    let control = ControlSource::new();
    let monitor = Arc::new(Monitor::default());
    interrupts.stop(control.control(), &monitor);
    let test = SelfTest {
        options: &options,
        environment,
        version: VERSION,
        program: std::env::current_exe().context("cannot find the path of this program to start the simulator")?,
    };
    let style = profile::style(UiKind::Simple, None, environment);
    let duration = Nanos::from_secs_f64(test.seconds()?);
    let progress = profile::watch(&monitor, None, vec![profile::ShownPhase::of_duration(duration)], None, style);
    let result = test.execute(&|options| Ok(RawOptions::of_pairs(options)?.resolve(environment)?), &control, &monitor);
    drop(progress);
    let mut report = match result {
        Err(SelfTestError::Interrupted) => return Ok(ExitCode::from(profile::INTERRUPTED)),
        result => result?,
    };
    keep(&mut report, environment);
    show(&report, options.format, environment)?;
    Ok(if report.verdict == Grade::Fail { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The result stands whether or not it can be kept.
fn keep(report: &mut SelfTestReport, environment: &Environment) {
    let Some(state) = StateFile::of(environment) else {
        log::warn!("neither XDG_STATE_HOME nor HOME is set: the result is not saved for later reports");
        return;
    };
    match state.keep(&report.certificate()) {
        Ok(()) => report.kept_in = Some(state.path().to_owned()),
        Err(error) => log::warn!("the result is not saved for later reports: {}: {error}", state.path().display()),
    }
}

fn show(report: &SelfTestReport, format: SelfTestFormat, environment: &Environment) -> anyhow::Result<()> {
    let text = match format {
        SelfTestFormat::Json => serde_json::to_string_pretty(report)? + "\n",
        SelfTestFormat::Text => {
            let (width, colour) = profile::console_of(WIDTH, environment);
            console::render_selftest(report, width, colour)
        }
    };
    crate::print(text.as_bytes())
}
