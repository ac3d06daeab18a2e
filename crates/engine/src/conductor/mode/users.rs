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
    /// Start, id and number of turns of users to come; no number means all turns.
    coming: BinaryHeap<Reverse<(Mono, u64, Option<u64>)>>,
}

impl Users {
    pub(super) fn new(users: usize, per_second: f64, floor: &Floor<'_>) -> Self {
        let stagger = UserStagger::new(users, per_second, floor.plan.mean_turns());
        let coming = stagger
            .first_generation()
            .into_iter()
            .map(|StaggeredUser { id, start, turns }| Reverse((floor.start + start, id, turns)))
            .collect();
        Self { gap: stagger.turn_gap(), next_id: stagger.next_id(), coming }
    }
}

impl Mode for Users {
    fn next_due(&self) -> Option<Mono> {
        self.coming.peek().map(|Reverse((due, ..))| *due)
    }

    fn feed(&mut self, now: Mono, floor: &mut Floor<'_>) -> Result<(), EngineError> {
        while let Some(&Reverse((due, id, turns))) = self.coming.peek() {
            if due > now {
                break;
            }
            self.coming.pop();
            let session = floor.draw_session(due);
            let whole = floor.plan.conversations[session.conversation].turns.len();
            let turns = turns.map_or(whole, |turns| whole.min(turns as usize));
            floor.starts.push_back(SessionToStart {
                correlation_id: Some(id.to_string()),
                turns: Some(turns),
                ..session
            });
            let replaced = due + Nanos(self.gap.0.saturating_mul(turns as u64));
            self.coming.push(Reverse((replaced, self.next_id, None)));
            self.next_id += 1;
        }
        floor.flush(now)
    }

    fn turn_due(&self, last_due: Mono, ended: Mono, _turn: &PreparedTurn) -> Mono {
        ended.max(last_due + self.gap)
    }
}
