//! Gamma-distributed gaps: bursty below a smoothness of one, ever more even above.

use aiperf_seed::{Seed, Stream};

#[derive(Debug)]
pub(super) struct Gamma {
    smoothness: f64,
    scale_s: f64,
    draws: Stream,
}

impl Gamma {
    pub(super) fn new(per_second: f64, smoothness: f64, seed: Seed) -> Self {
        let scale_s = 1.0 / (per_second * smoothness);
        Self { smoothness, scale_s, draws: seed.stream("timing.request.gamma_interval") }
    }

    pub(super) fn interval(&mut self) -> f64 {
        self.draws.gamma(self.smoothness, self.scale_s)
    }
}
