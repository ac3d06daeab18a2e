//! User-centric load: a number of users, each with a fixed time between turns. A user whose reply was late sends the next
//! turn at once and keeps the interval from there; a user whose turns are over is followed by a new one on a fixed grid.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use aiperf_clock::{Mono, Nanos};
use aiperf_config::LoadLevel;

use super::super::agenda::SessionToStart;
use super::super::phase_state::PhaseState;
use super::LoadMode;
use crate::plan::{EngineError, PreparedTurn};
use crate::schedule::{StaggeredUser, UserStagger};

#[derive(Debug)]
pub(super) struct UserCentricMode {
    gap: Nanos,
    next_id: u64,
    /// Users to come, in order of their start.
    coming: BinaryHeap<Reverse<Coming>>,
    order: u64,
    /// Whether the number of users may change.
    is_controlled: bool,
}

/// A user who is to start. At equal times the one who was planned first starts first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Coming {
    start: Mono,
    order: u64,
    /// `None`: a user who joins later gets an id and a conversation then.
    from_the_beginning: Option<FirstUser>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FirstUser {
    id: u64,
    conversation: usize,
    /// `None`: all turns of the conversation.
    turns: Option<u64>,
    /// Whether this node sends the turns. Every node knows all users, because each is followed by the next one.
    is_own: bool,
}

impl UserCentricMode {
    pub(super) fn new(users: usize, per_second: f64, state: &mut PhaseState<'_>) -> Self {
        let stagger = UserStagger::new(users, per_second, state.workload.mean_turns());
        let coming = first_users(&stagger, state.start, || state.draw()).map(Reverse).collect();
        let next_id = stagger.next_id();
        Self { gap: stagger.turn_gap(), next_id, coming, order: next_id, is_controlled: false }
    }

    /// With a number of users that may change.
    pub(super) fn controlled(
        users: usize,
        per_second: f64,
        ceiling: Option<usize>,
        state: &mut PhaseState<'_>,
    ) -> Self {
        let mode = Self { is_controlled: true, ..Self::new(users, per_second, state) };
        let level = LoadLevel::PacedUsers { users, per_second, ceiling };
        state.sessions.set(ceiling);
        state.environment.progress.enter_load(state.index, level, state.start);
        mode
    }

    /// Goes on with another number of users at the same total rate: the time between two turns of one user changes with it. Further
    /// users join over one such time; surplus ones are not followed by others when their turns are over.
    fn set_users(&mut self, users: usize, per_second: f64, now: Mono) {
        let gap = Nanos::from_secs_f64(users as f64 / per_second);
        let stretch = gap.as_secs_f64() / self.gap.as_secs_f64();
        let mut coming: Vec<Coming> = std::mem::take(&mut self.coming).into_iter().map(|Reverse(user)| user).collect();
        coming.sort();
        for user in &mut coming {
            user.start =
                user.start.min(now).max(now + Nanos::from_secs_f64(user.start.since(now).as_secs_f64() * stretch));
        }
        // Those whose predecessors end first leave first.
        coming.drain(..coming.len().saturating_sub(users));
        let missing = users.saturating_sub(coming.len());
        for place in 1..=missing {
            self.order += 1;
            let start = now + Nanos((u128::from(gap.0) * place as u128 / missing as u128) as u64);
            coming.push(Coming { start, order: self.order, from_the_beginning: None });
        }
        self.gap = gap;
        self.coming = coming.into_iter().map(Reverse).collect();
    }
}

/// Conversations are assigned by id, whoever starts first: user 2 has the same conversation whatever the stagger.
fn first_users(
    stagger: &UserStagger,
    zero: Mono,
    mut draw: impl FnMut() -> (usize, bool),
) -> impl Iterator<Item = Coming> {
    let mut users = stagger.first_generation();
    users.sort_by_key(|user| user.id);
    users.into_iter().map(move |StaggeredUser { id, start, turns }| {
        let (conversation, is_own) = draw();
        let first = FirstUser { id, conversation, turns, is_own };
        Coming { start: zero + start, order: id, from_the_beginning: Some(first) }
    })
}

impl LoadMode for UserCentricMode {
    fn next_due(&self) -> Option<Mono> {
        self.coming.peek().map(|Reverse(user)| user.start)
    }

    fn send_due(&mut self, now: Mono, state: &mut PhaseState<'_>) -> Result<(), EngineError> {
        while self.next_due().is_some_and(|due| due <= now) {
            let Some(Reverse(Coming { start: due, from_the_beginning, .. })) = self.coming.pop() else { break };
            let FirstUser { id, conversation, turns, is_own } = from_the_beginning.unwrap_or_else(|| {
                let (conversation, is_own) = state.draw();
                self.next_id += 1;
                FirstUser { id: self.next_id - 1, conversation, turns: None, is_own }
            });
            let whole = state.workload.conversations[conversation].turns.len();
            let turns = turns.map_or(whole, |turns| whole.min(turns as usize));
            if is_own {
                state.starts.push_back(SessionToStart {
                    correlation_id: Some(id.to_string()),
                    turns: Some(turns),
                    ..state.session_of(conversation, due)
                });
            }
            self.order += 1;
            let start = due + Nanos(self.gap.0.saturating_mul(turns as u64));
            self.coming.push(Reverse(Coming { start, order: self.order, from_the_beginning: None }));
        }
        state.flush(now)
    }

    fn set_load(&mut self, level: LoadLevel, now: Mono, state: &mut PhaseState<'_>) {
        let LoadLevel::PacedUsers { users, per_second, ceiling } = level else { return };
        if !self.is_controlled {
            return;
        }
        self.set_users(users.max(1), per_second, now);
        state.sessions.set(ceiling);
        state.environment.progress.enter_load(state.index, level, now);
    }

    fn turn_due(&self, last_due: Mono, ended: Mono, _turn: &PreparedTurn) -> Mono {
        ended.max(last_due + self.gap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversations_are_dealt_out_by_id_and_the_user_who_never_sends_gets_none() {
        let stagger = UserStagger::new(8, 4.0, 4);
        let mut drawn = 0..;
        let coming = first_users(&stagger, Mono::from_nanos(0), || (drawn.next().unwrap(), true));
        let mut users: Vec<Coming> = coming.collect();
        users.sort();
        let dealt: Vec<(u64, usize)> = users
            .into_iter()
            .filter_map(|user| user.from_the_beginning)
            .map(|user| (user.id, user.conversation))
            .collect();
        assert_eq!(dealt, [(9, 7), (4, 2), (7, 5), (2, 0), (5, 3), (8, 6), (3, 1), (6, 4)]);
    }
}
