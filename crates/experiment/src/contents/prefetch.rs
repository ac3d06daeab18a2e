//! The `prefetch` thread: generates contents and bodies shortly before they are needed, in the order in which sessions will
//! start, and writes `inputs.json` when it has nothing else to do. It runs at a low priority and sleeps when it is far enough
//! ahead.

mod inputs_json;
mod session_order;

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
use inputs_json::InputsProgress;
use session_order::{PrefetchLimit, SessionOrder};

/// How far ahead of the run contents are generated.
const LIMIT: PrefetchLimit = PrefetchLimit { bytes: 16 << 20, sessions: 4_096 };
/// Bytes of contents that are ready before the run starts.
const PRIMED: usize = 256 << 10;

/// The run's handle to the `prefetch` thread. Dropping it ends the thread.
#[derive(Debug)]
pub(crate) struct Prefetcher {
    sessions: Arc<Sessions>,
    run_is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Option<InputsProgress>>>,
}

impl Prefetcher {
    /// Generates the first contents, then starts the thread.
    pub(crate) fn start(
        sessions: &Arc<Sessions>,
        phases: &[PhaseConfig],
        sampler: Sampler,
        schedule: &FixedSchedule,
        inputs: Option<InputsFile>,
    ) -> io::Result<Self> {
        let run_is_over = Arc::new(AtomicBool::new(false));
        let mut prefetch = PrefetchLoop {
            sessions: Arc::clone(sessions),
            orders: orders(phases, sampler, schedule),
            inputs: inputs.map(InputsProgress::Open),
            run_is_over: Arc::clone(&run_is_over),
        };
        prefetch.prime();
        let thread = thread::Builder::new().name("prefetch".into()).spawn(move || prefetch.run())?;
        Ok(Self { sessions: Arc::clone(sessions), run_is_over, thread: Some(thread) })
    }

    /// After the run: writes the rest of `inputs.json` on the calling thread, at normal priority. If the user has interrupted
    /// the run, or does so meanwhile, the file is cut short.
    pub(crate) fn finish(mut self, control: &ControlSource, interrupted: bool) -> Result<(), ReportError> {
        let Some(thread) = self.end() else { return Ok(()) };
        let Ok(inputs) = thread.join() else {
            log::error!("the prefetch thread panicked; inputs.json was not written");
            return Ok(());
        };
        inputs.map_or(Ok(()), |inputs| inputs.complete(&self.sessions, control, interrupted))
    }

    fn end(&mut self) -> Option<JoinHandle<Option<InputsProgress>>> {
        self.run_is_over.store(true, Ordering::Release);
        self.sessions.prefetch_queue.wake();
        self.thread.take()
    }
}

impl Drop for Prefetcher {
    fn drop(&mut self) {
        self.end();
    }
}

/// What the `prefetch` thread works with.
struct PrefetchLoop {
    sessions: Arc<Sessions>,
    orders: Vec<SessionOrder>,
    inputs: Option<InputsProgress>,
    run_is_over: Arc<AtomicBool>,
}

impl PrefetchLoop {
    fn prime(&mut self) {
        for order in &mut self.orders {
            while order.ahead_bytes() < PRIMED && order.make_next(&self.sessions) {}
        }
    }

    /// Until the run is over: first what it will soon need, then the next step of `inputs.json`, then sleep.
    fn run(mut self) -> Option<InputsProgress> {
        // If this thread gets no processor time, workers generate what they need themselves.
        priority::lower_priority();
        self.sessions.prefetch_queue.register_current_thread();
        while !self.run_is_over() {
            if let Some(wanted) = self.sessions.prefetch_queue.next_wanted() {
                self.sessions.make_turn(wanted.conversation, wanted.turn);
            } else if !self.orders.iter_mut().any(|order| order.make_next(&self.sessions)) && !self.write_next() {
                self.sleep();
            }
        }
        self.inputs
    }

    fn run_is_over(&self) -> bool {
        self.run_is_over.load(Ordering::Acquire)
    }

    /// Sleeps until there may be something to do.
    fn sleep(&self) {
        let is_due = self.orders.iter().fold(false, |due, order| order.set_alarm(&self.sessions) | due);
        if !is_due && !self.run_is_over() {
            // A request that came in meanwhile has unparked this thread, so `park` returns at once.
            thread::park();
        }
        self.orders.iter().for_each(|order| order.clear_alarm(&self.sessions));
    }

    /// Writes one more session of `inputs.json`; returns whether one was written. A session that does not fit in memory is
    /// left for when the run comes near it: generated now, it would be thrown away and generated again.
    fn write_next(&mut self) -> bool {
        let Some(inputs) = &mut self.inputs else { return false };
        let Some(next) = inputs.next(&self.sessions) else { return false };
        if !self.sessions.has_room() && self.orders.iter_mut().any(|order| order.comes_to(next)) {
            return false;
        }
        inputs.write(&self.sessions, next);
        true
    }
}

/// The session orders that the phases follow, the first phase first.
fn orders(phases: &[PhaseConfig], mut sampler: Sampler, schedule: &FixedSchedule) -> Vec<SessionOrder> {
    let is_scheduled = |phase: &&PhaseConfig| matches!(phase.pace, Pace::FixedSchedule { .. });
    let (scheduled, drawn): (Vec<_>, Vec<_>) = phases.iter().partition(is_scheduled);
    let mut orders = Vec::new();
    if !drawn.is_empty() {
        let most = drawn.iter().map(|phase| most_sessions(phase)).sum::<Option<u64>>().unwrap_or(u64::MAX);
        let order = std::iter::repeat_with(move || sampler.draw().0).take(usize::try_from(most).unwrap_or(usize::MAX));
        orders.push(SessionOrder::new(Box::new(order), |sessions| &sessions.prefetch_queue.drawn, LIMIT));
    }
    if !scheduled.is_empty() {
        let order: Vec<usize> = schedule.iter().map(|(conversation, _)| *conversation).collect();
        orders.push(SessionOrder::new(
            Box::new(order.into_iter()),
            |sessions| &sessions.prefetch_queue.scheduled,
            LIMIT,
        ));
    }
    if phases.first().as_ref().is_some_and(is_scheduled) {
        orders.reverse();
    }
    orders
}

/// The most sessions that a phase can start, if known: each session sends at least one request.
fn most_sessions(phase: &PhaseConfig) -> Option<u64> {
    [phase.stop.requests, phase.stop.sessions].into_iter().flatten().min()
}
