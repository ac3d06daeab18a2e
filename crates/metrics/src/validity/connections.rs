//! Whether requests waited for a connection.

use super::ValidityNote;
use super::note::share_percent;
use crate::record::columns::Columns;
use crate::record::fact::{Fact, Facts};

/// From one request in a hundred on, the p99 of a run is that of requests that waited.
pub const WAITED_PERCENT: f64 = super::thresholds::NOTED_SHARE_PERCENT;
/// Nanoseconds. Looking for a free connection takes microseconds.
const LEAST_WAIT: u64 = 1_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Waits {
    waited: u64,
    of: u64,
}

impl Waits {
    pub(super) fn of(columns: &Columns) -> Self {
        let mut seen = Self::default();
        for blocked in columns.rows().filter_map(|row| row.fact(Fact::HttpBlocked)) {
            seen.of += 1;
            seen.waited += u64::from(blocked > LEAST_WAIT);
        }
        seen
    }

    pub(super) fn exhausted(&self) -> Option<ValidityNote> {
        let Self { waited, of } = *self;
        (share_percent(waited, of) > WAITED_PERCENT).then_some(ValidityNote::ConnectionsExhausted { waited, of })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_request_in_a_hundred_may_wait_for_a_connection() {
        assert_eq!(Waits::default().exhausted(), None);
        assert_eq!(Waits { waited: 2, of: 200 }.exhausted(), None);
        let note = ValidityNote::ConnectionsExhausted { waited: 3, of: 200 };
        assert_eq!(Waits { waited: 3, of: 200 }.exhausted(), Some(note));
    }
}
