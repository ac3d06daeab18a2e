//! Memoryless arrivals: exponential gaps.

use aiperf_seed::{Seed, Stream};

#[derive(Debug)]
pub(super) struct Poisson {
    mean_s: f64,
    draws: Stream,
}

impl Poisson {
    pub(super) fn new(per_second: f64, seed: Seed) -> Self {
        Self { mean_s: 1.0 / per_second, draws: seed.stream("timing.request.poisson_interval") }
    }

    pub(super) fn interval(&mut self) -> f64 {
        self.draws.exponential(self.mean_s)
    }
}
