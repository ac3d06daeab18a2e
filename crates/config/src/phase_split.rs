//! The part of each phase that one node sends. Limits and counts of a divided phase are those of the node; [`PhaseSplit`] says what they
//! are a part of, for the engine to divide arrivals, sessions and ramps.

use serde::{Deserialize, Serialize};

use crate::{NodeShare, Pace, PhaseConfig};

/// The part of a phase that one node sends. Limits and counts of the phase are those of the node; this says what they are a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PhaseSplit {
    pub share: NodeShare,
    /// The number of the first session and the first arrival of the phase, over all nodes.
    pub first: u64,
    /// The concurrency limit of all nodes together.
    pub whole_sessions: Option<usize>,
    /// The prefill limit of all nodes together.
    pub whole_prefill: Option<usize>,
}

/// What a node has sent of its share before another one took over. Holds for closed loops whose sessions have one turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentShare {
    /// Name of the phase that was under way; empty if none had begun.
    pub phase: String,
    /// Requests of that phase.
    pub sent: u64,
    /// Requests of the phases before it.
    pub sent_before: u64,
}

impl SentShare {
    /// Requests of all phases.
    pub const fn total(&self) -> u64 {
        self.sent + self.sent_before
    }

    /// Leaves of the phases of the node what is still to be sent. Its places are open from the start: their ramp is over.
    pub fn take_from(&self, phases: &mut [PhaseConfig]) {
        let Some(current) = phases.iter().position(|phase| *phase.name == *self.phase) else { return };
        for (index, phase) in phases.iter_mut().enumerate().take(current + 1) {
            let left = |count: u64| if index < current { 0 } else { count.saturating_sub(self.sent) };
            phase.stop.requests = phase.stop.requests.map(left);
            phase.stop.sessions = phase.stop.sessions.map(left);
            phase.concurrency_ramp = None;
            phase.prefill_ramp = None;
        }
    }
}

/// Gives the node its places of every limit.
pub fn divide_limits(phases: &mut [PhaseConfig], share: NodeShare) {
    let own = |limit: usize| share.of(0, limit as u64) as usize;
    for phase in phases {
        phase.split = PhaseSplit {
            share,
            first: 0,
            whole_sessions: phase.pace.session_limit(),
            whole_prefill: phase.prefill_limit,
        };
        phase.prefill_limit = phase.prefill_limit.map(own);
        match &mut phase.pace {
            Pace::Concurrency(limit) => *limit = own(*limit),
            Pace::AgenticReplay(replay) => replay.lanes = own(replay.lanes),
            // Whoever sets the load while it runs sets that of each node.
            Pace::Controlled(_) => {}
            Pace::Rate { ceiling, .. } | Pace::FixedSchedule { ceiling, .. } | Pace::UserCentric { ceiling, .. } => {
                *ceiling = ceiling.map(own);
            }
        }
    }
}

/// Gives the node its part of the numbers of requests and sessions. Sessions of all phases are drawn from one order, so a phase begins
/// where the phases before it end, as far as that is known before the run.
pub fn divide_counts(phases: &mut [PhaseConfig], share: NodeShare, has_one_turn_each: bool) {
    let mut drawn = Some(0);
    for phase in phases {
        let is_scheduled = matches!(phase.pace, Pace::FixedSchedule { .. });
        let first = if is_scheduled { 0 } else { drawn.unwrap_or(0) };
        let sessions = phase.stop.sessions.into_iter().chain(phase.stop.requests.filter(|_| has_one_turn_each)).min();
        if !is_scheduled {
            let is_known = phase.stop.duration.is_none() && (has_one_turn_each || phase.stop.requests.is_none());
            drawn = drawn.zip(sessions.filter(|_| is_known)).map(|(drawn, sessions)| drawn + sessions);
        }
        phase.split.first = first;
        phase.stop.requests = phase.stop.requests.map(|requests| share.of(first, requests));
        phase.stop.sessions = phase.stop.sessions.map(|sessions| share.of(first, sessions));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PhaseKind, StopConditions};

    fn phase(requests: Option<u64>, sessions: Option<u64>) -> PhaseConfig {
        let stop = StopConditions { requests, sessions, ..StopConditions::default() };
        PhaseConfig::new(PhaseKind::Profiling, Pace::Concurrency(10), stop)
    }

    #[test]
    fn a_phase_begins_with_the_session_after_the_last_one_of_the_phase_before() {
        let whole = [phase(Some(7), None), phase(Some(20), None)];
        let mut of_all = [0, 0];
        for index in 0..3 {
            let share = NodeShare::new(index, 3).unwrap();
            let mut phases = whole.clone();
            divide_limits(&mut phases, share);
            divide_counts(&mut phases, share, true);
            assert_eq!(phases[1].split.first, 7);
            of_all[0] += phases[0].stop.requests.unwrap();
            of_all[1] += phases[1].stop.requests.unwrap();
            assert_eq!(phases[0].pace, Pace::Concurrency(if index == 0 { 4 } else { 3 }));
        }
        assert_eq!(of_all, [7, 20]);
    }
}
