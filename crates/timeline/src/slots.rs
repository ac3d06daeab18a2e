//! Which slot each session took: a session keeps its slot from its first request to its last, and the next session takes the lowest
//! slot that is free.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use crate::request::PastRequest;

/// The requests of one slot, by their starts.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Slot<'a> {
    pub(crate) sessions: Vec<Session<'a>>,
}

/// One session in its slot.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Session<'a> {
    /// In the order in which sessions began.
    pub(crate) number: usize,
    pub(crate) requests: Vec<&'a PastRequest>,
}

impl Session<'_> {
    pub(crate) fn start(&self) -> u64 {
        self.requests.first().map_or(0, |request| request.start)
    }

    pub(crate) fn end(&self) -> u64 {
        // Requests of a session do not overlap: the last one ends last.
        self.requests.last().map_or(0, |request| request.end)
    }
}

/// Puts sessions into slots. Requests of one session that overlap are sessions of their own: a slot does one thing at a time.
pub(crate) fn slots(requests: &[PastRequest]) -> Vec<Slot<'_>> {
    let mut slots: Vec<Slot<'_>> = Vec::new();
    let mut free: BTreeSet<usize> = BTreeSet::new();
    let mut busy: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    for session in sessions(requests) {
        while let Some(Reverse((_, place))) = busy.peek().copied().filter(|Reverse((end, _))| *end <= session.start()) {
            free.insert(place);
            busy.pop();
        }
        let place = free.pop_first().unwrap_or_else(|| {
            slots.push(Slot::default());
            slots.len() - 1
        });
        busy.push(Reverse((session.end(), place)));
        slots[place].sessions.push(session);
    }
    slots
}

/// Sessions by the starts of their first requests.
fn sessions(requests: &[PastRequest]) -> Vec<Session<'_>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut found: Vec<Session<'_>> = Vec::new();
    for request in requests {
        let known = places.get(request.session.as_str()).copied().filter(|place| found[*place].end() <= request.start);
        let place = known.unwrap_or_else(|| {
            found.push(Session { number: found.len(), requests: Vec::new() });
            found.len() - 1
        });
        places.insert(&request.session, place);
        found[place].requests.push(request);
    }
    found
}

/// Steps of a count over time: +1 where a span begins, -1 where it ends. Each time once, in order.
pub(crate) fn count_over_time(spans: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, i64)> {
    let mut changes: Vec<(u64, i64)> = spans.flat_map(|(start, end)| [(start, 1), (end, -1)]).collect();
    changes.sort_unstable();
    let mut steps: Vec<(u64, i64)> = Vec::new();
    let mut count = 0;
    for (at, change) in changes {
        count += change;
        match steps.last_mut() {
            Some(last) if last.0 == at => last.1 = count,
            _ => steps.push((at, count)),
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::request::tests::request;

    #[test]
    fn a_session_keeps_its_slot_and_the_next_one_takes_the_lowest_that_is_free() {
        let requests = [
            request("a", 0, 0, 10),
            request("b", 0, 5, 12),
            request("a", 1, 20, 30),
            request("c", 0, 13, 40),
            request("d", 0, 31, 35),
        ];
        let mut sorted = requests.to_vec();
        sorted.sort_by_key(|request| request.start);
        let found = slots(&sorted);
        let names: Vec<Vec<&str>> = found
            .iter()
            .map(|slot| slot.sessions.iter().map(|session| session.requests[0].session.as_str()).collect())
            .collect();
        assert_eq!(names, [vec!["a", "d"], vec!["b", "c"]]);
        assert_eq!(found[0].sessions[0].requests.len(), 2);
    }

    #[test]
    fn counts_change_where_spans_begin_and_end() {
        assert_eq!(count_over_time([(0, 10), (5, 10), (10, 20)].into_iter()), [(0, 1), (5, 2), (10, 1), (20, 0)]);
        assert_eq!(count_over_time(std::iter::empty()), []);
    }

    proptest! {
        #[test]
        fn no_two_requests_of_a_slot_overlap_and_none_is_lost(
            spans in prop::collection::vec((0_u64..6, 0_u64..50, 0_u64..20), 1..40),
        ) {
            let mut requests: Vec<_> = spans
                .iter()
                .map(|(session, start, length)| request(&session.to_string(), 0, *start, start + length))
                .collect();
            requests.sort_by_key(|request| (request.start, request.end));
            let found = slots(&requests);
            let mut count = 0;
            for slot in &found {
                let all: Vec<_> = slot.sessions.iter().flat_map(|session| &session.requests).collect();
                prop_assert!(all.windows(2).all(|pair| pair[0].end <= pair[1].start));
                count += all.len();
            }
            prop_assert_eq!(count, requests.len());
        }
    }
}
