//! How user-centric load begins: as if it had been running for a while, with users at all stages of their sessions, so
//! that the rate is right from the first second and sessions do not end all at once.

use aiperf_clock::Nanos;

/// A fixed number of users who together keep a rate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UserStagger {
    users: u64,
    per_second: f64,
    /// Mean number of turns of a session over the data set, rounded.
    session_turns: u64,
}

/// A user of the first generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StaggeredUser {
    /// Counts from one; an id may belong to a user who never sends.
    pub(crate) id: u64,
    pub(crate) start: Nanos,
    /// How many turns this user sends; `None`: all that its conversation has.
    pub(crate) turns: Option<u64>,
}

impl UserStagger {
    pub(crate) const fn new(users: usize, per_second: f64, session_turns: u64) -> Self {
        Self { users: users as u64, per_second, session_turns }
    }

    /// The time between two turns of one user.
    pub(crate) fn turn_gap(&self) -> Nanos {
        Nanos::from_secs_f64(self.users as f64 / self.per_second)
    }

    /// The id that the first user who joins later gets.
    pub(crate) const fn next_id(&self) -> u64 {
        self.users + 2
    }

    /// All users who are there from the beginning, in order of their start.
    pub(crate) fn first_generation(&self) -> Vec<StaggeredUser> {
        let (users, length) = (self.users, self.session_turns.saturating_sub(1).max(1));
        let mut all = vec![StaggeredUser { id: users + 1, start: Nanos::ZERO, turns: None }];
        for index in 0..users {
            let age = (users - index) * length;
            let Some(turns) = length.checked_sub(age / users).filter(|left| *left > 0) else { continue };
            let slot = if gcd(users, length) == 1 { age % users } else { index * self.coprime_step() % users };
            let start = Nanos::from_secs_f64((users - slot) as f64 / self.per_second);
            all.push(StaggeredUser { id: index + 1, start, turns: Some(turns) });
        }
        all.sort_by_key(|user| (user.start, user.id));
        all
    }

    fn coprime_step(&self) -> u64 {
        (2..self.users).find(|step| gcd(self.users, *step) == 1).unwrap_or(1)
    }
}

const fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_users_at_four_a_second_with_four_turns_start_in_the_known_order() {
        let stagger = UserStagger::new(8, 4.0, 4);
        assert_eq!(stagger.turn_gap(), Nanos(2_000_000_000));
        let users = stagger.first_generation();
        let order: Vec<u64> = users.iter().map(|user| user.id).collect();
        assert_eq!(order, [9, 4, 7, 2, 5, 8, 3, 6]);
        for (place, user) in users.iter().enumerate() {
            assert_eq!(user.start, Nanos(place as u64 * 250_000_000));
        }
        let second = users.iter().find(|user| user.id == 2).unwrap();
        assert_eq!(second.turns, Some(1));
        assert_eq!(stagger.next_id(), 10);
    }

    #[test]
    fn starts_do_not_collide_when_users_and_turns_share_a_factor() {
        let users = UserStagger::new(8, 4.0, 5).first_generation();
        let mut starts: Vec<u64> = users.iter().map(|user| user.start.0).collect();
        let all = starts.len();
        starts.dedup();
        assert_eq!(starts.len(), all, "{users:?}");
    }

    #[test]
    fn a_single_user_starts_at_once() {
        let users = UserStagger::new(1, 2.0, 3).first_generation();
        assert_eq!(users[0], StaggeredUser { id: 2, start: Nanos::ZERO, turns: None });
    }
}
