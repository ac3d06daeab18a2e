//! The program's log: short lines on stderr, full ones in the run's log file. What scripts wait for goes to stdout, where
//! AIPerf has its log.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use aiperf_config::{ConsoleOutput, Environment, LogLevel};
use aiperf_engine::ANNOUNCEMENTS;
use aiperf_live::LiveRun;
use aiperf_options::unread_variables;
use jiff::Zoned;
use log::{Level, LevelFilter, Log, Metadata, Record};

use crate::progress;
use crate::screen::{self, Stream};

struct RunLog {
    file: Mutex<Option<File>>,
    /// Lines written before the file was known.
    early: Mutex<Vec<String>>,
    /// Where views read the log.
    live: Mutex<Option<Arc<LiveRun>>>,
    /// Which lines go to the console.
    console: AtomicU8,
}

const ALL_LINES: u8 = 0;
const NO_ANNOUNCEMENTS: u8 = 1;
const ERRORS_ONLY: u8 = 2;

static LOG: OnceLock<RunLog> = OnceLock::new();

/// Starts logging to stderr at the given level.
pub(crate) fn start(level: LogLevel) {
    let log = LOG.get_or_init(|| RunLog {
        file: Mutex::new(None),
        early: Mutex::new(Vec::new()),
        live: Mutex::new(None),
        console: AtomicU8::new(ALL_LINES),
    });
    if log::set_logger(log).is_ok() {
        log::set_max_level(filter(level));
    }
}

/// Also writes to `logs/aiperf.log` in the run's folder from now on, starting with what was logged so far.
pub(crate) fn write_to(dir: &Path) -> std::io::Result<PathBuf> {
    let folder = dir.join("logs");
    fs::create_dir_all(&folder)?;
    let path = folder.join("aiperf.log");
    let mut file = File::create(&path)?;
    // The place of the file is held throughout, so that no line of another thread comes in between.
    if let Some(log) = LOG.get()
        && let Ok(mut slot) = log.file.lock()
    {
        if let Ok(mut early) = log.early.lock() {
            for line in early.drain(..) {
                file.write_all(line.as_bytes())?;
            }
        }
        *slot = Some(file);
    }
    Ok(path)
}

/// What the console gets from now on; the log file gets everything.
pub(crate) fn limit_console(output: ConsoleOutput) {
    if let Some(log) = LOG.get() {
        let lines = match output {
            ConsoleOutput::Report => ALL_LINES,
            ConsoleOutput::Json => NO_ANNOUNCEMENTS,
            ConsoleOutput::Nothing => ERRORS_ONLY,
        };
        log.console.store(lines, Ordering::Relaxed);
    }
}

/// Keeps further announcements off the console: those of the second run of a command and later would tear its table apart.
pub(crate) fn stop_announcing() {
    if let Some(log) = LOG.get() {
        let _ = log.console.compare_exchange(ALL_LINES, NO_ANNOUNCEMENTS, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Passes the log to the views of a run from now on.
pub(crate) fn show_in(live: &Arc<LiveRun>) {
    if let Some(log) = LOG.get()
        && let Ok(mut slot) = log.live.lock()
    {
        *slot = Some(Arc::clone(live));
    }
}

/// A line for the person in front of the dashboard, which does not go to the log file.
pub(crate) fn tell_views(text: &str) {
    if let Some(log) = LOG.get()
        && let Ok(live) = log.live.lock()
        && let Some(live) = &*live
    {
        live.log("WARNING", text);
    }
}

/// Names the variables of this program that are set and have no effect, for commands that show no other warnings of their options.
pub(crate) fn warn_of_unread(environment: &Environment) {
    for variable in unread_variables(&environment.variables) {
        log::warn!("{variable}");
    }
}

/// We log at five levels; the in-between ones of the command line take the next that we have.
fn filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Trace => LevelFilter::Trace,
        LogLevel::Debug => LevelFilter::Debug,
        LogLevel::Info => LevelFilter::Info,
        LogLevel::Notice | LogLevel::Warning => LevelFilter::Warn,
        LogLevel::Success | LogLevel::Error => LevelFilter::Error,
        LogLevel::Critical => LevelFilter::Off,
    }
}

fn name(level: Level) -> &'static str {
    match level {
        Level::Error => "ERROR",
        Level::Warn => "WARNING",
        Level::Info => "INFO",
        Level::Debug => "DEBUG",
        Level::Trace => "TRACE",
    }
}

impl RunLog {
    /// One line for people. While the dashboard has the terminal, it shows the log itself, and only warnings are repeated later.
    fn show(&self, record: &Record<'_>, line: &str) {
        let is_announcement = record.target() == ANNOUNCEMENTS;
        let is_wanted = match self.console.load(Ordering::Relaxed) {
            ALL_LINES => true,
            NO_ANNOUNCEMENTS => !is_announcement,
            _ => record.level() == Level::Error,
        };
        let stream = if is_announcement { Stream::Stdout } else { Stream::Stderr };
        if !is_wanted {
        } else if !screen::is_taken(stream) {
            // Nobody can be told that the log cannot be written.
            let _ = progress::without_line(|| match stream {
                Stream::Stdout => {
                    let mut out = std::io::stdout().lock();
                    out.write_all(line.as_bytes()).and_then(|()| out.flush())
                }
                Stream::Stderr => std::io::stderr().write_all(line.as_bytes()),
            });
        } else if record.level() <= Level::Warn {
            screen::hold(stream, line.to_owned());
        }
    }
}

impl Log for RunLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::max_level() && metadata.target().starts_with("aiperf")
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let now = Zoned::now();
        let level = name(record.level());
        let shown = format!("{} {level:<8} {}\n", now.strftime("%H:%M:%S%.3f"), record.args());
        self.show(record, &shown);
        let line =
            format!("{} - {} - {level} - {}\n", now.strftime("%Y-%m-%d %H:%M:%S%.3f"), record.target(), record.args());
        if let Ok(live) = self.live.lock()
            && let Some(live) = &*live
        {
            live.log(level, &record.args().to_string());
        }
        let Ok(mut file) = self.file.lock() else { return };
        if let Some(file) = file.as_mut() {
            let _ = file.write_all(line.as_bytes());
        } else if let Ok(mut early) = self.early.lock() {
            early.push(line);
        }
    }

    fn flush(&self) {}
}
