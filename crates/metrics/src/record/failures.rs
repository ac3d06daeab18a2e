//! Failures of a run, merged by what they say.

use std::collections::HashMap;

use aiperf_clock::Mono;

use crate::Failure;

/// Messages may carry ids and so be all different: beyond this many, further ones of a kind are put together.
const DISTINCT_LIMIT: usize = 1_000;

/// Failures that say the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureGroup {
    pub failure: Failure,
    pub count: u64,
    first_seen: Mono,
}

impl FailureGroup {
    /// When the first of them ended.
    pub(crate) fn first_seen(&self) -> Mono {
        self.first_seen
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Failures {
    groups: HashMap<Failure, (u64, Mono)>,
}

impl Failures {
    pub(crate) fn add(&mut self, failure: &Failure, count: u64, at: Mono) {
        if let Some((seen, first)) = self.groups.get_mut(failure) {
            *seen += count;
            *first = (*first).min(at);
        } else if self.groups.len() < DISTINCT_LIMIT {
            self.groups.insert(failure.clone(), (count, at));
        } else {
            let message = format!("(more than {DISTINCT_LIMIT} different messages; the rest is counted here)");
            let rest = Failure { message, ..failure.clone() };
            let entry = self.groups.entry(rest).or_insert((0, at));
            entry.0 += count;
            entry.1 = entry.1.min(at);
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for group in other.into_groups() {
            self.add(&group.failure, group.count, group.first_seen);
        }
    }

    /// In order of first appearance, whatever thread saw them.
    pub(crate) fn into_groups(self) -> Vec<FailureGroup> {
        let group = |(failure, (count, first_seen))| FailureGroup { failure, count, first_seen };
        let mut groups: Vec<_> = self.groups.into_iter().map(group).collect();
        groups.sort_by(|a, b| {
            let order = a.first_seen.cmp(&b.first_seen);
            order
                .then_with(|| a.failure.kind.name().cmp(b.failure.kind.name()))
                .then_with(|| a.failure.message.cmp(&b.failure.message))
        });
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(message: &str) -> Failure {
        Failure::new(Some(500), "Internal Server Error".into(), message)
    }

    #[test]
    fn groups_come_in_order_of_first_appearance_whoever_saw_them() {
        let (mut one, mut two) = (Failures::default(), Failures::default());
        one.add(&failure("late"), 1, Mono::from_nanos(30));
        two.add(&failure("early"), 1, Mono::from_nanos(20));
        two.add(&failure("late"), 1, Mono::from_nanos(10));
        one.merge(two);
        let seen: Vec<_> = one.into_groups().into_iter().map(|g| (g.failure.message, g.count)).collect();
        assert_eq!(seen, [("late".to_owned(), 2), ("early".to_owned(), 1)]);
    }

    #[test]
    fn a_flood_of_different_messages_stays_bounded() {
        let mut failures = Failures::default();
        for id in 0..5_000 {
            failures.add(&failure(&format!("request {id} failed")), 1, Mono::from_nanos(id));
        }
        let groups = failures.into_groups();
        assert_eq!(groups.len(), DISTINCT_LIMIT + 1);
        assert_eq!(groups.iter().map(|g| g.count).sum::<u64>(), 5_000);
    }
}
