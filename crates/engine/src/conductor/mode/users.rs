//! User-centric load: a number of users, each with a fixed time between turns. A user who got a late answer goes on at
//! once and keeps the rhythm from there; a user whose turns are over is followed by a new one on a fixed grid.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use aiperf_clock::{Mono, Nanos};

use super::super::floor::Floor;
use super::super::turns::SessionToStart;
use super::Mode;
use crate::plan::{EngineError, PreparedTurn};
use crate::schedule::{StaggeredUser, UserStagger};

#[derive(Debug)]
pub(super) struct Users {
    gap: Nanos,
    next_id: u64,
    /// Users to come, in order of their start.
    coming: BinaryHeap<Reverse<Coming>>,
    order: u64,
}

/// At equal times the one who was planned first comes first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Coming {
    start: Mono,
    order: u64,
    /// Those who join later get their id when they come.
    id: Option<u64>,
    /// `None`: all turns of the conversation.
    turns: Option<u64>,
}

impl Users {
    pub(super) fn new(users: usize, per_second: f64, floor: &Floor<'_>) -> Self {
        let stagger = UserStagger::new(users, per_second, floor.plan.mean_turns());
        let coming = stagger
            .first_generation()
            .into_iter()
            .map(|StaggeredUser { id, start, turns }| {
                Reverse(Coming { start: floor.start + start, order: id, id: Some(id), turns })
            })
            .collect();
        let next_id = stagger.next_id();
        Self { gap: stagger.turn_gap(), next_id, coming, order: next_id }
    }
}

impl Mode for Users {
    fn next_due(&self) -> Option<Mono> {
        self.coming.peek().map(|Reverse(user)| user.start)
    }

    fn feed(&mut self, now: Mono, floor: &mut Floor<'_>) -> Result<(), EngineError> {
        while self.next_due().is_some_and(|due| due <= now) {
            let Some(Reverse(Coming { start: due, id, turns, .. })) = self.coming.pop() else { break };
            let id = id.unwrap_or_else(|| {
                self.next_id += 1;
                self.next_id - 1
            });
            let session = floor.draw_session(due);
            let whole = floor.plan.conversations[session.conversation].turns.len();
            let turns = turns.map_or(whole, |turns| whole.min(turns as usize));
            floor.starts.push_back(SessionToStart {
                correlation_id: Some(id.to_string()),
                turns: Some(turns),
                ..session
            });
            self.order += 1;
            let start = due + Nanos(self.gap.0.saturating_mul(turns as u64));
            self.coming.push(Reverse(Coming { start, order: self.order, id: None, turns: None }));
        }
        floor.flush(now)
    }

    fn turn_due(&self, last_due: Mono, ended: Mono, _turn: &PreparedTurn) -> Mono {
        ended.max(last_due + self.gap)
    }
}
