//! Credits that workers hold in reserve. In a quick closed loop the way to the scheduler and back would cost more than the
//! request itself: two threads are woken for each. A worker that has credits in reserve starts the next request as soon as one
//! ends, and the scheduler counts it and refills many of them at once.

use std::collections::VecDeque;
use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::{Pace, PhaseConfig};
use aiperf_conversation::Lineage;

use super::agenda::{SessionToStart, TurnToSend};
use super::phase_state::PhaseState;
use crate::plan::{EngineError, PreparedConversation, Workload};
use crate::progress::Progress;
use crate::request::credit::TurnBody;
use crate::request::reserved::{ReservedCredit, Withdrawn};

/// Responses per second from which on a reserve is worth it.
const QUICK: f64 = 2_000.0;
/// For how long a reserve lasts.
const LASTS: f64 = 0.002;
/// Bounds of the credits that one worker holds in reserve.
const LEAST: usize = 4;
const MOST: usize = 64;
/// How often the rate of responses is taken.
const RATE_INTERVAL: Nanos = Nanos(5_000_000);
/// The scheduler looks this often at what came back while workers go on without it.
pub(super) const LONGEST_WAIT: Nanos = Nanos(5_000_000);

/// The credits that the workers hold.
#[derive(Debug)]
pub(super) struct Reserve {
    /// Each session of the phase is one request, so that the end of a request makes room for the next.
    is_possible: bool,
    /// Credits that were handed out and neither taken nor given back, by worker.
    held: Vec<usize>,
    /// Workers that have been asked to give back what they have.
    asked: usize,
    /// Given back, and to be started before any other.
    given_back: VecDeque<ReservedCredit>,
    responses: u32,
    since: Mono,
    per_second: f64,
}

impl Reserve {
    pub(super) fn new(
        phase: &PhaseConfig,
        workload: &Workload,
        progress: &Progress,
        workers: usize,
        now: Mono,
    ) -> Self {
        let is_single = |conversation: &PreparedConversation| {
            matches!(conversation.lineage, Lineage::Root)
                && matches!(&conversation.turns[..], [turn] if turn.branches.is_empty())
        };
        Self {
            is_possible: matches!(phase.pace, Pace::Concurrency(_))
                && phase.prefill_limit.is_none()
                && workload.conversations.iter().all(is_single)
                // What one worker holds would come after what another one has sent.
                && !progress.journal().is_some_and(|journal| journal.keeps_order()),
            held: vec![0; workers],
            asked: 0,
            given_back: VecDeque::new(),
            responses: 0,
            since: now,
            per_second: 0.0,
        }
    }

    /// Credits that workers hold.
    pub(super) fn held(&self) -> usize {
        self.held.iter().sum()
    }

    /// Credits that were handed out or given back, and that count against the limits of the phase.
    pub(super) fn committed(&self) -> u64 {
        (self.held() + self.given_back.len()) as u64
    }

    pub(super) fn is_empty(&self) -> bool {
        self.held() == 0 && self.asked == 0
    }

    /// Forgets what was given back.
    pub(super) fn clear(&mut self) {
        self.given_back.clear();
    }

    pub(super) fn note_response(&mut self) {
        self.responses += 1;
    }

    /// How many credits each worker should hold, if any.
    fn wanted(&mut self, now: Mono) -> Option<usize> {
        let passed = now.since(self.since);
        if passed >= RATE_INTERVAL {
            self.per_second = f64::from(self.responses) / passed.as_secs_f64();
            (self.responses, self.since) = (0, now);
        }
        let of_worker = self.per_second * LASTS / self.held.len() as f64;
        (self.per_second >= QUICK).then(|| (of_worker as usize).clamp(LEAST, MOST))
    }
}

impl PhaseState<'_> {
    /// Hands out as many credits as the workers need until they are asked again.
    pub(super) fn refill_reserve(&mut self, now: Mono) -> Result<(), EngineError> {
        if !self.reserve.is_possible || self.reserve.asked > 0 {
            return Ok(());
        }
        if self.has_unused_room(now) && self.reserve.held() > 0 {
            // What one worker holds is what another has room for, and nothing else is left to send.
            self.withdraw_reserve();
            return Ok(());
        }
        let Some(wanted) = self.reserve.wanted(now) else { return Ok(()) };
        if self.sessions.next_step(now).is_some() || self.run.reach.outage().is_some() {
            return Ok(());
        }
        for worker in 0..self.reserve.held.len() {
            let has = self.reserve.held[worker];
            if self.run.in_flight[worker] == 0 || has > wanted / 2 {
                continue;
            }
            let count = (wanted - has).min(self.left_for_reserve());
            let credits: Vec<ReservedCredit> = (0..count).map(|_| self.reserved_credit(worker, now)).collect();
            if count > 0 && !self.environment.dispatch.reserve(worker, credits) {
                return Err(EngineError::WorkersGone);
            }
            self.reserve.held[worker] += count;
        }
        Ok(())
    }

    /// Starts what workers gave back, as far as there is room.
    pub(super) fn start_given_back(&mut self, now: Mono) -> Result<(), EngineError> {
        while self.held_until(now).is_none() && self.sessions.has_room(now) {
            let Some(mut reserved) = self.reserve.given_back.pop_front() else { break };
            // Nobody else has seen the session, and another worker may have more time for it.
            if let Some(session) = Arc::get_mut(&mut reserved.credit.session) {
                session.worker = self.run.choose_worker(self.is_closed_loop);
            }
            self.admit();
            let worker = reserved.credit.session.worker;
            if !self.environment.dispatch.send(reserved.take(now)) {
                return Err(EngineError::WorkersGone);
            }
            self.note_sent(worker, true);
        }
        Ok(())
    }

    /// A worker has started a request of its reserve in the place of the one that came back.
    pub(super) fn handle_taken(&mut self, worker: usize) {
        self.reserve.held[worker] -= 1;
        self.admit();
        self.note_sent(worker, true);
    }

    pub(super) fn handle_withdrawn(&mut self, withdrawn: Withdrawn, is_sending: bool) {
        let Withdrawn { worker, credits } = withdrawn;
        self.reserve.asked -= 1;
        self.reserve.held[worker] -= credits.len();
        if is_sending {
            self.reserve.given_back.extend(credits);
        }
    }

    /// Asks the workers to give back what they hold.
    pub(super) fn withdraw_reserve(&mut self) {
        if self.reserve.asked > 0 {
            return;
        }
        for worker in 0..self.reserve.held.len() {
            if self.reserve.held[worker] == 0 {
                continue;
            }
            if self.environment.dispatch.withdraw(worker) {
                self.reserve.asked += 1;
            } else {
                // A worker that is gone starts nothing.
                self.reserve.held[worker] = 0;
            }
        }
    }

    fn reserved_credit(&mut self, worker: usize, now: Mono) -> ReservedCredit {
        let SessionToStart { conversation, correlation_id, turns, queued, .. } = self.draw_session(now);
        let correlation_id = correlation_id.unwrap_or_else(|| self.new_correlation_id());
        let session = self.open_on(worker, conversation, correlation_id, turns, None);
        let turn = TurnToSend { due: now, session, turn: 0, body: TurnBody::Fixed, queued };
        let deadline = self.phase.stop.duration.map(|length| self.start + length.into());
        ReservedCredit { credit: self.credit_of(turn), numbers: self.numbers.clone(), deadline }
    }

    /// Whether there is room for a session, and none may be started.
    fn has_unused_room(&self, now: Mono) -> bool {
        self.sessions.has_room(now) && !self.may_start_session()
    }

    /// How many more credits may be handed out in advance: the last requests of a phase are given out one by one, so that no
    /// worker holds what another could send.
    fn left_for_reserve(&self) -> usize {
        let limit = |limit: Option<u64>, sent: u64| limit.map_or(u64::MAX, |limit| limit.saturating_sub(sent));
        let left = limit(self.phase.stop.requests, self.counts.sent)
            .min(limit(self.phase.stop.sessions, self.counts.sessions_sent))
            .saturating_sub(self.reserve.committed());
        let last = 2 * self.phase.pace.session_limit().unwrap_or_default();
        usize::try_from(left).unwrap_or(usize::MAX).saturating_sub(last)
    }
}
