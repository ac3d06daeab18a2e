//! What outlives a phase: which worker and which server get the next session, and whether the servers can be reached.

use aiperf_clock::{Mono, Nanos};
use aiperf_config::{NodeShare, Pace};
use aiperf_seed::Stream;

use super::draining::DrainingPhase;
use super::reachability::Reachability;
use crate::phase::PhaseOutcome;
use crate::request::preconnect::ConnectionsAhead;

/// Requests in flight that fill a worker. A thread that looks after several is woken less often for each of them, and as many
/// starts at once take about a millisecond.
const FULL: usize = 16;

/// Which worker gets the next session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placement {
    /// In a closed loop the first one that is not full; if all are, the least busy one. Each further thread that takes part
    /// costs wake-ups, so a small load uses few of them. A schedule is kept by all threads: if the machine stops one of them
    /// for a moment, only its own requests are late.
    FillWorkers,
    /// The least busy one: a request keeps its thread busy for long, as a TLS handshake does.
    Spread,
}

#[derive(Debug)]
pub(super) struct RunState {
    /// Requests in flight, by worker.
    pub(super) in_flight: Vec<usize>,
    /// Requests in flight of sessions that no other session started.
    pub(super) roots_in_flight: usize,
    /// Requests in flight whose first token is not known to have come.
    pub(super) prefilling: usize,
    placement: Placement,
    targets: usize,
    next_target: usize,
    /// How far apart the targets of two sessions are: sessions of all nodes take turns.
    target_step: usize,
    /// Conversations that were drawn, those of other nodes included.
    pub(super) drawn: u64,
    next_worker: usize,
    pub(super) ids: Stream,
    pub(super) reach: Reachability,
    /// Earlier phases whose last responses are still to come.
    pub(super) draining: Vec<DrainingPhase>,
    /// Phases that are over, with their indices.
    pub(super) over: Vec<(usize, PhaseOutcome)>,
    /// Whether a profiling phase has begun.
    pub(super) is_profiling: bool,
}

impl RunState {
    pub(super) fn new(
        workers: usize,
        placement: Placement,
        targets: usize,
        share: NodeShare,
        unreachable_limit: Option<Nanos>,
    ) -> Self {
        let of_targets = |number: u64| (number % targets as u64) as usize;
        Self {
            in_flight: vec![0; workers],
            roots_in_flight: 0,
            prefilling: 0,
            placement,
            targets,
            next_target: of_targets(share.index()),
            target_step: of_targets(share.count()),
            drawn: 0,
            next_worker: 0,
            ids: Stream::from_entropy(),
            reach: Reachability::new(unreachable_limit, targets),
            draining: Vec::new(),
            over: Vec::new(),
            is_profiling: false,
        }
    }

    /// Draws the first sessions of the node, which another one has sent.
    pub(super) fn pass_over(&mut self, mut sessions: u64, share: NodeShare, draw: &mut dyn FnMut() -> usize) {
        while sessions > 0 {
            draw();
            if share.takes(self.drawn) {
                sessions -= 1;
                self.take_target();
            }
            self.drawn += 1;
        }
    }

    /// Whether something ended the run, not its phases.
    pub(super) fn is_stopped(&self) -> bool {
        self.over.iter().any(|(_, outcome)| outcome.ended_by.is_stopped())
    }

    /// Ends all phases that have stopped sending: nothing more is waited for.
    pub(super) fn end_all(&mut self) {
        self.over.extend(self.draining.drain(..).map(|phase| (phase.index, phase.finish())));
    }

    /// Ends the earlier phases that have nothing in flight, or whose time is over after what was in flight was cut off.
    pub(super) fn end_drained(&mut self, now: Mono) {
        let is_over = |phase: &mut DrainingPhase| {
            phase.in_flight() == 0 || (phase.is_cut && phase.until.is_some_and(|until| now >= until))
        };
        for phase in self.draining.extract_if(.., is_over) {
            self.over.push((phase.index, phase.finish()));
        }
    }

    /// The worker of a session that starts now.
    pub(super) fn choose_worker(&self, is_closed_loop: bool) -> usize {
        choose_worker(&self.in_flight, self.placement_for(is_closed_loop))
    }

    fn placement_for(&self, is_closed_loop: bool) -> Placement {
        if is_closed_loop { self.placement } else { Placement::Spread }
    }

    /// The connections that `sessions` sessions need, by worker, if they start now one after the other and nothing comes
    /// back meanwhile.
    pub(super) fn connections_ahead(&self, sessions: usize, pace: &Pace) -> Vec<Vec<ConnectionsAhead>> {
        let (is_agentic, placement) = (pace.is_agentic(), self.placement_for(pace.is_closed_loop()));
        let workers = self.in_flight.len();
        let mut in_flight = self.in_flight.clone();
        let mut counts = vec![vec![0; self.targets]; workers];
        for session in 0..sessions {
            let worker = if is_agentic {
                (self.next_worker + 1 + session) % workers
            } else {
                choose_worker(&in_flight, placement)
            };
            in_flight[worker] += 1;
            counts[worker][(self.next_target + session * self.target_step) % self.targets] += 1;
        }
        let of_worker = |counts: Vec<usize>| {
            let by_target = counts.into_iter().enumerate().filter(|(_, count)| *count > 0);
            by_target.map(|(target, count)| ConnectionsAhead { target, count }).collect()
        };
        counts.into_iter().map(of_worker).collect()
    }

    /// Round robin over the workers: for sessions that are opened before anything is sent.
    pub(super) fn take_worker(&mut self) -> usize {
        self.next_worker = (self.next_worker + 1) % self.in_flight.len();
        self.next_worker
    }

    /// Round robin over the servers, one step per session.
    pub(super) fn take_target(&mut self) -> usize {
        let target = self.next_target;
        self.next_target = (target + self.target_step) % self.targets;
        target
    }
}

fn choose_worker(in_flight: &[usize], placement: Placement) -> usize {
    let not_full = || in_flight.iter().position(|requests| *requests < FULL);
    let least_busy = || in_flight.iter().enumerate().min_by_key(|(_, requests)| **requests).map(|(index, _)| index);
    match placement {
        Placement::FillWorkers => not_full().or_else(least_busy),
        Placement::Spread => least_busy(),
    }
    .unwrap_or_default()
}
