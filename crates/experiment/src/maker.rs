//! The maker: one thread that makes contents a little ahead of the run, in the order in which they will be needed, and
//! writes `inputs.json` when it has nothing better to do. It gives way to everyone, and sleeps when it is far enough ahead.

mod tape;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_config::{Pace, PhaseConfig};
use aiperf_dataset::Sampler;
use aiperf_engine::{ControlSource, FixedSchedule};
use aiperf_report::{InputSession, InputsFile, ReportError};
use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use crate::sessions::Sessions;
use tape::{Tape, Window};

/// Contents that are ready before they are needed.
const WINDOW: Window = Window { bytes: 16 << 20, sessions: 4_096 };
/// Of those, what is ready before the run starts.
const PRIMED: usize = 256 << 10;
/// What `inputs.json` may still grow by when the user has asked to stop.
const AFTER_INTERRUPT: usize = 16 << 20;
/// How often a user who no longer wants to wait for `inputs.json` is noticed.
const LOOK_UP: Duration = Duration::from_millis(50);

/// Where the run stands, for the maker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Stage {
    Running,
    /// Only `inputs.json` is left to be done.
    Finishing,
    /// The user waits for the end.
    Interrupted,
}

#[derive(Debug, Default)]
struct SharedStage(AtomicU8);

impl SharedStage {
    fn get(&self) -> Stage {
        match self.0.load(Ordering::Acquire) {
            0 => Stage::Running,
            1 => Stage::Finishing,
            _ => Stage::Interrupted,
        }
    }

    fn set(&self, stage: Stage) {
        self.0.store(stage as u8, Ordering::Release);
    }
}

/// The run's handle to the maker. Dropping it lets the maker end soon.
#[derive(Debug)]
pub(crate) struct Maker {
    sessions: Arc<Sessions>,
    stage: Arc<SharedStage>,
    done: Receiver<Result<(), ReportError>>,
    thread: Option<JoinHandle<()>>,
}

impl Maker {
    /// Makes the first contents, then starts the thread.
    pub(crate) fn start(
        sessions: &Arc<Sessions>,
        phases: &[PhaseConfig],
        sampler: Sampler,
        schedule: &FixedSchedule,
        inputs: Option<InputsFile>,
    ) -> io::Result<Self> {
        let stage = Arc::new(SharedStage::default());
        let mut desk =
            Desk { sessions: Arc::clone(sessions), tapes: tapes(phases, sampler, schedule), stage: Arc::clone(&stage) };
        desk.prime();
        let (sender, done) = bounded(1);
        let thread = thread::Builder::new().name("maker".into()).spawn(move || {
            give_way();
            desk.sessions.lookout.report_to_me();
            let written = inputs.map_or(Ok(()), |file| desk.write_inputs(file));
            desk.serve();
            let _ = sender.send(written);
        })?;
        Ok(Self { sessions: Arc::clone(sessions), stage, done, thread: Some(thread) })
    }

    /// After the run: waits until `inputs.json` is written. A user who asks to stop, or has done so, gets a shorter one.
    pub(crate) fn finish(mut self, control: &ControlSource, interrupted: bool) -> Result<(), ReportError> {
        self.tell(if interrupted { Stage::Interrupted } else { Stage::Finishing });
        let mut said = false;
        let written = loop {
            match self.done.recv_timeout(LOOK_UP) {
                Ok(written) => break written,
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if !said {
                log::info!("Writing the rest of inputs.json; Ctrl-C ends it early");
                said = true;
            }
            if control.take_stop() {
                self.tell(Stage::Interrupted);
            }
        };
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            log::error!("the maker thread panicked; inputs.json is not there or not whole");
        }
        written
    }

    fn tell(&self, stage: Stage) {
        self.stage.set(stage);
        self.sessions.lookout.wake();
    }
}

impl Drop for Maker {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.tell(Stage::Interrupted);
        }
    }
}

/// The maker's own side.
struct Desk {
    sessions: Arc<Sessions>,
    tapes: Vec<Tape>,
    stage: Arc<SharedStage>,
}

impl Desk {
    fn prime(&mut self) {
        for tape in &mut self.tapes {
            while tape.ahead_bytes() < PRIMED && tape.make_next(&self.sessions) {}
        }
    }

    /// Makes what the run will soon need, until there is enough.
    fn attend(&mut self) {
        while self.stage.get() == Stage::Running {
            if let Some(wanted) = self.sessions.lookout.next_wanted() {
                self.sessions.make_turn(wanted.conversation, wanted.turn);
            } else if !self.tapes.iter_mut().any(|tape| tape.make_next(&self.sessions)) {
                return;
            }
        }
    }

    /// Until the run is over.
    fn serve(&mut self) {
        while self.stage.get() == Stage::Running {
            self.attend();
            let sessions = &self.sessions;
            let is_due = self.tapes.iter().fold(false, |due, tape| tape.set_alarm(sessions) | due);
            if !is_due && self.stage.get() == Stage::Running {
                // What comes in between has left its mark, and the thread does not fall asleep.
                thread::park();
            }
            self.tapes.iter().for_each(|tape| tape.silence(sessions));
        }
    }

    fn write_inputs(&mut self, file: InputsFile) -> Result<(), ReportError> {
        let all = self.sessions.len();
        let mut inputs = Inputs { desk: self, next: 0, after_interrupt: 0 };
        file.write(&mut inputs)?;
        if inputs.next < all {
            log::warn!("inputs.json was cut off: it lists {} of {all} conversations", inputs.next);
        }
        Ok(())
    }
}

/// The sessions of `inputs.json`, each made when it is asked for; the needs of the run come first.
struct Inputs<'d> {
    desk: &'d mut Desk,
    next: usize,
    after_interrupt: usize,
}

impl Iterator for Inputs<'_> {
    type Item = InputSession;

    fn next(&mut self) -> Option<InputSession> {
        self.desk.attend();
        if self.next == self.desk.sessions.len() || self.after_interrupt >= AFTER_INTERRUPT {
            return None;
        }
        let (session, bytes) = self.desk.sessions.input(self.next);
        if self.desk.stage.get() == Stage::Interrupted {
            self.after_interrupt += bytes;
        }
        self.next += 1;
        Some(session)
    }
}

/// The orders that the phases follow, that of the first phase first.
fn tapes(phases: &[PhaseConfig], mut sampler: Sampler, schedule: &FixedSchedule) -> Vec<Tape> {
    let is_scheduled = |phase: &&PhaseConfig| matches!(phase.pace, Pace::FixedSchedule { .. });
    let (scheduled, drawn): (Vec<_>, Vec<_>) = phases.iter().partition(is_scheduled);
    let mut tapes = Vec::new();
    if !drawn.is_empty() {
        let most = drawn.iter().map(|phase| most_sessions(phase)).sum::<Option<u64>>().unwrap_or(u64::MAX);
        let order = std::iter::repeat_with(move || sampler.draw().0).take(usize::try_from(most).unwrap_or(usize::MAX));
        tapes.push(Tape::new(Box::new(order), |sessions| &sessions.lookout.drawn, WINDOW));
    }
    if !scheduled.is_empty() {
        let order: Vec<usize> = schedule.iter().map(|(conversation, _)| *conversation).collect();
        tapes.push(Tape::new(Box::new(order.into_iter()), |sessions| &sessions.lookout.scheduled, WINDOW));
    }
    if phases.first().as_ref().is_some_and(is_scheduled) {
        tapes.reverse();
    }
    tapes
}

/// How many sessions a phase begins at most, if that is known: each sends a request.
fn most_sessions(phase: &PhaseConfig) -> Option<u64> {
    [phase.stop.requests, phase.stop.sessions].into_iter().flatten().min()
}

/// Every other thread of the run comes first. A maker that gets no time is no harm: workers then make what they need.
fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(cause) = rustix::process::setpriority_process(Some(rustix::thread::gettid()), 19) {
        log::debug!("the maker thread keeps its priority: {cause}");
    }
}
