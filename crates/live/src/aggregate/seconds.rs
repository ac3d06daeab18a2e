//! The last seconds of a phase, one by one: the window of ten seconds and the points of the history.

use std::collections::VecDeque;
use std::time::Duration;

use aiperf_clock::{Mono, Nanos};
use aiperf_protocol::RequestOutcome;

use super::LogHistogram;
use crate::history::HistoryPoint;
use crate::snapshot::Percentiles;

/// How far back the short view of a phase looks.
pub const WINDOW: Duration = Duration::from_secs(10);

/// A second is final when it has been over for this long: by then record threads have delivered its requests.
const SETTLED_AFTER: u64 = 1;
const MILLISECONDS: f64 = 1e-6;

/// Requests that ended in one second of a phase.
#[derive(Debug, Clone, Default)]
pub(crate) struct Second {
    pub(crate) completed: u64,
    pub(crate) failed: u64,
    pub(crate) output_tokens: f64,
    pub(crate) input_tokens: f64,
    pub(crate) ttft: LogHistogram,
    pub(crate) itl: LogHistogram,
    pub(crate) latency: LogHistogram,
    in_flight: f64,
    in_flight_readings: u32,
}

/// What one request adds to a second; times in nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RequestNumbers {
    pub(crate) output_tokens: Option<f64>,
    pub(crate) input_tokens: Option<f64>,
    pub(crate) ttft: Option<f64>,
    pub(crate) itl: Option<f64>,
    pub(crate) latency: Option<f64>,
}

#[derive(Debug, Clone)]
pub(crate) struct Seconds {
    began: Mono,
    /// Number of the first second that is still open.
    first: u64,
    open: VecDeque<Second>,
    /// Number of the next second that goes into the history.
    next_point: u64,
}

/// Sums over the last ten seconds.
#[derive(Debug, Clone, Default)]
pub(crate) struct WindowSums {
    pub(crate) seconds: f64,
    pub(crate) sum: Second,
}

impl Seconds {
    pub(crate) fn new(began: Mono) -> Self {
        Self { began, first: 0, open: VecDeque::new(), next_point: 0 }
    }

    pub(crate) fn note(&mut self, end: Mono, outcome: RequestOutcome, numbers: &RequestNumbers) {
        let second = self.at(end);
        if outcome.is_success() {
            second.completed += 1;
            second.output_tokens += numbers.output_tokens.unwrap_or(0.0);
            second.input_tokens += numbers.input_tokens.unwrap_or(0.0);
            numbers.ttft.into_iter().for_each(|value| second.ttft.add(value));
            numbers.itl.into_iter().for_each(|value| second.itl.add(value));
            numbers.latency.into_iter().for_each(|value| second.latency.add(value));
        } else if outcome.is_failure() {
            second.failed += 1;
        }
    }

    pub(crate) fn note_in_flight(&mut self, now: Mono, in_flight: u64) {
        let second = self.at(now);
        second.in_flight += in_flight as f64;
        second.in_flight_readings += 1;
    }

    /// The second of a time. What comes too late for its own second counts in the first open one.
    fn at(&mut self, at: Mono) -> &mut Second {
        let number = self.number(at).max(self.first);
        while self.first + (self.open.len() as u64) <= number {
            self.open.push_back(Second::default());
            if self.open.len() as u64 > WINDOW.as_secs() + 2 + SETTLED_AFTER {
                self.open.pop_front();
                self.first += 1;
            }
        }
        &mut self.open[(number - self.first) as usize]
    }

    fn number(&self, at: Mono) -> u64 {
        at.since(self.began).0 / 1_000_000_000
    }

    pub(crate) fn window(&self, now: Mono) -> WindowSums {
        let oldest = self.number(now).saturating_sub(WINDOW.as_secs());
        let mut sum = Second::default();
        for (second, number) in self.open.iter().zip(self.first..) {
            if number < oldest {
                continue;
            }
            sum.completed += second.completed;
            sum.failed += second.failed;
            sum.output_tokens += second.output_tokens;
            sum.input_tokens += second.input_tokens;
            sum.ttft.merge(&second.ttft);
            sum.itl.merge(&second.itl);
            sum.latency.merge(&second.latency);
        }
        let since = self.began + Nanos(oldest * 1_000_000_000);
        WindowSums { seconds: now.since(since).as_secs_f64(), sum }
    }

    /// The points of all seconds that have become final.
    pub(crate) fn take_points(&mut self, now: Mono) -> Vec<HistoryPoint> {
        let settled = self.number(now).saturating_sub(SETTLED_AFTER);
        let mut points = Vec::new();
        while self.next_point < settled {
            let end = self.began + Nanos((self.next_point + 1) * 1_000_000_000 - 1);
            let number = self.next_point;
            self.next_point += 1;
            if number + (WINDOW.as_secs() + SETTLED_AFTER) < settled {
                // The program stood still for longer than the window: nothing is known of this second.
                continue;
            }
            points.push(self.at(end).point((number + 1) as f64));
        }
        points
    }
}

impl Second {
    fn point(&self, at: f64) -> HistoryPoint {
        HistoryPoint {
            at,
            requests_per_second: self.completed as f64,
            output_tokens_per_second: self.output_tokens,
            in_flight: self.in_flight / f64::from(self.in_flight_readings.max(1)),
            errors_per_second: self.failed as f64,
            ttft: milliseconds(&self.ttft),
            itl: milliseconds(&self.itl),
            latency: milliseconds(&self.latency),
            ..HistoryPoint::default()
        }
    }
}

/// Percentiles of nanoseconds, in milliseconds.
pub(crate) fn milliseconds(of: &LogHistogram) -> Option<Percentiles> {
    of.percentiles(MILLISECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Mono {
        Mono::from_nanos(5_000_000_000) + Nanos::from_secs_f64(seconds)
    }

    fn request(latency_ms: f64) -> RequestNumbers {
        RequestNumbers { latency: Some(latency_ms * 1e6), output_tokens: Some(10.0), ..RequestNumbers::default() }
    }

    #[test]
    fn the_window_forgets_what_is_older_than_ten_seconds() {
        let mut seconds = Seconds::new(at(0.0));
        for second in 0..60 {
            for request_of_second in 0..20 {
                let latency = if second < 45 { 1_000.0 } else { 50.0 };
                let end = at(f64::from(second) + f64::from(request_of_second) / 20.0);
                seconds.note(end, RequestOutcome::Success, &request(latency));
            }
        }
        let window = seconds.window(at(60.0));
        let rate = window.sum.completed as f64 / window.seconds;
        assert!((rate - 20.0).abs() < 0.5, "{rate}");
        assert!(milliseconds(&window.sum.latency).unwrap().p99 < 51.0);
    }

    #[test]
    fn each_second_becomes_one_point_after_it_is_settled() {
        let mut seconds = Seconds::new(at(0.0));
        seconds.note(at(0.5), RequestOutcome::Success, &request(10.0));
        seconds.note_in_flight(at(0.5), 7);
        assert!(seconds.take_points(at(1.5)).is_empty());
        seconds.note(at(0.9), RequestOutcome::Failed, &RequestNumbers::default());
        let points = seconds.take_points(at(2.1));
        assert_eq!(points.len(), 1);
        let point = &points[0];
        assert_eq!((point.requests_per_second, point.errors_per_second, point.in_flight), (1.0, 1.0, 7.0));
        assert!(seconds.take_points(at(2.2)).is_empty());
        assert_eq!(seconds.take_points(at(4.0)).len(), 2);
    }

    #[test]
    fn a_pause_of_an_hour_costs_little() {
        let mut seconds = Seconds::new(at(0.0));
        seconds.note(at(0.5), RequestOutcome::Success, &request(10.0));
        assert!(seconds.take_points(at(3_600.0)).len() <= 12);
        seconds.note(at(3_600.0), RequestOutcome::Success, &request(10.0));
        assert_eq!(seconds.window(at(3_600.5)).sum.completed, 1);
    }
}
