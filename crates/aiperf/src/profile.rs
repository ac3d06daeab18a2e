//! `aiperf profile`: runs one benchmark, shows its progress and its result, and turns Ctrl-C into an orderly end.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aiperf_clock::{Mono, Nanos};
use aiperf_config::{Config, Environment, PhaseKind, UiKind};
use aiperf_engine::{Control, ControlSource, StopReason};
use aiperf_experiment::{Monitor, Run, RunResult, StateFile, Verdict};
use aiperf_hub::{DownloadSnapshot, Hub, HubEnvironment, Limits};
use aiperf_report::console::{self, Colour, Width};
use aiperf_ui::{ProgressLine, Snapshot, Style, Transfer};
use anyhow::Context;

use crate::logging;

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// 128 + SIGINT, as shells report it.
pub(crate) const INTERRUPTED: u8 = 130;
/// The run is whole, and `--strict` does not let it pass.
const DOUBTFUL: u8 = 3;

pub(crate) fn run(config: Config, environment: &Environment) -> anyhow::Result<ExitCode> {
    logging::start(config.output.log_level);
    for warning in &config.warnings {
        log::warn!("{warning}");
    }
    let ui = config.output.ui;
    let width = Width(config.tuning.console_width);
    let duration = config.profiling.stop.duration.map(Nanos::from);
    let dir = config.output.dir.clone();

    let hub = hub(&config, environment);
    let downloading = (ui == UiKind::Simple).then(|| watch_download(&hub, environment));
    let mut run = Run::prepare(config, VERSION, &hub)?;
    drop(downloading);
    if let Some(state) = StateFile::of(environment) {
        run.cite(state.tests(VERSION));
    }
    // Only now: a run that cannot start leaves nothing behind. What was logged so far goes to the file too.
    logging::write_to(&dir).map_err(|cause| {
        anyhow::anyhow!("cannot write to {}: {cause}; choose a writable folder with --artifact-dir", dir.display())
    })?;
    let control = ControlSource::new();
    catch_interrupts(control.control())?;
    let monitor = Arc::new(Monitor::default());
    let progress = (ui == UiKind::Simple).then(|| watch(&monitor, duration, environment));
    let result = run.execute(VERSION, &control, &monitor)?;
    drop(progress);
    show(&result, width, environment);
    Ok(exit_code(&result))
}

/// The hub that this environment names, within the limits for public data sets.
pub(crate) fn hub(config: &Config, environment: &Environment) -> Hub {
    let variables = HubEnvironment::from_variables(|name| environment.variables.get(name).cloned());
    Hub::new(variables).with_limits(Limits {
        bytes: (config.tuning.public_dataset_max_gb * 1e9) as u64,
        time: config.tuning.public_dataset_timeout,
    })
}

fn watch_download(hub: &Hub, environment: &Environment) -> ProgressLine {
    let progress = hub.progress();
    ProgressLine::of_download(style(environment), move || {
        let DownloadSnapshot { name, done, size } = progress.snapshot()?;
        Some(Transfer { name, done, size })
    })
}

const fn style(environment: &Environment) -> Style {
    if environment.stderr_is_terminal { Style::Terminal { columns: stderr_columns } } else { Style::Plain }
}

fn stderr_columns() -> usize {
    terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(columns, _)| usize::from(columns.0))
}

/// The first Ctrl-C ends the run with what was measured; the second ends the process.
pub(crate) fn catch_interrupts(control: Control) -> anyhow::Result<()> {
    let asked = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        aiperf_ui::clear_line();
        if asked.swap(true, Ordering::Relaxed) {
            eprintln!("Ended at once. The records file holds what was finished; the summary was not written.");
            std::process::exit(i32::from(INTERRUPTED));
        }
        eprintln!("Stopping: no more requests are sent, results follow. Press Ctrl-C again to end at once.");
        control.stop(StopReason::Interrupt);
    })
    .context("Ctrl-C cannot be caught")
}

pub(crate) fn watch(monitor: &Arc<Monitor>, duration: Option<Nanos>, environment: &Environment) -> ProgressLine {
    let monitor = Arc::clone(monitor);
    let start = Mono::now();
    ProgressLine::start(
        style(environment),
        Arc::new(move || {
            let progress = &monitor.progress;
            let phase = progress.phase()?;
            let (sent, done) = (progress.sent(), progress.returned());
            Some(Snapshot {
                activity: match phase {
                    PhaseKind::Warmup => "Warmup".to_owned(),
                    PhaseKind::Profiling => "Profiling".to_owned(),
                },
                done,
                in_flight: sent.saturating_sub(done),
                failed: monitor.failed(),
                expected: progress.expected(),
                duration: duration.filter(|_| phase == PhaseKind::Profiling),
                elapsed: Mono::now().since(progress.began().unwrap_or(start)),
            })
        }),
    )
}

fn show(result: &RunResult, width: Width, environment: &Environment) {
    let (width, colour) = console_of(width, environment);
    let mut text = console::render(&result.report, width, colour);
    text.push_str(&console::render_trailer(&result.report, &result.files.written, colour));
    if let Err(error) = crate::print(text.as_bytes()) {
        log::error!("{error:#}");
    }
    for error in &result.files.failed {
        log::error!("{error}");
    }
    if let Verdict::NothingSucceeded(why) | Verdict::GivenUp(why) | Verdict::Unmet(why) = &result.verdict {
        eprintln!("error: {why}");
    } else if !result.refused.is_empty() {
        let mut codes: Vec<_> = result.refused.iter().map(|note| note.code().name()).collect();
        codes.dedup();
        eprintln!("error: --strict does not let these validity notes pass: {}", codes.join(", "));
    }
}

/// How wide and colourful stdout is; `width` where it is no terminal.
pub(crate) fn console_of(width: Width, environment: &Environment) -> (Width, Colour) {
    if !environment.stdout_is_terminal {
        return (width, Colour::Plain);
    }
    let columns = terminal_size::terminal_size().map_or(width.0, |(columns, _)| usize::from(columns.0));
    let plain = environment.variables.get("NO_COLOR").is_some_and(|value| !value.is_empty());
    (Width(columns), if plain { Colour::Plain } else { Colour::Ansi })
}

fn exit_code(result: &RunResult) -> ExitCode {
    match result.verdict {
        Verdict::Cancelled => ExitCode::from(INTERRUPTED),
        Verdict::NothingSucceeded(_) | Verdict::GivenUp(_) | Verdict::Unmet(_) => ExitCode::FAILURE,
        Verdict::Complete if !result.files.failed.is_empty() => ExitCode::FAILURE,
        Verdict::Complete if !result.refused.is_empty() => ExitCode::from(DOUBTFUL),
        Verdict::Complete => ExitCode::SUCCESS,
    }
}
