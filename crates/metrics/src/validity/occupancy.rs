//! Little's law: requests in flight are throughput times latency (L = λW; Little, Operations Research 9(3), 1961). Over a
//! window that holds whole requests it is exact, so that a gap is time in flight that the reported latency leaves out.

use super::ValidityNote;
use crate::PhaseWindow;
use crate::columns::Columns;
use crate::fact::{Fact, Facts, OUTCOME_SUCCESS};

/// A tenth of the load in no latency: a mean that covered it could be off by as much or more.
pub(super) const GAP_PERCENT: f64 = 10.0;
/// Nanoseconds of each request. A quick answer is as long over as the client takes to notice its end.
const LEAST_EACH: f64 = 10e6;

/// The time that requests were in flight, and the part of it that latencies tell of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Occupancy {
    requests: u64,
    answered: u64,
    window_seconds: f64,
    /// Nanoseconds of all requests.
    in_flight: f64,
    /// Nanoseconds until the last content of the successful ones.
    latency: f64,
}

impl Occupancy {
    pub(super) fn of(columns: &Columns, window: &PhaseWindow) -> Option<Self> {
        let window_seconds = window.length().as_secs_f64();
        let mut seen = Self { requests: 0, answered: 0, window_seconds, in_flight: 0.0, latency: 0.0 };
        for row in columns.rows() {
            let latency = row.fact(Fact::LastContent).filter(|_| row.fact(Fact::Outcome) == Some(OUTCOME_SUCCESS));
            seen.requests += 1;
            seen.answered += u64::from(latency.is_some());
            seen.in_flight += row.fact(Fact::End).max(latency).unwrap_or(0) as f64;
            seen.latency += latency.unwrap_or(0) as f64;
        }
        (seen.answered > 0 && window_seconds > 0.0).then_some(seen)
    }

    pub(super) fn gap(&self) -> Option<ValidityNote> {
        let left_out = (self.in_flight - self.latency) / self.requests as f64;
        let note = ValidityNote::LittlesLawGap {
            in_flight: self.in_flight * 1e-9 / self.window_seconds,
            per_second: self.answered as f64 / self.window_seconds,
            latency_seconds: self.latency * 1e-9 / self.answered as f64,
        };
        (left_out > LEAST_EACH && note.figure() > GAP_PERCENT).then_some(note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Occupancy =
        Occupancy { requests: 20, answered: 20, window_seconds: 10.0, in_flight: 40e9, latency: 39.9e9 };

    #[test]
    fn latencies_that_cover_the_time_in_flight_leave_no_gap() {
        assert_eq!(ALL.gap(), None);
        let quick = Occupancy { in_flight: 0.1e9, latency: 0.05e9, ..ALL };
        assert_eq!(quick.gap(), None, "a few milliseconds of each request");
    }

    #[test]
    fn requests_without_a_latency_leave_one() {
        let cut = Occupancy { answered: 10, latency: 20e9, ..ALL };
        let note = cut.gap().unwrap();
        assert_eq!(note, ValidityNote::LittlesLawGap { in_flight: 4.0, per_second: 1.0, latency_seconds: 2.0 });
        assert!((note.figure() - 50.0).abs() < 1e-9);
    }
}
