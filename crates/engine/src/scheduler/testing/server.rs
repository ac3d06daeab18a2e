//! A server and its workers in virtual time: takes dispatches, and brings back what becomes of them when it is time.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;
use std::sync::Arc;

use aiperf_clock::{Clock, Mono, Nanos, VirtualClock};
use aiperf_conversation::BranchKind;
use aiperf_protocol::{RequestOutcome, RunOutcome};
use bytes::Bytes;

use crate::control::SchedulerEvent;
use crate::plan::PreparedConversation;
use crate::queue::WaitResult;
use crate::request::credit::{Credit, FollowUpNeed, Returned, TurnBody};
use crate::request::follow_up::{FollowUpBodies, FollowedUp};
use crate::request::preconnect::{ConnectionsAhead, Preconnected};
use crate::request::reserved::{ReservedCredit, Withdrawn};
use crate::scheduler::environment::{Dispatch, EventSource};

/// Waits that end without the clock having moved: a scheduler that has more of them in a row is spinning.
const MOST_WAITS_AT_ONE_TIME: u32 = 100_000;

/// A worker that has more than this in reserve goes on without waking the scheduler.
const LOW_RESERVE: usize = 2;

/// How long a worker takes to give back its reserve: it goes on meanwhile.
pub(crate) const REACTION: Nanos = Nanos(50_000);

/// One request as the scheduler handed it out, and its result. Times count from the start of the run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dispatched {
    pub(crate) at: Nanos,
    pub(crate) due: Nanos,
    pub(crate) issued: Nanos,
    pub(crate) phase: usize,
    pub(crate) number: u64,
    /// Distinguishes the sessions of a phase.
    pub(crate) session: u64,
    /// The session's root, or the session itself.
    pub(crate) root: u64,
    pub(crate) session_phase: usize,
    pub(crate) conversation: usize,
    pub(crate) turn: usize,
    pub(crate) depth: u32,
    pub(crate) worker: usize,
    pub(crate) target: usize,
    pub(crate) is_last: bool,
    pub(crate) held_back: bool,
    pub(crate) cancel_after: Option<Nanos>,
    pub(crate) is_single_token: bool,
    pub(crate) body: SentBody,
    pub(crate) first_token: Option<Nanos>,
    pub(crate) end: Option<(Nanos, RequestOutcome)>,
}

/// Where the body of a dispatch comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SentBody {
    Fixed,
    FromReplies,
}

impl Dispatched {
    /// When the worker sends it.
    pub(crate) fn start(&self) -> Nanos {
        self.at.max(self.due)
    }

    pub(crate) fn end_at(&self) -> Option<Nanos> {
        self.end.map(|(at, _)| at)
    }
}

/// What the server does with a request, from when it was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SimulatedReply {
    first_token: Option<Nanos>,
    /// `None`: never.
    after: Option<Nanos>,
    ending: ReplyEnding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplyEnding {
    Complete,
    Failed,
    /// The prompt was too long for the model.
    Overflowed,
    Unreachable,
    /// It is answered, but nobody can make the next turn of it.
    Unreadable,
}

impl SimulatedReply {
    const fn of(after: Nanos, ending: ReplyEnding) -> Self {
        Self { first_token: None, after: Some(after), ending }
    }

    pub(crate) const fn after(span: Nanos) -> Self {
        Self::of(span, ReplyEnding::Complete)
    }

    pub(crate) const fn never() -> Self {
        Self { first_token: None, after: None, ending: ReplyEnding::Complete }
    }

    pub(crate) const fn failed(span: Nanos) -> Self {
        Self::of(span, ReplyEnding::Failed)
    }

    pub(crate) const fn overflowed(span: Nanos) -> Self {
        Self::of(span, ReplyEnding::Overflowed)
    }

    pub(crate) const fn unreachable(span: Nanos) -> Self {
        Self::of(span, ReplyEnding::Unreachable)
    }

    pub(crate) const fn unreadable(span: Nanos) -> Self {
        Self::of(span, ReplyEnding::Unreadable)
    }

    pub(crate) const fn first_token(self, span: Nanos) -> Self {
        Self { first_token: Some(span), ..self }
    }
}

/// Decides what becomes of each request.
pub(crate) type ReplyRule = Box<dyn FnMut(&Dispatched) -> SimulatedReply>;

/// How requests come back that were told to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CutReply {
    After(Nanos),
    Never,
}

struct SimulatedRequest {
    credit: Credit,
    start: Mono,
    ending: ReplyEnding,
    first_token_told: bool,
}

/// What happens later on the server's side.
enum Pending {
    FirstToken(usize),
    End { request: usize, end: RequestOutcome },
    Withdraw(usize),
    Event(SchedulerEvent),
}

pub(crate) struct SimulatedServer {
    pub(crate) clock: VirtualClock,
    start: Mono,
    workers: usize,
    conversations: Arc<[PreparedConversation]>,
    reply: RefCell<ReplyRule>,
    cut_reply: CutReply,
    /// Time that making the next body of a reply takes.
    record_delay: Nanos,
    /// Requests after which the workers are gone.
    lasts: Option<usize>,
    /// How long a worker takes to open its connections; `None`: it never reports.
    connect_time: Option<Nanos>,
    dispatched: RefCell<Vec<Dispatched>>,
    preconnects: RefCell<Vec<(Nanos, usize, Vec<ConnectionsAhead>)>>,
    cuts: RefCell<Vec<(Nanos, RunOutcome)>>,
    in_flight: RefCell<BTreeMap<usize, SimulatedRequest>>,
    /// What has come and was not taken yet.
    came: RefCell<VecDeque<SchedulerEvent>>,
    /// What each worker has in reserve.
    reserves: RefCell<Vec<VecDeque<ReservedCredit>>>,
    pending: RefCell<BTreeMap<(Mono, u64), Pending>>,
    order: Cell<u64>,
    waits_at_one_time: Cell<u32>,
}

/// All that a [`SimulatedServer`] was asked to do.
pub(crate) struct ServerLog {
    pub(crate) dispatched: Vec<Dispatched>,
    pub(crate) cuts: Vec<(Nanos, RunOutcome)>,
    /// When which worker was asked for which connections.
    pub(crate) preconnects: Vec<(Nanos, usize, Vec<ConnectionsAhead>)>,
}

/// How a [`SimulatedServer`] behaves.
pub(crate) struct ServerSetup {
    pub(crate) start: Mono,
    pub(crate) workers: usize,
    pub(crate) conversations: Arc<[PreparedConversation]>,
    pub(crate) reply: ReplyRule,
    pub(crate) cut_reply: CutReply,
    pub(crate) record_delay: Nanos,
    pub(crate) lasts: Option<usize>,
    pub(crate) connect_time: Option<Nanos>,
}

impl SimulatedServer {
    pub(crate) fn new(setup: ServerSetup) -> Self {
        let ServerSetup { start, workers, conversations, reply, cut_reply, record_delay, lasts, connect_time } = setup;
        Self {
            clock: VirtualClock::at(start),
            start,
            workers,
            conversations,
            reply: RefCell::new(reply),
            cut_reply,
            record_delay,
            lasts,
            connect_time,
            dispatched: RefCell::default(),
            preconnects: RefCell::default(),
            cuts: RefCell::default(),
            in_flight: RefCell::default(),
            came: RefCell::default(),
            reserves: RefCell::new((0..workers).map(|_| VecDeque::new()).collect()),
            pending: RefCell::default(),
            order: Cell::new(0),
            waits_at_one_time: Cell::new(0),
        }
    }

    /// Lets an event come in from outside.
    pub(crate) fn post(&self, at: Mono, event: SchedulerEvent) {
        self.put(at, Pending::Event(event));
    }

    pub(crate) fn into_log(self) -> ServerLog {
        ServerLog {
            dispatched: self.dispatched.into_inner(),
            cuts: self.cuts.into_inner(),
            preconnects: self.preconnects.into_inner(),
        }
    }

    fn put(&self, at: Mono, pending: Pending) {
        self.order.set(self.order.get() + 1);
        self.pending.borrow_mut().insert((at, self.order.get()), pending);
    }

    fn since_start(&self, at: Mono) -> Nanos {
        at.since(self.start)
    }

    fn record(&self, credit: &Credit, now: Mono) -> Dispatched {
        let session = &credit.session;
        Dispatched {
            at: self.since_start(now),
            due: self.since_start(credit.due),
            issued: self.since_start(credit.issued),
            phase: credit.phase,
            number: credit.number,
            session: session.id.0,
            root: session.number,
            session_phase: session.phase,
            conversation: session.conversation,
            turn: credit.turn,
            depth: session.depth,
            worker: session.worker,
            target: session.target,
            is_last: credit.is_last,
            held_back: credit.held_back,
            cancel_after: credit.cancel_after,
            is_single_token: credit.is_single_token,
            body: match credit.body {
                TurnBody::Fixed => SentBody::Fixed,
                TurnBody::FromReplies(_) => SentBody::FromReplies,
            },
            first_token: None,
            end: None,
        }
    }

    /// Puts what has come by now in front of the scheduler. True if something of it would wake the scheduler.
    fn gather(&self) -> bool {
        let mut wakes = false;
        while let Some(pending) = self.take_pending() {
            let event = match pending {
                Pending::Event(event) => Some(event),
                Pending::Withdraw(worker) => {
                    let credits = std::mem::take(&mut self.reserves.borrow_mut()[worker]).into();
                    Some(SchedulerEvent::Withdrawn(Withdrawn { worker, credits }))
                }
                Pending::FirstToken(request) => self.first_token(request),
                Pending::End { request, end } => {
                    let ended = self.in_flight.borrow_mut().remove(&request);
                    ended.map(|in_flight| self.returned(request, in_flight, end))
                }
            };
            if let Some(event) = event {
                wakes |= !self.is_quiet(&event);
                self.came.borrow_mut().push_back(event);
            }
        }
        wakes
    }

    fn take_pending(&self) -> Option<Pending> {
        let mut pending = self.pending.borrow_mut();
        let first = pending.first_entry().filter(|first| first.key().0 <= self.clock.now())?;
        Some(first.remove())
    }

    fn first_token(&self, request: usize) -> Option<SchedulerEvent> {
        let mut in_flight = self.in_flight.borrow_mut();
        let in_flight = in_flight.get_mut(&request)?;
        self.dispatched.borrow_mut()[request].first_token = Some(self.since_start(self.clock.now()));
        if !in_flight.credit.watch_first_token {
            return None;
        }
        in_flight.first_token_told = true;
        Some(SchedulerEvent::FirstToken { phase: in_flight.credit.phase })
    }

    /// A worker that goes on by itself does not wake the scheduler.
    fn is_quiet(&self, event: &SchedulerEvent) -> bool {
        let SchedulerEvent::Returned(returned) = event else { return false };
        returned.has_successor && self.reserves.borrow()[returned.session.worker].len() > LOW_RESERVE
    }

    /// Starts a request of the worker's reserve in the place of one that ended.
    fn start_successor(&self, credit: &Credit, end: RequestOutcome) -> bool {
        if !(credit.is_last && credit.session.is_root && end == RequestOutcome::Success) {
            return false;
        }
        let now = self.clock.now();
        let next = {
            let reserve = &mut self.reserves.borrow_mut()[credit.session.worker];
            if reserve.front().is_some_and(|first| first.may_follow(credit.phase, now)) {
                reserve.pop_front()
            } else {
                None
            }
        };
        next.is_some_and(|next| self.send(next.take(now)))
    }

    fn returned(&self, request: usize, in_flight: SimulatedRequest, end: RequestOutcome) -> SchedulerEvent {
        let SimulatedRequest { credit, start, ending, first_token_told } = in_flight;
        let at = self.clock.now();
        self.dispatched.borrow_mut()[request].end = Some((self.since_start(at), end));
        let follow_up = match credit.follow_up {
            FollowUpNeed::Never => false,
            FollowUpNeed::OnFailure => end == RequestOutcome::Failed,
            FollowUpNeed::Always => end != RequestOutcome::CutOff,
        };
        if follow_up {
            let followed = FollowedUp {
                session: Arc::clone(&credit.session),
                turn: credit.turn,
                due: credit.due,
                at,
                bodies: self.bodies(&credit, end, ending),
            };
            self.put(at + self.record_delay, Pending::Event(SchedulerEvent::FollowedUp(followed)));
        }
        let has_successor = !follow_up && self.start_successor(&credit, end);
        SchedulerEvent::Returned(Returned {
            session: credit.session,
            phase: credit.phase,
            turn: credit.turn,
            due: credit.due,
            at,
            outcome: end,
            first_token_told,
            follow_up,
            has_successor,
            unreachable_since: (ending == ReplyEnding::Unreachable && end == RequestOutcome::Failed).then_some(start),
        })
    }

    /// What the record threads make of a reply.
    fn bodies(&self, credit: &Credit, end: RequestOutcome, ending: ReplyEnding) -> Option<FollowUpBodies> {
        if ending == ReplyEnding::Unreadable {
            return None;
        }
        let body = || Ok(Bytes::from_static(b"made of the reply"));
        let turns = &self.conversations[credit.session.conversation].turns;
        let next = turns.get(credit.turn + 1).filter(|turn| turn.needs_replies).map(|_| body());
        let forks = turns[credit.turn].branches.iter().filter(|branch| matches!(branch.kind, BranchKind::Fork { .. }));
        let forks = forks.flat_map(|branch| &branch.children).map(|child| (child.0, body())).collect();
        Some(FollowUpBodies {
            next,
            forks,
            failed: end == RequestOutcome::Failed,
            overflowed: ending == ReplyEnding::Overflowed,
        })
    }
}

impl Dispatch for SimulatedServer {
    fn workers(&self) -> usize {
        self.workers
    }

    fn send(&self, credit: Credit) -> bool {
        let now = self.clock.now();
        let request = self.dispatched.borrow().len();
        if self.lasts.is_some_and(|lasts| request >= lasts) {
            return false;
        }
        let dispatched = self.record(&credit, now);
        let SimulatedReply { first_token, after, ending } = (self.reply.borrow_mut())(&dispatched);
        self.dispatched.borrow_mut().push(dispatched);
        let start = now.max(credit.due);
        let cancelled = credit.cancel_after.filter(|cancel| after.is_none_or(|after| *cancel < after));
        let after = cancelled.or(after);
        if let Some(first) = first_token.filter(|first| after.is_none_or(|after| *first <= after)) {
            self.put(start + first, Pending::FirstToken(request));
        }
        if let Some(after) = after {
            let is_complete = cancelled.is_none() && matches!(ending, ReplyEnding::Complete | ReplyEnding::Unreadable);
            let end = if is_complete { RequestOutcome::Success } else { RequestOutcome::Failed };
            self.put(start + after, Pending::End { request, end });
        }
        self.in_flight
            .borrow_mut()
            .insert(request, SimulatedRequest { credit, start, ending, first_token_told: false });
        true
    }

    fn reserve(&self, worker: usize, credits: Vec<ReservedCredit>) -> bool {
        self.reserves.borrow_mut()[worker].extend(credits);
        true
    }

    fn withdraw(&self, worker: usize) -> bool {
        self.put(self.clock.now() + REACTION, Pending::Withdraw(worker));
        true
    }

    fn preconnect(&self, worker: usize, ahead: Vec<ConnectionsAhead>) -> bool {
        let now = self.clock.now();
        let opened = ahead.iter().map(|ahead| ahead.count).sum();
        self.preconnects.borrow_mut().push((self.since_start(now), worker, ahead));
        if let Some(time) = self.connect_time {
            let all = Preconnected { opened, ..Preconnected::default() };
            self.put(now + time, Pending::Event(SchedulerEvent::Preconnected(all)));
        }
        true
    }

    fn cut(&self, phases: RangeInclusive<usize>, reason: RunOutcome) {
        let now = self.clock.now();
        self.cuts.borrow_mut().push((self.since_start(now), reason));
        let in_flight = self.in_flight.borrow();
        let is_cut = |request: &usize| in_flight.get(request).is_none_or(|one| phases.contains(&one.credit.phase));
        self.pending.borrow_mut().retain(|_, pending| match pending {
            Pending::FirstToken(request) | Pending::End { request, .. } => !is_cut(request),
            Pending::Event(_) | Pending::Withdraw(_) => true,
        });
        let CutReply::After(delay) = self.cut_reply else { return };
        for (request, in_flight) in in_flight.iter().filter(|(request, _)| is_cut(request)) {
            // A worker that waits for the due time of a request learns of the end then.
            let at = now.max(in_flight.start) + delay;
            self.put(at, Pending::End { request: *request, end: RequestOutcome::CutOff });
        }
    }
}

impl EventSource for SimulatedServer {
    fn wait(&self, until: Option<Mono>) -> WaitResult<SchedulerEvent> {
        let before = self.clock.now();
        if let Some(event) = self.take() {
            self.waits_at_one_time.set(0);
            return WaitResult::Item(event);
        }
        loop {
            let next = self.pending.borrow().first_key_value().map(|((at, _), _)| *at);
            match (next, until) {
                (Some(next), until) if until.is_none_or(|until| next <= until) => {
                    self.clock.advance_to(next);
                    if self.gather() {
                        break;
                    }
                }
                (_, Some(until)) => {
                    self.clock.advance_to(until);
                    break;
                }
                // Nothing will ever come: the scheduler would sleep for good.
                (_, None) => return WaitResult::Closed,
            }
        }
        if let Some(event) = self.came.borrow_mut().pop_front() {
            self.waits_at_one_time.set(0);
            return WaitResult::Item(event);
        }
        let waits = if self.clock.now() > before { 0 } else { self.waits_at_one_time.get() + 1 };
        assert!(waits < MOST_WAITS_AT_ONE_TIME, "the scheduler spins at {:?}", self.since_start(before));
        self.waits_at_one_time.set(waits);
        WaitResult::TimedOut
    }

    fn take(&self) -> Option<SchedulerEvent> {
        self.gather();
        self.came.borrow_mut().pop_front()
    }
}
