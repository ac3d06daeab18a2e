//! `aiperf profile`: runs a benchmark, shows its progress and its result.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::{
    AutoPlots, Config, ConsoleOutput, DatasetSource, Environment, Experiment, PhaseConfig, PhaseKind, Phases, UiKind,
};
use aiperf_engine::ControlSource;
use aiperf_experiment::{ExperimentPlan, LivePercentiles, Monitor, Run, RunResult, StateFile};
use aiperf_hub::{DownloadLimits, DownloadSnapshot, Hub, HubEnvironment};
use aiperf_live::{LiveRun, RunActivity};
use aiperf_report::console::{self, Colour, Width};
use aiperf_report::{ClearedFiles, EarlierFiles, FolderLock, WrittenFile};

use crate::build::{self, VERSION};
use crate::exporters::Exporters;
use crate::interrupts::Interrupts;
use crate::progress::{LatencyRange, ProgressLine, ProgressNow, ProgressStyle, Snapshot, Transfer, Work};
use crate::run_files::{self, RunFiles};
use crate::views::{self, Views};
use crate::{capacity, dry_run, html_report, logging, plot, trials};

/// 128 + SIGINT, as shells report it.
pub(crate) const INTERRUPTED: u8 = 130;
/// Exit code of a complete run that `--strict` fails.
pub(crate) const DOUBTFUL: u8 = 3;
/// Exit code of a sweep that is over, if some of its points have no result.
pub(crate) const POINTS_FAILED: u8 = 4;

/// Time between two lines of progress without a terminal: with `--ui simple`, and in the log.
const PLAIN_INTERVAL: Duration = Duration::from_secs(5);
const LOG_INTERVAL: Duration = Duration::from_secs(30);

pub(crate) fn run(
    experiment: &Experiment,
    environment: &Environment,
    interrupts: &Interrupts,
) -> anyhow::Result<ExitCode> {
    let [first, ..] = &experiment.cells[..] else { anyhow::bail!("there is nothing to run") };
    interrupts.before_the_first_run("Interrupted before the run began: no request was sent and no result was written.");
    logging::start(first.config.output.log_level);
    logging::limit_console(first.config.output.console);
    let mut said: Vec<&String> = Vec::new();
    for warning in experiment.cells.iter().flat_map(|cell| &cell.config.warnings) {
        if !said.contains(&warning) {
            log::warn!("{warning}");
            said.push(warning);
        }
    }
    if experiment.only_plans {
        return dry_run::run(experiment, environment, interrupts);
    }
    let files = RunFiles::of(experiment)?;
    let live = LiveRun::new(views::facts(&first.config, None));
    interrupts.let_cancel(&live);
    let views = Views::start(&live, &first.config, environment, &experiment.dir)?;
    if !experiment.is_single() {
        return trials::run(experiment, &files, environment, interrupts, &live, views);
    }
    if first.config.capacity.is_some() {
        return capacity::run(experiment, files, environment, interrupts, &live, views);
    }
    let result = prepare(first.config.clone(), environment, &live)
        .and_then(|ready| PreparedRun { files, ..ready }.execute(interrupts, None));
    let mut result = match result {
        Ok(result) => result,
        Err(error) => {
            views.finish(views::failed(&error));
            return Err(error);
        }
    };
    let html = html(&first.config, &first.config.output.dir, environment);
    let html = html.map(|file| result.files.written.extend(file));
    let after = views.finish(views::end_of(&result, &first.config.output.dir));
    show(&result, &first.config, environment);
    let code = html.map(|()| exit_code(&result))?;
    let code = with_plots(code, &first.config, &first.config.output.dir, environment);
    after.linger(interrupts);
    Ok(code)
}

/// The HTML report of a command, if it is wanted.
pub(crate) fn html(config: &Config, dir: &Path, environment: &Environment) -> anyhow::Result<Option<WrittenFile>> {
    if !config.output.html {
        return Ok(None);
    }
    let style = style(config.output.ui, config.output.stats_interval, environment);
    let _progress = ProgressLine::of_work(style, "Writing the HTML report");
    html_report::after_run(dir).map(Some)
}

/// Draws the charts of a command that has finished; its exit code follows if they are required.
pub(crate) fn with_plots(code: ExitCode, config: &Config, dir: &Path, environment: &Environment) -> ExitCode {
    let plots = config.output.plots;
    if plots == AutoPlots::Off {
        return code;
    }
    let style = style(config.output.ui, config.output.stats_interval, environment);
    let progress = ProgressLine::of_work(style, "Drawing the charts");
    let drawn = plot::after_run(dir, environment);
    drop(progress);
    if let Some(drawn) = drawn {
        if config.output.console == ConsoleOutput::Report {
            println!("{drawn}");
        }
        return code;
    }
    if plots == AutoPlots::Wanted {
        return code;
    }
    eprintln!("error: --plot-required: no plot was drawn; the log says why");
    if code == ExitCode::SUCCESS { ExitCode::FAILURE } else { code }
}

/// A run that has all it needs, and what its watchers must know.
pub(crate) struct PreparedRun {
    pub(crate) run: Run,
    style: ProgressStyle,
    phases: Vec<ShownPhase>,
    dir: PathBuf,
    pub(crate) claim: FolderRequest,
    exporters: Exporters,
    live: Arc<LiveRun>,
    /// What is written into its folder first; nothing if it is one of several runs.
    pub(crate) files: RunFiles,
    /// What else is written into it.
    pub(crate) plan: Option<ExperimentPlan>,
    /// For the user's own files.
    config: Option<Box<Config>>,
}

/// Loads and makes what a run needs; nothing is written yet.
pub(crate) fn prepare(config: Config, environment: &Environment, live: &Arc<LiveRun>) -> anyhow::Result<PreparedRun> {
    let ui = config.output.ui;
    let phases = ShownPhase::all(&config.phases);
    let dir = config.output.dir.clone();
    let claim = FolderRequest::of(&config, dir.clone());
    let hub = hub(&config, environment);
    let stats_interval = config.output.stats_interval;
    let preparing = watch_preparation(&hub, live, style(ui, stats_interval, environment));
    let downloads = hub.progress();
    live.follow_downloads(move || downloads.snapshot().map(|DownloadSnapshot { name, done, size }| (name, done, size)));
    let exporters = Exporters::start(&config, environment, live)?;
    let own = (!config.user_files.is_empty()).then(|| Box::new(config.clone()));
    let mut run = Run::prepare(config, VERSION, &hub, live)?;
    run.set_build(build::program_build());
    drop(preparing);
    if let Some(state) = StateFile::of(environment) {
        run.cite(state.tests(VERSION));
    }
    let style = style(ui, stats_interval, environment);
    Ok(PreparedRun {
        run,
        style,
        phases,
        dir,
        claim,
        exporters,
        live: Arc::clone(live),
        files: RunFiles::default(),
        plan: None,
        config: own,
    })
}

impl PreparedRun {
    /// `among`: which of several runs it is, in words.
    pub(crate) fn execute(self, interrupts: &Interrupts, among: Option<String>) -> anyhow::Result<RunResult> {
        let control = ControlSource::new();
        let monitor = Arc::new(Monitor::default());
        interrupts.stop(control.control(), &monitor);
        let _claim = self.claim.take()?;
        // Only now: a run that cannot start leaves nothing behind. What was logged so far goes to the file too.
        logging::write_to(&self.dir).map_err(|cause| {
            let dir = self.dir.display();
            anyhow::anyhow!("cannot write to {dir}: {cause}; choose a writable folder with --artifact-dir")
        })?;
        self.files.write(&self.dir);
        if let Some(plan) = &self.plan {
            plan.write(&self.dir)?;
        }
        if let Some(config) = &self.config {
            run_files::write_user_files(config, &self.dir)?;
        }
        if let Some(name) = &among {
            log::info!("{name}");
        }
        let _progress = watch(&monitor, Some(&self.live), self.phases, among, self.style);
        let mut result = self.run.execute(VERSION, &control, &monitor)?;
        self.exporters.finish(&mut result);
        Ok(result)
    }
}

/// How a folder is to be taken into possession.
#[derive(Debug)]
pub(crate) struct FolderRequest {
    dir: PathBuf,
    earlier: EarlierFiles,
    /// Files that stay: the data that is sent may lie among the files of an earlier run.
    kept: Vec<PathBuf>,
}

impl FolderRequest {
    pub(crate) fn of(config: &Config, dir: PathBuf) -> Self {
        let kept = match &config.dataset.source {
            DatasetSource::File(file) => vec![file.path.clone()],
            _ => Vec::new(),
        };
        let earlier = if config.output.overwrite { EarlierFiles::Delete } else { EarlierFiles::SetAside };
        Self { dir, earlier, kept }
    }

    /// Lets these files of the earlier run stay, too.
    pub(crate) fn keep(&mut self, files: impl IntoIterator<Item = PathBuf>) {
        self.kept.extend(files);
    }

    /// Keeps other writers out and puts away what an earlier run left.
    pub(crate) fn take(&self) -> anyhow::Result<FolderLock> {
        let claim = FolderLock::take(&self.dir)?;
        let dir = self.dir.display();
        if !claim.is_locked() {
            log::warn!("{dir} is on a file system without locks: a second run in the same folder would not be noticed");
        }
        match claim.clear(self.earlier, &self.kept)? {
            Some(ClearedFiles { moved_to: Some(_), .. }) => {
                log::info!("The results of an earlier run in {dir} were moved to previous/ in that folder");
            }
            Some(ClearedFiles { moved_to: None, .. }) => {
                log::info!("The results of an earlier run in {dir} were deleted (--overwrite)");
            }
            None => {}
        }
        Ok(claim)
    }
}

/// The hub that this environment names, within the limits for public data sets.
pub(crate) fn hub(config: &Config, environment: &Environment) -> Hub {
    let variables = HubEnvironment::from_variables(|name| environment.variables.get(name).cloned());
    Hub::new(variables).with_limits(DownloadLimits {
        bytes: (config.tuning.public_dataset_max_gb * 1e9) as u64,
        time: config.tuning.public_dataset_timeout,
    })
}

/// Shows downloads, and what else is done before the first request.
fn watch_preparation(hub: &Hub, live: &Arc<LiveRun>, style: ProgressStyle) -> ProgressLine {
    let (progress, live) = (hub.progress(), Arc::clone(live));
    ProgressLine::start(style, move || {
        let download = progress.snapshot().map(|DownloadSnapshot { name, done, size }| Transfer { name, done, size });
        download.map(ProgressNow::Download).or_else(|| activity(&live))
    })
}

fn activity(live: &LiveRun) -> Option<ProgressNow> {
    let RunActivity { title, text, since } = live.activity()?;
    Some(ProgressNow::Work(Work { title: title.to_owned(), text, elapsed: Mono::now().since(since) }))
}

/// How progress is shown: in place on a terminal, in lines otherwise, so that a log shows that the run is alive.
pub(crate) fn style(ui: UiKind, stats_interval: Option<Duration>, environment: &Environment) -> ProgressStyle {
    let every = |usual: Duration| stats_interval.unwrap_or(usual);
    match ui {
        UiKind::Simple | UiKind::Dashboard if environment.stderr_is_terminal => {
            ProgressStyle::Terminal { columns: stderr_columns }
        }
        _ if stats_interval == Some(Duration::ZERO) => ProgressStyle::Quiet,
        UiKind::Simple | UiKind::Dashboard => ProgressStyle::Plain { every: every(PLAIN_INTERVAL) },
        UiKind::None if environment.stderr_is_terminal => ProgressStyle::Quiet,
        UiKind::None => ProgressStyle::Log { every: every(LOG_INTERVAL) },
    }
}

fn stderr_columns() -> usize {
    terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(columns, _)| usize::from(columns.0))
}

/// A phase as the progress line shows it.
#[derive(Debug, Clone)]
pub(crate) struct ShownPhase {
    title: String,
    duration: Option<Nanos>,
}

impl ShownPhase {
    /// A profiling phase that ends after this time.
    pub(crate) fn of_duration(duration: Nanos) -> Self {
        Self { title: "Profiling".to_owned(), duration: Some(duration) }
    }

    /// All phases; those of a kind that there are several of have their names.
    fn all(phases: &Phases) -> Vec<Self> {
        let shown = |phase: &PhaseConfig| {
            let (kind, others) = match phase.kind {
                PhaseKind::Warmup => ("Warmup", phases.warmups().count()),
                PhaseKind::Profiling => ("Profiling", phases.iter().count() - phases.warmups().count()),
            };
            let title = if others > 1 { format!("{kind} {}", phase.name) } else { kind.to_owned() };
            let duration = phase.stop.duration.filter(|_| phase.kind == PhaseKind::Profiling);
            Self { title, duration: duration.map(Nanos::from) }
        };
        phases.iter().map(shown).collect()
    }
}

/// `live` knows what is done before and after the requests. `among`: which of several runs it is, in words.
pub(crate) fn watch(
    monitor: &Arc<Monitor>,
    live: Option<&Arc<LiveRun>>,
    phases: Vec<ShownPhase>,
    among: Option<String>,
    style: ProgressStyle,
) -> ProgressLine {
    let (monitor, live) = (Arc::clone(monitor), live.map(Arc::clone));
    let before = among.map_or_else(String::new, |among| format!("{among}  "));
    let start = Mono::now();
    ProgressLine::start(style, move || {
        // Before the first phase and after the last.
        if let Some(activity) = live.as_deref().and_then(activity) {
            return Some(activity);
        }
        let progress = &monitor.progress;
        let phase = progress.phase()?;
        let (index, began) = progress.phase_index().unwrap_or((0, start));
        let shown = phases.get(index);
        let (sent, done) = (progress.sent(), progress.returned());
        Some(ProgressNow::Requests(Snapshot {
            activity: format!("{before}{}", shown.map_or("Profiling", |phase| &phase.title)),
            done,
            in_flight: sent.saturating_sub(done),
            failed: monitor.failed_in(phase),
            expected: progress.expected(),
            duration: shown.and_then(|phase| phase.duration),
            elapsed: Mono::now().since(began),
            first_token: spread(monitor.first_token()),
            latency: spread(monitor.latency()),
            note: live_note(&monitor).filter(|_| phase == PhaseKind::Profiling),
            signs_of_life: monitor.signs_of_life(),
        }))
    })
}

/// How far the run is from an early stop, and what its GPUs do, as far as somebody wants to see it.
fn live_note(monitor: &Monitor) -> Option<String> {
    let gpus = monitor.gpus().map(|(watts, percent)| format!("GPU {watts:.0} W {percent:.0} %"));
    let notes: Vec<String> = monitor.note().into_iter().chain(gpus).collect();
    (!notes.is_empty()).then(|| notes.join(", "))
}

fn spread(time: Option<LivePercentiles>) -> Option<LatencyRange> {
    time.map(|LivePercentiles { p50, p99 }| LatencyRange { p50, p99 })
}

fn show(result: &RunResult, config: &Config, environment: &Environment) {
    let (output, dir) = (config.output.console, &config.output.dir);
    let width = Width(config.tuning.console_width);
    let (width, colour) = console_of(width, environment);
    match output {
        ConsoleOutput::Report => {
            let mut text = console::render(&result.report, width, colour);
            text.push_str(&console::render_trailer(&result.report, &result.files.written, dir, colour));
            print!("{text}");
        }
        ConsoleOutput::Json => print_json(&result.files.written, SUMMARY_LABEL),
        ConsoleOutput::Nothing => {}
    }
    show_problems(result);
}

/// What is wrong with a result, on stderr.
pub(crate) fn show_problems(result: &RunResult) {
    for error in &result.files.failed {
        log::error!("{error}");
    }
    if let Some(why) = &result.report.ending.reason {
        eprintln!("error: {why}");
    } else if let Some(why) = doubt(result) {
        eprintln!("error: {why}");
    }
    if let [first, more @ ..] = &result.files.failed[..] {
        let more = if more.is_empty() { String::new() } else { format!(" (and {} more, see the log)", more.len()) };
        eprintln!("error: not all results were written: {first}{more}");
    }
}

/// Label of the summary among the files of a run.
const SUMMARY_LABEL: &str = "JSON Export";

/// Prints the JSON file with this label as it was written.
pub(crate) fn print_json(written: &[WrittenFile], label: &str) {
    let is_wanted = |file: &&WrittenFile| {
        file.label.contains(label) && file.path.extension().is_some_and(|extension| extension == "json")
    };
    match written.iter().find(is_wanted).map(|file| std::fs::read_to_string(&file.path)) {
        Some(Ok(text)) => println!("{}", text.trim_end()),
        Some(Err(error)) => eprintln!("error: the summary cannot be read again: {error}"),
        None => eprintln!("error: no summary was written, so --json has nothing to print"),
    }
}

/// The error message if `--strict` fails the run.
pub(crate) fn doubt(result: &RunResult) -> Option<String> {
    let mut codes: Vec<_> = result.refused.iter().map(|note| note.code().name()).collect();
    codes.dedup();
    (!codes.is_empty()).then(|| format!("failed by --strict because of these validity notes: {}", codes.join(", ")))
}

/// How wide and colourful stdout is; `width` if it is not a terminal.
pub(crate) fn console_of(width: Width, environment: &Environment) -> (Width, Colour) {
    if !environment.stdout_is_terminal {
        return (width, Colour::Plain);
    }
    let columns = terminal_size::terminal_size().map_or(width.0, |(columns, _)| usize::from(columns.0));
    let plain = environment.variables.get("NO_COLOR").is_some_and(|value| !value.is_empty());
    (Width(columns), if plain { Colour::Plain } else { Colour::Ansi })
}

pub(crate) fn exit_code(result: &RunResult) -> ExitCode {
    let outcome = result.report.ending.outcome;
    if outcome.is_interrupted() {
        ExitCode::from(INTERRUPTED)
    } else if !outcome.is_complete() || !result.files.failed.is_empty() {
        ExitCode::FAILURE
    } else if !result.refused.is_empty() {
        ExitCode::from(DOUBTFUL)
    } else {
        ExitCode::SUCCESS
    }
}
