//! A run of the scheduler in virtual time, from its workload to a log of all that it did.

use std::sync::{Arc, Mutex, PoisonError};

use aiperf_clock::{Mono, Nanos};
use aiperf_config::{LoadLevel, PhaseConfig};
use aiperf_conversation::Lineage;
use aiperf_endpoint::BuildError;
use aiperf_protocol::{RunOutcome, StopReason};
use aiperf_seed::Seed;
use bytes::Bytes;

use super::server::{CutReply, Dispatched, ReplyRule, ServerLog, ServerSetup, SimulatedReply, SimulatedServer};
use super::{ms, to_ms};
use crate::control::SchedulerEvent;
use crate::phase::{PhaseCounts, PhaseOutcome};
use crate::phase_hook::PhaseHook;
use crate::plan::{EngineError, FixedSchedule, PreparedConversation, Timing, Workload};
use crate::progress::{LoadInForce, Progress};
use crate::request::bodies::{Began, Bodies};
use crate::request::preconnect::ConnectionsAhead;
use crate::scheduler::environment::SchedulerEnvironment;
use crate::scheduler::{Placement, Scheduler};
use crate::sent_journal::SentJournal;

/// Far from zero, so that times before the start can be told from the start.
const START: Mono = Mono::from_nanos(1_000_000_000_000_000);

/// One worker, one server that replies after 10 ms, and sessions drawn from the roots in turn.
pub(crate) struct Simulation {
    conversations: Vec<PreparedConversation>,
    phases: Vec<PhaseConfig>,
    pub(crate) fixed_schedule: FixedSchedule,
    pub(crate) sessions_done: u64,
    pub(crate) journal: Option<Arc<dyn SentJournal>>,
    pub(crate) seed: u64,
    pub(crate) timing: Timing,
    pub(crate) workers: usize,
    pub(crate) targets: usize,
    pub(crate) placement: Placement,
    pub(crate) cut_reply: CutReply,
    pub(crate) record_delay: Nanos,
    pub(crate) lasts: Option<usize>,
    pub(crate) preconnect: bool,
    pub(crate) connect_time: Option<Nanos>,
    pub(crate) hook: Option<Box<dyn PhaseHook>>,
    reply: ReplyRule,
    orders: Vec<(Nanos, SchedulerEvent)>,
}

impl Simulation {
    pub(crate) fn new(conversations: Vec<PreparedConversation>) -> Self {
        Self {
            conversations,
            phases: Vec::new(),
            fixed_schedule: Vec::new(),
            sessions_done: 0,
            journal: None,
            seed: 1,
            timing: Timing::default(),
            workers: 1,
            targets: 1,
            placement: Placement::Spread,
            cut_reply: CutReply::After(Nanos::ZERO),
            record_delay: Nanos::ZERO,
            lasts: None,
            preconnect: false,
            connect_time: Some(Nanos::ZERO),
            hook: None,
            reply: Box::new(|_| SimulatedReply::after(ms(10))),
            orders: Vec::new(),
        }
    }

    pub(crate) fn phase(mut self, phase: PhaseConfig) -> Self {
        self.phases.push(phase);
        self
    }

    pub(crate) fn replies(self, reply: impl FnMut(&Dispatched) -> SimulatedReply + 'static) -> Self {
        Self { reply: Box::new(reply), ..self }
    }

    pub(crate) fn replies_after(self, millis: u64) -> Self {
        self.replies(move |_| SimulatedReply::after(ms(millis)))
    }

    pub(crate) fn stop_at(mut self, millis: u64, why: StopReason) -> Self {
        self.orders.push((ms(millis), SchedulerEvent::Stop(why)));
        self
    }

    pub(crate) fn enough_at(mut self, millis: u64) -> Self {
        self.orders.push((ms(millis), SchedulerEvent::Enough { phase: None, why: Arc::from("precise enough") }));
        self
    }

    /// Sets the load of the first phase.
    pub(crate) fn set_load_at(mut self, millis: u64, level: LoadLevel) -> Self {
        self.orders.push((ms(millis), SchedulerEvent::SetLoad { phase: 0, level }));
        self
    }

    /// Something comes in after this time.
    pub(crate) fn order(&mut self, at: Nanos, event: SchedulerEvent) {
        self.orders.push((at, event));
    }

    /// Changes settings that few tests change.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    pub(crate) fn run(self) -> DispatchLog {
        let (log, result) = self.try_run();
        result.unwrap_or_else(|error| panic!("{error} after {:#?}", log.dispatched.last()));
        log
    }

    pub(crate) fn try_run(self) -> (DispatchLog, Result<(), EngineError>) {
        let conversations: Arc<[PreparedConversation]> = self.conversations.into();
        let bodies = Arc::new(BodyLog::new(conversations.len()));
        let roots: Vec<usize> =
            (0..conversations.len()).filter(|index| !matches!(conversations[*index].lineage, Lineage::Child)).collect();
        let mut draws = roots.into_iter().cycle();
        let workload = Workload {
            phases: self.phases,
            conversations: Arc::clone(&conversations),
            bodies: Arc::clone(&bodies) as Arc<dyn Bodies>,
            next_conversation: Box::new(move || draws.next().unwrap_or_default()),
            sessions_done: self.sessions_done,
            fixed_schedule: self.fixed_schedule,
            seed: Seed::fixed(self.seed),
            timing: self.timing,
            preconnect: self.preconnect,
        };
        let server = SimulatedServer::new(ServerSetup {
            start: START,
            workers: self.workers,
            conversations: Arc::clone(&conversations),
            reply: self.reply,
            cut_reply: self.cut_reply,
            record_delay: self.record_delay,
            lasts: self.lasts,
            connect_time: self.connect_time,
        });
        for (at, event) in self.orders {
            server.post(START + at, event);
        }
        let progress = Progress::default();
        if let Some(journal) = self.journal {
            progress.keep_in(journal);
        }
        let environment =
            SchedulerEnvironment { clock: &server.clock, dispatch: &server, events: &server, progress: &progress };
        let result = Scheduler::new(workload, self.targets, self.placement, self.hook, environment).run();
        let ServerLog { dispatched, cuts, preconnects } = server.into_log();
        let (outcomes, result) = match result {
            Ok(outcomes) => (outcomes, Ok(())),
            Err(error) => (Vec::new(), Err(error)),
        };
        let begun = bodies.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let sent = progress.sent();
        let load = progress.load();
        (DispatchLog { dispatched, cuts, preconnects, outcomes, begun, conversations, sent, load }, result)
    }
}

/// All that a run did.
pub(crate) struct DispatchLog {
    pub(crate) dispatched: Vec<Dispatched>,
    pub(crate) cuts: Vec<(Nanos, RunOutcome)>,
    /// When which worker was asked for which connections.
    pub(crate) preconnects: Vec<(Nanos, usize, Vec<ConnectionsAhead>)>,
    pub(crate) outcomes: Vec<PhaseOutcome>,
    /// Sessions that began and that ended, by conversation.
    pub(crate) begun: Vec<SessionLife>,
    pub(crate) conversations: Arc<[PreparedConversation]>,
    /// As the progress of the last phase says.
    pub(crate) sent: u64,
    /// The load that was in force last, where it was controlled.
    pub(crate) load: Option<LoadInForce>,
}

impl DispatchLog {
    /// Which load was in force last, since how many milliseconds, after how many changes.
    pub(crate) fn load_ms(&self) -> Option<(LoadLevel, u64, u64)> {
        self.load.map(|load| (load.level, to_ms(load.since.since(START)), load.changes))
    }

    /// The only phase.
    pub(crate) fn outcome(&self) -> &PhaseOutcome {
        assert_eq!(self.outcomes.len(), 1);
        &self.outcomes[0]
    }

    pub(crate) fn counts(&self) -> PhaseCounts {
        self.outcome().counts
    }

    pub(crate) fn of_phase(&self, phase: usize) -> impl Iterator<Item = &Dispatched> {
        self.dispatched.iter().filter(move |sent| sent.phase == phase)
    }

    /// When requests were handed out, in milliseconds.
    pub(crate) fn sent_ms(&self) -> Vec<u64> {
        self.dispatched.iter().map(|sent| to_ms(sent.at)).collect()
    }

    pub(crate) fn due_ms(&self) -> Vec<u64> {
        self.dispatched.iter().map(|sent| to_ms(sent.due)).collect()
    }

    /// Conversation, turn and time of each request.
    pub(crate) fn turns_ms(&self) -> Vec<(usize, usize, u64)> {
        self.dispatched.iter().map(|sent| (sent.conversation, sent.turn, to_ms(sent.at))).collect()
    }

    /// When a phase began and when its last response was back, in milliseconds.
    pub(crate) fn span_ms(&self, phase: usize) -> (u64, u64) {
        let PhaseOutcome { start, end, .. } = self.outcomes[phase];
        (to_ms(start.since(START)), to_ms(end.since(START)))
    }
}

/// How many sessions of a conversation began and ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SessionLife {
    pub(crate) begun: u64,
    pub(crate) ended: u64,
}

#[derive(Debug)]
struct BodyLog(Mutex<Vec<SessionLife>>);

impl BodyLog {
    fn new(conversations: usize) -> Self {
        Self(Mutex::new(vec![SessionLife::default(); conversations]))
    }

    fn change(&self, conversation: usize, change: impl FnOnce(&mut SessionLife)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)[conversation]);
    }
}

impl Bodies for BodyLog {
    fn fixed(&self, _: usize, _: usize) -> Result<Bytes, BuildError> {
        Ok(Bytes::new())
    }

    fn single_token(&self, _: usize, _: usize) -> Result<Bytes, BuildError> {
        Ok(Bytes::new())
    }

    fn begin(&self, conversation: usize, _: Began) {
        self.change(conversation, |life| life.begun += 1);
    }

    fn end(&self, conversation: usize) {
        self.change(conversation, |life| life.ended += 1);
    }
}
