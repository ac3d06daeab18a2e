//! Ctrl-C as an orderly end. Before a run has begun it ends the process; then the first one ends the run, and those that were
//! to follow, with what was measured; the second ends the process once finished records are on disk.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{process, thread};

use aiperf_engine::Control;
use aiperf_experiment::{Monitor, Saved};
use aiperf_live::LiveRun;
use aiperf_protocol::StopReason;
use anyhow::Context;

use crate::profile::INTERRUPTED;
use crate::screen;

/// The longest time that a second Ctrl-C waits for records to reach the disk.
const SAVE_LIMIT: Duration = Duration::from_secs(1);

/// Catches Ctrl-C, SIGTERM and SIGHUP from its making on.
#[derive(Debug, Clone)]
pub(crate) struct Interrupts {
    shared: Arc<InterruptHandler>,
}

#[derive(Debug, Default)]
struct InterruptHandler {
    state: Mutex<InterruptState>,
    asked: Condvar,
}

#[derive(Debug, Default)]
struct InterruptState {
    is_asked: bool,
    reaction: Reaction,
}

/// What Ctrl-C does.
enum Reaction {
    /// Nothing was measured: the process ends at once, with this sentence.
    End(&'static str),
    /// Ends this run in an orderly way.
    Stop { control: Control, monitor: Arc<Monitor> },
    /// The command has its own way to end.
    Own(Box<dyn FnMut() + Send>),
}

impl Default for Reaction {
    fn default() -> Self {
        Self::End("Interrupted.")
    }
}

impl std::fmt::Debug for Reaction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::End(_) => "End",
            Self::Stop { .. } => "Stop",
            Self::Own(_) => "Own",
        })
    }
}

impl Interrupts {
    /// A process has one handler, however many runs it makes. `main` installs it before anything else: a process that was
    /// started with interrupts ignored, as shells start background jobs of scripts, would otherwise lose an early Ctrl-C.
    pub(crate) fn catch() -> anyhow::Result<Self> {
        static CAUGHT: Mutex<Option<Interrupts>> = Mutex::new(None);
        let mut caught = CAUGHT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*caught {
            return Ok(known.clone());
        }
        let shared = Arc::new(InterruptHandler::default());
        watch_signals(Arc::clone(&shared)).context("Ctrl-C cannot be caught")?;
        Ok(caught.insert(Self { shared }).clone())
    }

    /// Ends the process with this sentence when Ctrl-C comes before the first run has begun.
    pub(crate) fn before_the_first_run(&self, sentence: &'static str) {
        let mut state = self.shared.lock();
        if matches!(state.reaction, Reaction::End(_)) {
            state.reaction = Reaction::End(sentence);
        }
    }

    /// Ends this run when Ctrl-C comes, or now if it has come.
    pub(crate) fn stop(&self, control: Control, monitor: &Arc<Monitor>) {
        let mut state = self.shared.lock();
        if state.is_asked {
            control.stop(StopReason::Interrupt);
        }
        state.reaction = Reaction::Stop { control, monitor: Arc::clone(monitor) };
    }

    /// Lets views cancel the run: like the first Ctrl-C, and nothing more after it.
    pub(crate) fn let_cancel(&self, live: &Arc<LiveRun>) {
        let handler = Arc::clone(&self.shared);
        live.on_cancel(move || {
            let is_asked = handler.lock().is_asked;
            if !is_asked {
                handler.interrupt();
            }
        });
    }

    /// Calls this at every Ctrl-C instead of ending the process.
    pub(crate) fn call(&self, reaction: impl FnMut() + Send + 'static) {
        self.shared.lock().reaction = Reaction::Own(Box::new(reaction));
    }

    /// Waits for `length` or until Ctrl-C; returns whether Ctrl-C was pressed.
    pub(crate) fn wait(&self, length: Duration) -> bool {
        let waited = self.shared.asked.wait_timeout_while(self.shared.lock(), length, |state| !state.is_asked);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_asked
    }
}

impl InterruptHandler {
    fn interrupt(&self) {
        let mut state = self.lock();
        let is_second = state.is_asked;
        match &mut state.reaction {
            Reaction::End(sentence) => end(sentence),
            Reaction::Own(reaction) => return reaction(),
            Reaction::Stop { monitor, .. } if is_second => end(&last_words(monitor.save_records(SAVE_LIMIT))),
            Reaction::Stop { control, .. } => {
                eprintln!("Stopping: no more requests are sent, results follow. Press Ctrl-C again to end at once.");
                control.stop(StopReason::Interrupt);
            }
        }
        state.is_asked = true;
        self.asked.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, InterruptState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Calls the handler on a thread of its own at every signal. Under `nohup` the end of the terminal stays without effect.
#[cfg(unix)]
fn watch_signals(handler: Arc<InterruptHandler>) -> io::Result<()> {
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::low_level::pipe;

    let (mut caught, noticed) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if signal != SIGHUP || !hang_up_is_ignored() {
            pipe::register(signal, noticed.try_clone()?)?;
        }
    }
    let watching = thread::Builder::new().name("signals".into()).spawn(move || {
        let mut signal = [0];
        while caught.read_exact(&mut signal).is_ok() {
            handler.interrupt();
        }
    });
    watching.map(drop)
}

/// Calls the handler on a thread of its own soon after Ctrl-C: signals cannot wake a thread here, so it looks for them.
#[cfg(not(unix))]
fn watch_signals(handler: Arc<InterruptHandler>) -> io::Result<()> {
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::consts::{SIGINT, SIGTERM};

    const LOOK_EVERY: Duration = Duration::from_millis(20);

    let noticed = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&noticed))?;
    }
    let watching = thread::Builder::new().name("signals".into()).spawn(move || {
        loop {
            thread::sleep(LOOK_EVERY);
            if noticed.swap(false, Ordering::AcqRel) {
                handler.interrupt();
            }
        }
    });
    watching.map(drop)
}

/// Whether the process was started with SIGHUP ignored, as `nohup` does. Only Linux tells.
#[cfg(unix)]
fn hang_up_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (signal_hook::consts::SIGHUP - 1)) != 0)
}

/// What is said of the records when the process ends without a summary.
fn last_words(saved: Saved) -> String {
    match saved {
        Saved::All { records } => format!(
            "Ended at once. The records file holds all {records} finished requests; the summary was not written. \
             `aiperf report` rebuilds it."
        ),
        Saved::Part { records, unwritten } => format!(
            "Ended at once. {unwritten} finished requests were not written; the records file holds {records}. The summary was \
             not written. `aiperf report` rebuilds it from these {records}."
        ),
        Saved::Stuck => format!(
            "Ended at once. The records file could not be written within {} s and may lack finished requests. The summary \
             was not written.",
            SAVE_LIMIT.as_secs()
        ),
        Saved::NothingBegun => "Ended at once. No request was sent.".to_owned(),
        Saved::NotKept => "Ended at once. The summary was not written, and this run keeps no records file.".to_owned(),
    }
}

fn end(sentence: &str) -> ! {
    aiperf_dashboard::restore();
    screen::release();
    eprintln!("{sentence}");
    process::exit(i32::from(INTERRUPTED));
}
