//! When requests are due in open loop. Each arrival process is one file that draws the time to the next request; their
//! sum gives due times, counted from the start of the phase.

mod constant;
mod gamma;
mod poisson;

use aiperf_clock::Nanos;
use aiperf_config::Arrival;
use aiperf_seed::Seed;

use constant::Constant;
use gamma::Gamma;
use poisson::Poisson;

/// The due times of an open-loop phase, without end.
#[derive(Debug)]
pub struct Arrivals {
    process: Process,
    /// Kept in seconds and converted at the end: rounding each gap to nanoseconds would let the schedule drift.
    elapsed_s: f64,
}

#[derive(Debug)]
enum Process {
    Constant(Constant),
    Poisson(Poisson),
    Gamma(Gamma),
}

impl Arrivals {
    pub fn new(arrival: Arrival, per_second: f64, seed: Seed) -> Self {
        let process = match arrival {
            Arrival::Constant => Process::Constant(Constant::new(per_second)),
            Arrival::Poisson => Process::Poisson(Poisson::new(per_second, seed)),
            Arrival::Gamma { smoothness } => Process::Gamma(Gamma::new(per_second, smoothness, seed)),
        };
        Self { process, elapsed_s: 0.0 }
    }
}

impl Iterator for Arrivals {
    type Item = Nanos;

    /// The first request is due one interval after the start.
    fn next(&mut self) -> Option<Nanos> {
        self.elapsed_s = match &mut self.process {
            Process::Constant(p) => p.next_due(),
            Process::Poisson(p) => self.elapsed_s + p.interval(),
            Process::Gamma(p) => self.elapsed_s + p.interval(),
        };
        Some(Nanos::from_secs_f64(self.elapsed_s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 50_000;

    fn gaps(arrival: Arrival, seed: u64) -> Vec<f64> {
        let mut last = Nanos::ZERO;
        let due: Vec<Nanos> = Arrivals::new(arrival, 100.0, Seed::fixed(seed)).take(DRAWS).collect();
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
        let due: Vec<u64> = Arrivals::new(Arrival::Constant, 3.0, Seed::fixed(1)).take(3_000).map(|d| d.0).collect();
        assert_eq!(due[0], 333_333_333);
        assert_eq!(due[2], 1_000_000_000);
        assert_eq!(due[2_999], 1_000_000_000_000, "no drift after a thousand seconds");
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
        let draw = |seed| Arrivals::new(Arrival::Poisson, 10.0, Seed::fixed(seed)).take(100).collect::<Vec<_>>();
        assert_eq!(draw(5), draw(5));
        assert_ne!(draw(5), draw(6));
    }

    #[test]
    fn an_infinite_rate_is_due_at_once() {
        let due: Vec<_> = Arrivals::new(Arrival::Constant, f64::INFINITY, Seed::fixed(1)).take(3).collect();
        assert_eq!(due, [Nanos::ZERO; 3]);
    }
}
