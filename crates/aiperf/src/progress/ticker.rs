//! A thread that shows the progress: in place on a terminal, now and then as lines elsewhere.

use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use aiperf_clock::{Mono, Nanos};

use super::line::{ProgressNow, Work};
use super::silence::Silence;
use crate::screen::{self, Stream};

/// True while a line stands on the terminal that other output must not run into. Who writes to the terminal holds it.
static DRAWN: Mutex<bool> = Mutex::new(false);

/// Time between two checks of the state if nothing is redrawn in place.
const LOOK: Duration = Duration::from_millis(500);

/// More often than this would cost the run something.
const SHORTEST_LOOK: Duration = Duration::from_millis(50);

#[derive(Debug, Clone, Copy)]
pub(crate) enum ProgressStyle {
    /// Redrawn in place, ten times a second, in as many columns as there are then: a terminal may be resized at any time.
    Terminal { columns: fn() -> usize },
    /// A new line now and then on stderr.
    Plain { every: Duration },
    /// A line of the log now and then.
    Log { every: Duration },
    /// Only what is out of the ordinary.
    Quiet,
}

impl ProgressStyle {
    fn columns(self) -> usize {
        match self {
            Self::Terminal { columns } => columns(),
            _ => usize::MAX,
        }
    }

    /// Time between two lines.
    const fn every(self) -> Option<Duration> {
        match self {
            Self::Terminal { .. } => Some(Duration::from_millis(100)),
            Self::Plain { every } | Self::Log { every } => Some(every),
            Self::Quiet => None,
        }
    }

    /// Time between two looks at the state.
    fn look(self) -> Duration {
        self.every().map_or(LOOK, |every| every.clamp(SHORTEST_LOOK, LOOK))
    }

    fn draw(self, line: &str) {
        match self {
            Self::Terminal { .. } => draw(line),
            // A closed stderr only means that nobody watches.
            Self::Plain { .. } => drop(writeln!(std::io::stderr(), "{line}")),
            Self::Log { .. } => log::info!("{line}"),
            Self::Quiet => {}
        }
    }
}

/// Draws until it is dropped.
#[derive(Debug)]
pub(crate) struct ProgressLine {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressLine {
    /// `now` is asked for the state at each look; `None` draws nothing. A server that is silent for long is warned of.
    pub(crate) fn start(style: ProgressStyle, now: impl Fn() -> Option<ProgressNow> + Send + 'static) -> Self {
        let mut silence = Silence::default();
        let mut drawn = Instant::now();
        Self::ticking(style.look(), move || {
            let Some(now) = now() else { return clear_line() };
            if let ProgressNow::Requests(snapshot) = &now
                && let Some(length) = silence.observe(Mono::now(), snapshot.signs_of_life, snapshot.in_flight)
            {
                log::warn!("{}", warning(length, snapshot.in_flight));
            }
            if style.every().is_some_and(|every| drawn.elapsed() >= every) {
                drawn = Instant::now();
                style.draw(&match style {
                    ProgressStyle::Log { .. } => now.log_line(),
                    _ => now.line(style.columns()),
                });
            }
        })
    }

    /// Shows that something takes time until the returned line is dropped.
    pub(crate) fn of_work(style: ProgressStyle, title: &'static str) -> Self {
        let began = Mono::now();
        Self::start(style, move || {
            let elapsed = Mono::now().since(began);
            Some(ProgressNow::Work(Work { title: title.to_owned(), text: String::new(), elapsed }))
        })
    }

    fn ticking(pause: Duration, mut tick: impl FnMut() + Send + 'static) -> Self {
        let (stop, stopped) = channel::<()>();
        // Without a thread there is no progress to see; the run itself does not need it.
        let thread = thread::Builder::new()
            .name("progress".into())
            .spawn(move || {
                while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                    tick();
                }
                clear_line();
            })
            .ok();
        Self { stop: Some(stop), thread }
    }
}

fn warning(silence: Nanos, in_flight: u64) -> String {
    let requests = if in_flight == 1 { "request" } else { "requests" };
    format!(
        "No response for {:.0} s; {in_flight} {requests} in flight. Check the server, or limit the wait with \
         --request-timeout-seconds",
        silence.as_secs_f64()
    )
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn draw(line: &str) {
    if screen::is_taken(Stream::Stderr) {
        return;
    }
    let mut drawn = DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut err = std::io::stderr().lock();
    *drawn = true;
    // A closed stderr only means that nobody watches.
    let _ = write!(err, "\r\x1b[2K{line}");
    let _ = err.flush();
}

/// Takes the progress line off the terminal so that other text can be written; the next redraw brings it back.
fn clear_line() {
    without_line(|| ());
}

/// Takes the progress line off the terminal and writes. No line comes back before that is done.
pub(crate) fn without_line<T>(write: impl FnOnce() -> T) -> T {
    let mut drawn = DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
    if std::mem::take(&mut *drawn) {
        let mut err = std::io::stderr().lock();
        let _ = err.write_all(b"\r\x1b[2K").and_then(|()| err.flush());
    }
    write()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_server_is_named_with_what_waits_for_it() {
        let said = warning(Nanos(60_400_000_000), 8);
        assert!(said.starts_with("No response for 60 s; 8 requests in flight."), "{said}");
        assert!(warning(Nanos(60_000_000_000), 1).contains("1 request in flight"));
    }
}
