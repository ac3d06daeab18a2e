//! Whether requests went out at the rate that the schedule asked for.

use super::ValidityNote;
use crate::MetricContext;
use crate::record::columns::Columns;
use crate::record::fact::{Fact, Facts};

/// A server that is not stressed as asked looks better than it is; within a twentieth it makes no difference that a
/// repetition of the run would not make.
pub const SHORTFALL_PERCENT: f64 = 5.0;
/// Nanoseconds. In a short run a moment's delay is a large share of it.
const LEAST_LAG: f64 = 0.5e9;
/// Fewer arrivals make no rate.
const LEAST_ARRIVALS: f64 = 20.0;

/// When requests were due, and by how much sending fell behind from the first to the last of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pacing {
    /// Requests per second, if one rate was asked for.
    asked: Option<f64>,
    requests: f64,
    /// Nanoseconds from the first due time to the last.
    due_span: f64,
    /// Nanoseconds.
    lag_growth: f64,
}

impl Pacing {
    /// Of runs with a schedule. Each request is late by its lag; the rate is that of the schedule as long as lag does not
    /// grow. Medians over the first and the last tenth are compared, so that one late request makes no trend.
    pub(super) fn of(columns: &Columns, context: &MetricContext) -> Option<Self> {
        if !(context.open_loop || context.fixed_schedule) {
            return None;
        }
        let sent = |(start, lag): (u64, u64)| (start.saturating_sub(lag), lag);
        let mut sent: Vec<(u64, u64)> =
            columns.rows().filter_map(|row| row.fact(Fact::Start).zip(row.fact(Fact::DueToStart)).map(sent)).collect();
        let tenth = (sent.len() / 10).max(1);
        if sent.len() < 2 {
            return None;
        }
        let due = |(due, _): &(u64, u64)| *due;
        sent.select_nth_unstable_by_key(tenth - 1, due);
        let rest = sent.len() - tenth;
        sent[tenth..].select_nth_unstable_by_key(rest - tenth, due);
        let end = sent.len() - tenth;
        let lag = |part: &[(u64, u64)]| median(part.iter().map(|(_, lag)| *lag).collect());
        let (first, last) = (lag(&sent[..tenth]), lag(&sent[end..]));
        let from = sent[..tenth].iter().map(due).min()?;
        let to = sent[end..].iter().map(due).max()?;
        // From the middle of the first tenth to the middle of the last are nine tenths of the way.
        let way = (sent.len() - tenth) as f64 / sent.len() as f64;
        Some(Self {
            asked: context.asked_rate,
            requests: sent.len() as f64,
            due_span: (to - from) as f64,
            lag_growth: (last - first) / way,
        })
    }

    /// `dropped`: arrivals that were never sent.
    pub(super) fn shortfall(&self, dropped: u64) -> Option<ValidityNote> {
        let arrivals = self.requests + dropped as f64;
        if self.due_span <= 0.0 || arrivals < LEAST_ARRIVALS {
            return None;
        }
        // From the first of them to the last there is one interval fewer than there are requests.
        let scheduled = (arrivals - 1.0) / (self.due_span * 1e-9);
        let achieved = (self.requests - 1.0).max(0.0) / ((self.due_span + self.lag_growth.max(0.0)) * 1e-9);
        let note = |asked| ValidityNote::RateShortfall { asked, achieved, dropped };
        let noticeable = dropped > 0 || self.lag_growth > LEAST_LAG;
        // Random arrivals can be more or fewer than the rate says; sending must fall short of both.
        let (of_schedule, of_rate) = (note(scheduled), note(self.asked.unwrap_or(scheduled)));
        (noticeable && of_schedule.figure().min(of_rate.figure()) > SHORTFALL_PERCENT).then_some(of_rate)
    }
}

/// Of at least one value.
pub(super) fn median(mut values: Vec<u64>) -> f64 {
    let middle = values.len() / 2;
    *values.select_nth_unstable(middle).1 as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pacing(lag_growth: f64) -> Pacing {
        Pacing { asked: None, requests: 101.0, due_span: 10e9, lag_growth }
    }

    #[test]
    fn a_schedule_that_is_kept_late_as_a_whole_has_its_rate() {
        assert_eq!(pacing(0.0).shortfall(0), None);
        assert_eq!(pacing(-3e9).shortfall(0), None);
        assert_eq!(pacing(0.4e9).shortfall(0), None);
    }

    #[test]
    fn lag_that_grows_by_a_quarter_of_the_run_is_a_fifth_of_the_rate() {
        let note = pacing(2.5e9).shortfall(0).unwrap();
        assert_eq!(note, ValidityNote::RateShortfall { asked: 10.0, achieved: 8.0, dropped: 0 });
        assert!((note.figure() - 20.0).abs() < 1e-9);
    }

    #[test]
    fn arrivals_that_were_dropped_were_asked_for() {
        let note = ValidityNote::RateShortfall { asked: 20.0, achieved: 10.0, dropped: 100 };
        assert_eq!(pacing(0.0).shortfall(100), Some(note));
        assert_eq!(pacing(0.0).shortfall(2), None);
        let few = Pacing { requests: 4.0, ..pacing(0.0) };
        assert!(few.shortfall(5).is_none() && few.shortfall(50).is_some());
    }

    #[test]
    fn a_shortfall_names_the_rate_that_was_asked_for() {
        let asked = |rate| Pacing { asked: Some(rate), ..pacing(2.5e9) };
        let note = ValidityNote::RateShortfall { asked: 9.5, achieved: 8.0, dropped: 0 };
        assert_eq!(asked(9.5).shortfall(0), Some(note), "random arrivals came to 10 a second");
        assert_eq!(asked(8.2).shortfall(0), None, "that rate was kept");
    }
}
