//! A lognormal distribution given by its mean and its median.

use aiperf_seed::Stream;
use serde::{Deserialize, Serialize};

/// The number of draws outside the bounds before the nearest bound is used.
const TRIES: usize = 100;

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogNormal {
    pub mean: f64,
    pub median: f64,
    #[serde(default)]
    pub min: Option<f64>,
    #[serde(default)]
    pub max: Option<f64>,
    /// A factor for all draws.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bias: Option<f64>,
}

impl LogNormal {
    pub const fn of(mean: f64, median: f64) -> Self {
        Self { mean, median, min: None, max: None, bias: None }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let (mean, median) = (self.mean, self.median);
        if !(median > 0.0 && mean >= median && mean.is_finite()) {
            return Err(format!("a median above 0 and a mean of at least that are expected, not {median} and {mean}"));
        }
        if let (Some(min), Some(max)) = (self.min, self.max)
            && min > max
        {
            return Err(format!("min {min} is above max {max}"));
        }
        if self.bias.is_some_and(|bias| !(bias > 0.0 && bias.is_finite())) {
            return Err("bias: a number above 0 is expected".to_owned());
        }
        Ok(())
    }

    /// A value within the bounds. `mean = exp(mu + sigma²/2)` and `median = exp(mu)` give both parameters.
    pub(super) fn draw(&self, stream: &mut Stream) -> f64 {
        let mu = self.median.ln() + self.bias.unwrap_or(1.0).ln();
        let sigma = (2.0 * (self.mean / self.median).ln()).sqrt();
        let (min, max) = (self.min.unwrap_or(f64::NEG_INFINITY), self.max.unwrap_or(f64::INFINITY));
        let mut value = 0.0;
        for _ in 0..TRIES {
            value = stream.normal(mu, sigma).exp();
            if (min..=max).contains(&value) {
                return value;
            }
        }
        value.clamp(min, max)
    }
}

#[cfg(test)]
mod tests {
    use aiperf_seed::Seed;

    use super::*;

    #[test]
    fn draws_have_the_mean_the_median_and_the_bounds() {
        let mut stream = Seed::fixed(1).stream("draws");
        let plain = LogNormal::of(500.0, 300.0);
        let mut draws: Vec<f64> = (0..100_000).map(|_| plain.draw(&mut stream)).collect();
        draws.sort_by(f64::total_cmp);
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        assert!((mean / 500.0 - 1.0).abs() < 0.03 && (draws[50_000] / 300.0 - 1.0).abs() < 0.03, "{mean}");
        let bounded = LogNormal { min: Some(200.0), max: Some(400.0), ..plain };
        assert!((0..1_000).all(|_| (200.0..=400.0).contains(&bounded.draw(&mut stream))));
    }
}
