//! The distinct errors of a run, the last ones kept.

use super::ErrorText;
use crate::snapshot::DistinctError;

/// Distinct errors that are kept; the one that was not seen for longest makes room.
const KEPT: usize = 50;

#[derive(Debug, Default)]
pub(crate) struct ErrorList {
    errors: Vec<DistinctError>,
}

impl ErrorList {
    /// Returns the error if it is seen for the first time.
    pub(crate) fn note(&mut self, text: &ErrorText, at_ns: i64) -> Option<&DistinctError> {
        let same = |known: &DistinctError| {
            known.status == text.status && known.kind == text.kind && same_words(&known.excerpt, &text.excerpt)
        };
        if let Some(known) = self.errors.iter_mut().find(|known| same(known)) {
            known.count += 1;
            known.last_seen_ns = known.last_seen_ns.max(at_ns);
            return None;
        }
        if self.errors.len() == KEPT {
            let oldest = self.errors.iter().enumerate().min_by_key(|(_, error)| error.last_seen_ns)?.0;
            self.errors.swap_remove(oldest);
        }
        self.errors.push(DistinctError {
            status: text.status,
            kind: text.kind.clone(),
            excerpt: text.excerpt.clone(),
            count: 1,
            first_seen_ns: at_ns,
            last_seen_ns: at_ns,
        });
        self.errors.last()
    }

    /// The most recent first; those of one moment in the order of their counts.
    pub(crate) fn list(&self) -> Vec<DistinctError> {
        let mut list = self.errors.clone();
        list.sort_by_key(|error| {
            (std::cmp::Reverse(error.last_seen_ns / 1_000_000_000), std::cmp::Reverse(error.count))
        });
        list
    }
}

/// Whether two messages differ in nothing but their digits: ids, times and counts make no other error of it.
fn same_words(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<char> { text.chars().filter(|letter| !letter.is_ascii_digit()).collect() };
    one == other || (one.len().abs_diff(other.len()) < 32 && words(one) == words(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(status: u16, excerpt: &str) -> ErrorText {
        ErrorText { status: Some(status), kind: "HTTPError".to_owned(), excerpt: excerpt.to_owned() }
    }

    #[test]
    fn errors_that_differ_only_in_numbers_are_one() {
        let mut list = ErrorList::default();
        assert!(list.note(&text(500, "request 17 failed"), 1).is_some());
        assert!(list.note(&text(500, "request 180 failed"), 2).is_none());
        assert!(list.note(&text(503, "request 17 failed"), 3).is_some());
        assert_eq!(list.list().iter().map(|error| error.count).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn many_distinct_errors_take_bounded_room() {
        let mut list = ErrorList::default();
        for letter in 0..200_u8 {
            list.note(&text(500, &"x".repeat(usize::from(letter))), i64::from(letter));
        }
        assert_eq!(list.list().len(), KEPT);
    }
}
