//! A phase that has sent its last request and waits for responses, also while a seamless phase after it sends already.

use std::sync::Arc;

use aiperf_clock::Mono;
use aiperf_config::PhaseKind;
use aiperf_protocol::{RequestOutcome, RunOutcome};

use crate::phase::{Outage, PhaseCounts, PhaseOutcome, ReplayOutcome};
use crate::request::credit::Returned;

#[derive(Debug)]
pub(super) struct DrainingPhase {
    pub(super) index: usize,
    pub(super) kind: PhaseKind,
    pub(super) name: Arc<str>,
    pub(super) start: Mono,
    pub(super) last_return: Mono,
    pub(super) counts: PhaseCounts,
    pub(super) reason: RunOutcome,
    /// When what is in flight is cut off; and after that, when the phase ends without it.
    pub(super) until: Option<Mono>,
    pub(super) is_cut: bool,
    pub(super) grace_exceeded: bool,
    /// Sessions that others started and that have not ended.
    pub(super) open_children: u64,
    pub(super) replay: Option<ReplayOutcome>,
    pub(super) outage: Option<Outage>,
}

impl DrainingPhase {
    pub(super) fn in_flight(&self) -> u64 {
        self.counts.sent - self.counts.completed - self.counts.cut
    }

    /// Counts a request that came back. Nothing follows it: the phase sends no more.
    pub(super) fn note(&mut self, returned: &Returned) {
        self.last_return = self.last_return.max(returned.at);
        let is_cut = returned.outcome == RequestOutcome::CutOff;
        let counts = &mut self.counts;
        if is_cut {
            counts.cut += 1;
        } else {
            counts.completed += 1;
        }
        let session = &returned.session;
        let is_over = is_cut || returned.turn + 1 >= session.turns;
        match (session.is_root, is_over) {
            (_, false) => {}
            (true, true) if is_cut => counts.sessions_cut += 1,
            (true, true) => counts.sessions_completed += 1,
            (false, true) => {
                self.open_children = self.open_children.saturating_sub(1);
                match returned.outcome {
                    RequestOutcome::CutOff => counts.branches.children_truncated += 1,
                    RequestOutcome::Failed => counts.branches.children_errored += 1,
                    _ => counts.branches.children_completed += 1,
                }
            }
        }
    }

    /// How the phase went; the log gets its last line.
    pub(super) fn finish(mut self) -> PhaseOutcome {
        self.counts.branches.children_truncated += self.open_children;
        let Self { kind, name, start, last_return: end, counts, grace_exceeded, .. } = self;
        log::info!(
            "Phase {name} complete | completed={}, cancelled={} | sessions: completed={}, cancelled={} | elapsed={:.2}s{} | responses are \
             still to be read",
            counts.completed,
            counts.cut,
            counts.sessions_completed,
            counts.sessions_cut,
            end.since(start).as_secs_f64(),
            if grace_exceeded { " | grace_period_timeout=True" } else { "" },
        );
        PhaseOutcome {
            kind,
            name,
            start,
            end,
            counts,
            ended_by: self.reason,
            grace_exceeded,
            replay: self.replay,
            outage: self.outage,
        }
    }
}
