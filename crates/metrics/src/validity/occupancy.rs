//! Little's law: requests in flight are throughput times latency (L = λW; Little, Operations Research 9(3), 1961). Over a
//! window that holds whole requests it is exact, so that a gap is time in flight that the reported latency leaves out.

use aiperf_protocol::RequestOutcome;

use super::ValidityNote;
use crate::PhaseWindow;
use crate::record::columns::Columns;
use crate::record::fact::{Fact, Facts};

/// A tenth of the load in no latency: a mean that covered it could be off by as much or more.
pub const GAP_PERCENT: f64 = 10.0;
/// Nanoseconds of each request. A quick answer is as long over as the client takes to notice its end.
const LEAST_EACH: f64 = 10e6;

/// What most of the time in flight that is in no latency went to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GapCause {
    /// Requests that failed.
    Failures,
    /// Requests that the end of the run cut off.
    CutOff,
    /// The server ended responses later than their last content.
    LateEnd,
    /// The client noticed the end of responses later than it arrived.
    LateReading,
}

/// The time that requests were in flight, and the part of it that latencies cover. Spans are sums in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Occupancy {
    requests: u64,
    answered: u64,
    window_seconds: f64,
    /// Of all requests.
    in_flight: f64,
    /// Until the last content of the successful ones.
    latency: f64,
    /// Of requests that the client gave up on purpose: nobody expects a latency of them.
    on_purpose: f64,
    failures: f64,
    cut_off: f64,
    /// From the last content of successful ones to the last byte of the response.
    late_end: f64,
    /// From the last byte of the response until the client was done with it.
    late_reading: f64,
}

impl Occupancy {
    pub(super) fn of(columns: &Columns, window: &PhaseWindow) -> Option<Self> {
        let window_seconds = window.length().as_secs_f64();
        let mut seen = Self { window_seconds, ..Self::default() };
        for row in columns.rows() {
            let outcome = row.outcome();
            let latency = row.fact(Fact::LastContent).filter(|_| outcome == Some(RequestOutcome::Success));
            let end = row.fact(Fact::End).max(latency).unwrap_or(0);
            seen.requests += 1;
            seen.in_flight += end as f64;
            match (latency, outcome) {
                (Some(latency), _) => {
                    let last_byte = last_byte(&row).unwrap_or(end).clamp(latency, end);
                    seen.answered += 1;
                    seen.latency += latency as f64;
                    seen.late_end += (last_byte - latency) as f64;
                    seen.late_reading += (end - last_byte) as f64;
                }
                (None, Some(RequestOutcome::CancelledOnPurpose)) => seen.on_purpose += end as f64,
                (None, Some(RequestOutcome::CutOff)) => seen.cut_off += end as f64,
                (None, _) => seen.failures += end as f64,
            }
        }
        (seen.answered > 0 && window_seconds > 0.0).then_some(seen)
    }

    pub(super) fn gap(&self) -> Option<ValidityNote> {
        let expected = self.in_flight - self.on_purpose;
        let left_out = expected - self.latency;
        let is_gap = left_out / self.requests as f64 > LEAST_EACH && 100.0 * left_out / expected > GAP_PERCENT;
        is_gap.then(|| ValidityNote::LittlesLawGap {
            in_flight: self.in_flight * 1e-9 / self.window_seconds,
            per_second: self.answered as f64 / self.window_seconds,
            latency_seconds: self.latency * 1e-9 / self.answered as f64,
            cause: self.cause(),
        })
    }

    fn cause(&self) -> GapCause {
        let parts = [
            (GapCause::Failures, self.failures),
            (GapCause::CutOff, self.cut_off),
            (GapCause::LateEnd, self.late_end),
            (GapCause::LateReading, self.late_reading),
        ];
        parts.into_iter().max_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(GapCause::Failures, |(cause, _)| cause)
    }
}

/// When the last byte of the response had arrived, if the stages of the exchange are known.
fn last_byte(row: &impl Facts) -> Option<u64> {
    const STAGES: [Fact; 6] = [
        Fact::HttpBlocked,
        Fact::HttpDns,
        Fact::HttpConnecting,
        Fact::HttpSending,
        Fact::HttpWaiting,
        Fact::HttpReceiving,
    ];
    STAGES.into_iter().map(|stage| row.fact(stage)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Occupancy = Occupancy {
        requests: 20,
        answered: 20,
        window_seconds: 10.0,
        in_flight: 40e9,
        latency: 39.9e9,
        on_purpose: 0.0,
        failures: 0.0,
        cut_off: 0.0,
        late_end: 0.1e9,
        late_reading: 0.0,
    };

    #[test]
    fn latencies_that_cover_the_time_in_flight_leave_no_gap() {
        assert_eq!(ALL.gap(), None);
        let quick = Occupancy { in_flight: 0.1e9, latency: 0.05e9, ..ALL };
        assert_eq!(quick.gap(), None, "a few milliseconds of each request");
    }

    #[test]
    fn requests_without_a_latency_leave_one() {
        let cut = Occupancy { answered: 10, latency: 20e9, cut_off: 19.9e9, ..ALL };
        let note = cut.gap().unwrap();
        let cause = GapCause::CutOff;
        assert_eq!(note, ValidityNote::LittlesLawGap { in_flight: 4.0, per_second: 1.0, latency_seconds: 2.0, cause });
        assert!((note.figure() - 50.0).abs() < 1e-9);
    }

    #[test]
    fn requests_given_up_on_purpose_leave_none() {
        let given_up = Occupancy { answered: 10, latency: 20e9, on_purpose: 19.9e9, ..ALL };
        assert_eq!(given_up.gap(), None);
        assert!(Occupancy { on_purpose: 5e9, failures: 14.9e9, ..given_up }.gap().is_some());
    }

    #[test]
    fn a_gap_is_put_down_to_what_most_of_it_went_to() {
        let cause = |seen: Occupancy| match seen.gap() {
            Some(ValidityNote::LittlesLawGap { cause, .. }) => cause,
            other => panic!("{other:?}"),
        };
        let gap = Occupancy { latency: 20e9, ..ALL };
        assert_eq!(cause(Occupancy { late_end: 20e9, ..gap }), GapCause::LateEnd);
        assert_eq!(cause(Occupancy { late_reading: 15e9, late_end: 5e9, ..gap }), GapCause::LateReading);
        assert_eq!(cause(Occupancy { failures: 11e9, cut_off: 9e9, ..gap }), GapCause::Failures);
    }
}
