//! `aiperf profile`: runs a benchmark, shows its progress and its result.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::{Config, Environment, Experiment, PhaseKind, UiKind};
use aiperf_engine::ControlSource;
use aiperf_experiment::{Monitor, Run, RunResult, StateFile, Verdict};
use aiperf_hub::{DownloadSnapshot, Hub, HubEnvironment, Limits};
use aiperf_report::console::{self, Colour, Width};
use aiperf_ui::{ProgressLine, Snapshot, Style, Transfer};

use crate::interrupts::Interrupts;
use crate::{logging, trials};

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// 128 + SIGINT, as shells report it.
pub(crate) const INTERRUPTED: u8 = 130;
/// The run is whole, and `--strict` does not let it pass.
pub(crate) const DOUBTFUL: u8 = 3;

pub(crate) fn run(experiment: &Experiment, environment: &Environment) -> anyhow::Result<ExitCode> {
    let [first, ..] = &experiment.cells[..] else { anyhow::bail!("there is nothing to run") };
    logging::start(first.config.output.log_level);
    let mut said: Vec<&String> = Vec::new();
    for warning in experiment.cells.iter().flat_map(|cell| &cell.config.warnings) {
        if !said.contains(&warning) {
            log::warn!("{warning}");
            said.push(warning);
        }
    }
    if !experiment.is_single() {
        return trials::run(experiment, environment);
    }
    let width = Width(first.config.tuning.console_width);
    let ready = prepare(first.config.clone(), environment)?;
    let result = ready.execute(&Interrupts::catch()?, None, environment)?;
    show(&result, width, environment);
    Ok(exit_code(&result))
}

/// A run that has all it needs, and what its watchers must know.
pub(crate) struct Ready {
    pub(crate) run: Run,
    ui: UiKind,
    duration: Option<Nanos>,
    dir: PathBuf,
}

/// Loads and makes what a run needs; nothing is written yet.
pub(crate) fn prepare(config: Config, environment: &Environment) -> anyhow::Result<Ready> {
    let ui = config.output.ui;
    let duration = config.profiling.stop.duration.map(Nanos::from);
    let dir = config.output.dir.clone();
    let hub = hub(&config, environment);
    let downloading = (ui == UiKind::Simple).then(|| watch_download(&hub, environment));
    let mut run = Run::prepare(config, VERSION, &hub)?;
    drop(downloading);
    if let Some(state) = StateFile::of(environment) {
        run.cite(state.tests(VERSION));
    }
    Ok(Ready { run, ui, duration, dir })
}

impl Ready {
    /// `among`: which of several runs it is, in words.
    pub(crate) fn execute(
        self,
        interrupts: &Interrupts,
        among: Option<String>,
        environment: &Environment,
    ) -> anyhow::Result<RunResult> {
        // Only now: a run that cannot start leaves nothing behind. What was logged so far goes to the file too.
        logging::write_to(&self.dir).map_err(|cause| {
            let dir = self.dir.display();
            anyhow::anyhow!("cannot write to {dir}: {cause}; choose a writable folder with --artifact-dir")
        })?;
        if let Some(name) = &among {
            log::info!("{name}");
        }
        let control = ControlSource::new();
        interrupts.stop(control.control());
        let monitor = Arc::new(Monitor::default());
        let progress = (self.ui == UiKind::Simple).then(|| watch(&monitor, self.duration, among, environment));
        let result = self.run.execute(VERSION, &control, &monitor)?;
        drop(progress);
        Ok(result)
    }
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

/// `among`: which of several runs it is, in words.
pub(crate) fn watch(
    monitor: &Arc<Monitor>,
    duration: Option<Nanos>,
    among: Option<String>,
    environment: &Environment,
) -> ProgressLine {
    let monitor = Arc::clone(monitor);
    let before = among.map_or_else(String::new, |among| format!("{among}  "));
    let start = Mono::now();
    ProgressLine::start(
        style(environment),
        Arc::new(move || {
            let progress = &monitor.progress;
            let phase = progress.phase()?;
            let (sent, done) = (progress.sent(), progress.returned());
            Some(Snapshot {
                activity: match phase {
                    PhaseKind::Warmup => format!("{before}Warmup"),
                    PhaseKind::Profiling => format!("{before}Profiling"),
                },
                done,
                in_flight: sent.saturating_sub(done),
                failed: monitor.failed(),
                expected: progress.expected(),
                duration: duration.filter(|_| phase == PhaseKind::Profiling),
                elapsed: Mono::now().since(progress.began().unwrap_or(start)),
                note: monitor.note().filter(|_| phase == PhaseKind::Profiling),
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
    if let Verdict::NothingSucceeded(why) | Verdict::GivenUp(why) | Verdict::Unreachable(why) | Verdict::Unmet(why) =
        &result.verdict
    {
        eprintln!("error: {why}");
    } else if let Some(why) = doubt(result) {
        eprintln!("error: {why}");
    }
}

/// Which validity notes `--strict` does not let pass.
pub(crate) fn doubt(result: &RunResult) -> Option<String> {
    let mut codes: Vec<_> = result.refused.iter().map(|note| note.code().name()).collect();
    codes.dedup();
    (!codes.is_empty()).then(|| format!("--strict does not let these validity notes pass: {}", codes.join(", ")))
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
        Verdict::NothingSucceeded(_) | Verdict::GivenUp(_) | Verdict::Unreachable(_) | Verdict::Unmet(_) => {
            ExitCode::FAILURE
        }
        Verdict::Complete if !result.files.failed.is_empty() => ExitCode::FAILURE,
        Verdict::Complete if !result.refused.is_empty() => ExitCode::from(DOUBTFUL),
        Verdict::Complete => ExitCode::SUCCESS,
    }
}
