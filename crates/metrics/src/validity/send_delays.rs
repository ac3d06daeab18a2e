//! Whether requests spent so long in the client before their first byte left that it shows in the results.

use super::ValidityNote;
use super::note::share_percent;
use super::thresholds::NOTED_SHARE_PERCENT;
use crate::record::columns::Columns;
use crate::record::fact::{Fact, Facts};

/// Nanoseconds. Shorter delays are not visible in the latency of any model.
pub const LEAST_DELAY: u64 = 1_000_000;
/// A delay matters from this share of the time to first token on, or of the latency without streaming.
pub const SHARE_OF_LATENCY_PERCENT: u64 = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct SendDelays {
    late: u64,
    of: u64,
}

impl SendDelays {
    pub(super) fn of(columns: &Columns) -> Self {
        let mut seen = Self::default();
        for row in columns.rows() {
            let latency = row.fact(Fact::FirstContent).or_else(|| row.fact(Fact::LastContent));
            if let (Some(delay), Some(latency)) = (row.fact(Fact::ClientSendDelay), latency) {
                seen.of += 1;
                seen.late += u64::from(is_late(delay, latency));
            }
        }
        seen
    }

    pub(super) fn noticeable(&self) -> Option<ValidityNote> {
        let Self { late, of } = *self;
        (share_percent(late, of) > NOTED_SHARE_PERCENT).then_some(ValidityNote::LateSends { late, of })
    }
}

fn is_late(delay: u64, latency: u64) -> bool {
    delay > LEAST_DELAY && delay.saturating_mul(100) > latency.saturating_mul(SHARE_OF_LATENCY_PERCENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_matters_if_it_is_a_tenth_of_the_latency() {
        assert!(is_late(1_100_000, 10_000_000));
        assert!(!is_late(1_000_000, 10_000_000));
        assert!(!is_late(900_000, 1_000_000), "too short to matter");
        assert!(!is_late(5_000_000, 60_000_000));
    }

    #[test]
    fn one_request_in_a_hundred_may_be_sent_late() {
        assert_eq!(SendDelays::default().noticeable(), None);
        assert_eq!(SendDelays { late: 2, of: 200 }.noticeable(), None);
        let note = ValidityNote::LateSends { late: 3, of: 200 };
        assert_eq!(SendDelays { late: 3, of: 200 }.noticeable(), Some(note));
    }
}
