//! Open-loop arrivals: constant, Poisson or gamma, at a rate that may change over time.
//!
//! Gaps are drawn for a rate of one and then carried through the inverse of the cumulated rate (time rescaling; Daley and
//! Vere-Jones, "An Introduction to the Theory of Point Processes", 7.4), so that a ramp bends the schedule smoothly
//! instead of in steps, and a constant rate keeps an exact grid.

use aiperf_clock::Nanos;
use aiperf_config::Arrival;
use aiperf_seed::{Seed, Stream};

use super::rate::RateFunction;

/// The due times of an open-loop phase, without end.
#[derive(Debug)]
pub(crate) struct ArrivalTimes {
    rate: RateFunction,
    gaps: Gaps,
    /// The sum of the gaps drawn so far: how many requests have come due.
    units: f64,
}

/// Gaps between arrivals at a rate of one.
#[derive(Debug)]
pub(super) enum Gaps {
    Constant,
    Poisson(Stream),
    Gamma { smoothness: f64, draws: Stream },
}

impl ArrivalTimes {
    pub(crate) fn new(arrival: Arrival, rate: RateFunction, seed: Seed) -> Self {
        Self { rate, gaps: Gaps::new(arrival, seed), units: 0.0 }
    }
}

impl Gaps {
    pub(super) fn new(arrival: Arrival, seed: Seed) -> Self {
        match arrival {
            Arrival::Constant => Self::Constant,
            Arrival::Poisson => Self::Poisson(seed.stream("timing.request.poisson_interval")),
            Arrival::Gamma { smoothness } => {
                Self::Gamma { smoothness, draws: seed.stream("timing.request.gamma_interval") }
            }
        }
    }

    pub(super) fn draw(&mut self) -> f64 {
        match self {
            Self::Constant => 1.0,
            Self::Poisson(draws) => draws.exponential(1.0),
            Self::Gamma { smoothness, draws } => draws.gamma(*smoothness, 1.0 / *smoothness),
        }
    }
}

impl Iterator for ArrivalTimes {
    type Item = Nanos;

    /// The first request is due one interval after the start.
    fn next(&mut self) -> Option<Nanos> {
        self.units += self.gaps.draw();
        Some(Nanos::from_secs_f64(self.rate.time_of(self.units)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use aiperf_config::{RateCurve, RatePoint};

    use super::*;

    const DRAWS: usize = 50_000;

    fn at(per_second: f64) -> RateFunction {
        RateFunction::new(&RateCurve::constant(per_second), Duration::from_millis(100), Seed::fixed(0))
    }

    fn gaps(arrival: Arrival, seed: u64) -> Vec<f64> {
        let due: Vec<Nanos> = ArrivalTimes::new(arrival, at(100.0), Seed::fixed(seed)).take(DRAWS).collect();
        let mut last = Nanos::ZERO;
        due.into_iter()
            .map(|due| {
                let gap = (due.0 - last.0) as f64 / 1e9;
                last = due;
                gap
            })
            .collect()
    }

    /// Largest distance between the draws' distribution and `cdf` (Kolmogorov-Smirnov).
    fn distance(mut draws: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
        draws.sort_by(f64::total_cmp);
        let n = draws.len() as f64;
        draws.iter().enumerate().fold(0.0, |worst: f64, (i, x)| {
            let expected = cdf(*x);
            worst.max((expected - i as f64 / n).abs()).max(((i + 1) as f64 / n - expected).abs())
        })
    }

    /// Critical distance at the 0.1 % level for this many draws.
    fn critical() -> f64 {
        1.949 / (DRAWS as f64).sqrt()
    }

    #[test]
    fn constant_arrivals_keep_an_exact_grid() {
        let due: Vec<u64> =
            ArrivalTimes::new(Arrival::Constant, at(3.0), Seed::fixed(1)).take(3_000).map(|d| d.0).collect();
        assert_eq!(due[0], 333_333_333);
        assert_eq!(due[2], 1_000_000_000);
        assert_eq!(due[2_999], 1_000_000_000_000, "no drift after a thousand seconds");
        let all = gaps(Arrival::Constant, 1);
        assert!(all.iter().all(|gap| (gap - 0.01).abs() < 1e-8), "every gap is one interval");
    }

    #[test]
    fn poisson_gaps_are_exponential() {
        for seed in [1, 42, 2_026] {
            let d = distance(gaps(Arrival::Poisson, seed), |x| 1.0 - (-100.0 * x).exp());
            assert!(d < critical(), "seed {seed}: {d}");
        }
    }

    #[test]
    fn gamma_gaps_of_shape_two_follow_their_law() {
        // Erlang: 1 - e^-y (1 + y) with y = shape * rate * x.
        for seed in [1, 42, 2_026] {
            let d = distance(gaps(Arrival::Gamma { smoothness: 2.0 }, seed), |x| {
                let y = 200.0 * x;
                1.0 - (-y).exp() * (1.0 + y)
            });
            assert!(d < critical(), "seed {seed}: {d}");
        }
    }

    #[test]
    fn gamma_of_shape_one_is_poisson_and_all_keep_the_rate() {
        let d = distance(gaps(Arrival::Gamma { smoothness: 1.0 }, 7), |x| 1.0 - (-100.0 * x).exp());
        assert!(d < critical(), "{d}");
        for arrival in [Arrival::Poisson, Arrival::Gamma { smoothness: 0.5 }, Arrival::Gamma { smoothness: 8.0 }] {
            let all = gaps(arrival, 3);
            let rate = all.len() as f64 / all.iter().sum::<f64>();
            assert!((rate / 100.0 - 1.0).abs() < 0.03, "{arrival:?}: {rate}");
        }
    }

    #[test]
    fn a_seed_repeats_its_schedule() {
        let draw =
            |seed| ArrivalTimes::new(Arrival::Poisson, at(10.0), Seed::fixed(seed)).take(100).collect::<Vec<_>>();
        assert_eq!(draw(5), draw(5));
        assert_ne!(draw(5), draw(6));
    }

    #[test]
    fn an_infinite_rate_is_due_at_once() {
        let due: Vec<_> = ArrivalTimes::new(Arrival::Constant, at(f64::INFINITY), Seed::fixed(1)).take(3).collect();
        assert_eq!(due, [Nanos::ZERO; 3]);
    }

    #[test]
    fn a_series_sends_as_many_as_its_area() {
        // 2 -> 10 -> 2 over four seconds has an area of 24, then 2 a second.
        let points =
            [(0, 2.0), (2, 10.0), (4, 2.0)].map(|(s, per_second)| RatePoint { at: Duration::from_secs(s), per_second });
        let curve = RateCurve { points: points.to_vec(), ramp: None };
        let rate = RateFunction::new(&curve, Duration::from_millis(100), Seed::fixed(0));
        let due: Vec<f64> =
            ArrivalTimes::new(Arrival::Constant, rate, Seed::fixed(1)).take(28).map(Nanos::as_secs_f64).collect();
        assert!((due[23] - 4.0).abs() < 1e-6, "the 24th at the end of the fall: {}", due[23]);
        assert!((due[27] - 6.0).abs() < 1e-6, "the 28th two seconds later: {}", due[27]);
    }
}
