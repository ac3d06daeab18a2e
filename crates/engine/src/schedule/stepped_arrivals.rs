//! Open-loop arrivals at a rate that is set as time passes, and is constant in between.
//!
//! As for a rate that is known before, gaps are drawn for a rate of one. What is left of the gap before the next arrival is kept
//! in these units when the rate changes, so that constant arrivals stay evenly spaced and Poisson arrivals stay Poisson.

use aiperf_clock::{Mono, Nanos};
use aiperf_config::Arrival;
use aiperf_seed::Seed;

use super::arrivals::Gaps;

#[derive(Debug)]
pub(crate) struct SteppedArrivals {
    seed: Seed,
    /// The patterns so far, so that one that comes back goes on; the last one is in use.
    patterns: Vec<(Arrival, Gaps)>,
    /// `None`: no arrivals.
    per_second: Option<f64>,
    /// When the rate was last set.
    since: Mono,
    /// From `since` to the next arrival, at a rate of one.
    units: f64,
}

impl SteppedArrivals {
    pub(crate) fn new(start: Mono, seed: Seed) -> Self {
        Self { seed, patterns: Vec::new(), per_second: None, since: start, units: 0.0 }
    }

    /// When the next arrival is due, at the present rate.
    pub(crate) fn next_due(&self) -> Option<Mono> {
        self.per_second.map(|per_second| self.since + Nanos::from_secs_f64(self.units / per_second))
    }

    /// Goes on to the arrival after the next.
    pub(crate) fn advance(&mut self) {
        if let Some((_, gaps)) = self.patterns.last_mut() {
            self.units += gaps.draw();
        }
    }

    /// The rate from this time on, which is not before the last arrival that was used. The gap that has begun keeps its length in
    /// units, also if the pattern changes.
    pub(crate) fn set_rate(&mut self, at: Mono, per_second: f64, arrival: Arrival) {
        self.pause(at);
        let is_first = self.patterns.is_empty();
        let known = self.patterns.iter().position(|(known, _)| *known == arrival);
        let pattern =
            known.map_or_else(|| (arrival, Gaps::new(arrival, self.seed)), |known| self.patterns.remove(known));
        self.patterns.push(pattern);
        if is_first {
            self.advance();
        }
        self.per_second = Some(per_second).filter(|per_second| *per_second > 0.0);
    }

    /// No arrivals from this time on.
    pub(crate) fn pause(&mut self, at: Mono) {
        if let Some(per_second) = self.per_second.take() {
            // An arrival that is overdue is still owed.
            self.units = (self.units - at.since(self.since).as_secs_f64() * per_second).max(0.0);
        }
        self.since = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Mono = Mono::from_nanos(1_000_000_000);

    fn after(secs: f64) -> Mono {
        START + Nanos::from_secs_f64(secs)
    }

    fn take(arrivals: &mut SteppedArrivals, until: f64) -> Vec<f64> {
        let mut taken = Vec::new();
        while let Some(due) = arrivals.next_due().filter(|due| *due < after(until)) {
            taken.push(due.since(START).as_secs_f64());
            arrivals.advance();
        }
        taken
    }

    fn near(taken: &[f64], expected: &[f64]) {
        let differs = taken.len() != expected.len() || taken.iter().zip(expected).any(|(a, b)| (a - b).abs() > 1e-8);
        assert!(!differs, "{taken:?} is not {expected:?}");
    }

    #[test]
    fn the_rest_of_a_gap_is_stretched_and_the_grid_goes_on_from_there() {
        let mut arrivals = SteppedArrivals::new(START, Seed::fixed(1));
        assert_eq!(arrivals.next_due(), None);
        arrivals.set_rate(START, 1.0, Arrival::Constant);
        near(&take(&mut arrivals, 1.5), &[1.0]);
        // Half of the second gap is left: at four a second it takes an eighth of a second.
        arrivals.set_rate(after(1.5), 4.0, Arrival::Constant);
        near(&take(&mut arrivals, 2.4), &[1.625, 1.875, 2.125, 2.375]);
        arrivals.pause(after(2.5));
        assert_eq!(arrivals.next_due(), None);
        arrivals.set_rate(after(10.0), 2.0, Arrival::Constant);
        near(&take(&mut arrivals, 11.0), &[10.25, 10.75]);
    }

    #[test]
    fn a_rate_that_is_never_changed_is_that_of_the_schedule_that_is_known_before() {
        let rate = super::super::RateFunction::new(
            &aiperf_config::RateCurve::constant(50.0),
            std::time::Duration::from_millis(100),
            Seed::fixed(3),
        );
        for arrival in [Arrival::Constant, Arrival::Poisson, Arrival::Gamma { smoothness: 2.0 }] {
            let mut stepped = SteppedArrivals::new(START, Seed::fixed(3));
            stepped.set_rate(START, 50.0, arrival);
            for expected in super::super::ArrivalTimes::new(arrival, rate.clone(), Seed::fixed(3)).take(500) {
                assert!(stepped.next_due().unwrap().since(START).0.abs_diff(expected.0) <= 2);
                stepped.advance();
            }
        }
    }

    /// Poisson counts of disjoint stretches are independent with variance equal to the mean, whatever the rate of each is.
    #[test]
    fn poisson_arrivals_stay_poisson_when_the_rate_changes_often() {
        let mut arrivals = SteppedArrivals::new(START, Seed::fixed(8));
        let mut rates = Seed::fixed(4).stream("rates");
        let mut scaled = Vec::new();
        let mut now = 0.0;
        for _ in 0..20_000 {
            let per_second = 5.0 + 95.0 * rates.unit();
            // Shorter and longer than a gap.
            let length = 0.3 * rates.unit();
            arrivals.set_rate(after(now), per_second, Arrival::Poisson);
            now += length;
            let (count, mean) = (take(&mut arrivals, now).len() as f64, per_second * length);
            scaled.push((count - mean, mean));
        }
        let expected: f64 = scaled.iter().map(|(_, mean)| mean).sum();
        let excess: f64 = scaled.iter().map(|(off, _)| off).sum();
        assert!(excess.abs() < 4.0 * expected.sqrt(), "{excess} of {expected}");
        let spread: f64 = scaled.iter().map(|(off, _)| off * off).sum::<f64>() / expected;
        assert!((spread - 1.0).abs() < 0.05, "variance over mean {spread}");
        let neighbours: f64 = scaled.windows(2).map(|pair| pair[0].0 * pair[1].0).sum::<f64>() / expected;
        assert!(neighbours.abs() < 0.05, "covariance of neighbours {neighbours}");
    }
}
