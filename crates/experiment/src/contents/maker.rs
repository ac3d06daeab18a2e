//! The maker: one thread that makes contents a little ahead of the run, in the order in which they will be needed, and
//! writes `inputs.json` when it has nothing better to do. It gives way to everyone, and sleeps when it is far enough ahead.

mod inputs;
mod tape;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use aiperf_config::{Pace, PhaseConfig};
use aiperf_dataset::Sampler;
use aiperf_engine::{ControlSource, FixedSchedule};
use aiperf_report::{InputsFile, ReportError};

use crate::contents::sessions::Sessions;
use crate::watch::priority;
use inputs::Inputs;
use tape::{Tape, Window};

/// Contents that are ready before they are needed.
const WINDOW: Window = Window { bytes: 16 << 20, sessions: 4_096 };
/// Of those, what is ready before the run starts.
const PRIMED: usize = 256 << 10;

/// The run's handle to the maker. Dropping it lets the maker end.
#[derive(Debug)]
pub(crate) struct Maker {
    sessions: Arc<Sessions>,
    run_is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Option<Inputs>>>,
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
        let run_is_over = Arc::new(AtomicBool::new(false));
        let mut desk = Desk {
            sessions: Arc::clone(sessions),
            tapes: tapes(phases, sampler, schedule),
            inputs: inputs.map(Inputs::Open),
            run_is_over: Arc::clone(&run_is_over),
        };
        desk.prime();
        let thread = thread::Builder::new().name("maker".into()).spawn(move || desk.serve())?;
        Ok(Self { sessions: Arc::clone(sessions), run_is_over, thread: Some(thread) })
    }

    /// After the run: what is missing from `inputs.json` is written on the calling thread, which gives way to nobody. A
    /// user who asks to stop, or has done so, gets a shorter file.
    pub(crate) fn finish(mut self, control: &ControlSource, interrupted: bool) -> Result<(), ReportError> {
        let Some(thread) = self.end() else { return Ok(()) };
        let Ok(inputs) = thread.join() else {
            log::error!("the maker thread panicked; inputs.json is not there");
            return Ok(());
        };
        inputs.map_or(Ok(()), |inputs| inputs.complete(&self.sessions, control, interrupted))
    }

    fn end(&mut self) -> Option<JoinHandle<Option<Inputs>>> {
        self.run_is_over.store(true, Ordering::Release);
        self.sessions.lookout.wake();
        self.thread.take()
    }
}

impl Drop for Maker {
    fn drop(&mut self) {
        self.end();
    }
}

/// The maker's own side.
struct Desk {
    sessions: Arc<Sessions>,
    tapes: Vec<Tape>,
    inputs: Option<Inputs>,
    run_is_over: Arc<AtomicBool>,
}

impl Desk {
    fn prime(&mut self) {
        for tape in &mut self.tapes {
            while tape.ahead_bytes() < PRIMED && tape.make_next(&self.sessions) {}
        }
    }

    /// Until the run is over: first what it will soon need, then the next step of `inputs.json`, then sleep.
    fn serve(mut self) -> Option<Inputs> {
        // A maker that gets no time is no harm: workers then make what they need.
        priority::give_way();
        self.sessions.lookout.report_to_me();
        while !self.run_is_over() {
            if let Some(wanted) = self.sessions.lookout.next_wanted() {
                self.sessions.make_turn(wanted.conversation, wanted.turn);
            } else if !self.tapes.iter_mut().any(|tape| tape.make_next(&self.sessions)) && !self.write_next() {
                self.sleep();
            }
        }
        self.inputs
    }

    fn run_is_over(&self) -> bool {
        self.run_is_over.load(Ordering::Acquire)
    }

    /// Until there may be something to do.
    fn sleep(&self) {
        let is_due = self.tapes.iter().fold(false, |due, tape| tape.set_alarm(&self.sessions) | due);
        if !is_due && !self.run_is_over() {
            // What came in meanwhile has left its mark, and the thread does not fall asleep.
            thread::park();
        }
        self.tapes.iter().for_each(|tape| tape.silence(&self.sessions));
    }

    /// Writes one more session; says whether there was one to be written now. One that has no room had better be written
    /// when the run comes near it: now it would be made for the file alone, and then again.
    fn write_next(&mut self) -> bool {
        let Some(inputs) = &mut self.inputs else { return false };
        let Some(next) = inputs.next(&self.sessions) else { return false };
        if !self.sessions.has_room() && self.tapes.iter_mut().any(|tape| tape.comes_to(next)) {
            return false;
        }
        inputs.write(&self.sessions, next);
        true
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
