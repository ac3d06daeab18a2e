//! The distributions that benchmarks draw from. They are implemented here and pinned by tests, so that a dependency update
//! cannot change the bytes of a seeded run.

use crate::Stream;

impl Stream {
    /// Uniform in `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in `0..bound`, without modulo bias (Lemire, "Fast Random Integer Generation in an Interval", 2019).
    ///
    /// # Panics
    /// If `bound` is zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "a draw below zero has no values");
        loop {
            let wide = u128::from(self.next_u64()) * u128::from(bound);
            let low = wide as u64;
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (wide >> 64) as u64;
            }
        }
    }

    /// Standard normal (Marsaglia's polar method).
    pub fn standard_normal(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                return u * (-2.0 * s.ln() / s).sqrt();
            }
        }
    }

    pub fn normal(&mut self, mean: f64, stddev: f64) -> f64 {
        mean + stddev * self.standard_normal()
    }

    /// Exponential with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }

    /// Gamma (Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables", 2000); for shapes below one, the
    /// boost of their section 6.
    pub fn gamma(&mut self, shape: f64, scale: f64) -> f64 {
        if shape < 1.0 {
            let boost = (1.0 - self.unit()).powf(1.0 / shape);
            return self.gamma(shape + 1.0, scale) * boost;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.standard_normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && (1.0 - self.unit()).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v * scale;
            }
        }
    }

    /// A non-negative normal draw; the mean if the standard deviation is zero.
    pub fn positive_normal(&mut self, mean: f64, stddev: f64) -> f64 {
        if stddev <= 0.0 {
            return mean.max(0.0);
        }
        let drawn = (0..10_000).map(|_| self.normal(mean, stddev)).find(|x| *x >= 0.0);
        drawn.unwrap_or(mean.max(0.0))
    }

    /// A non-negative normal draw as a whole number of at least one, for lengths and numbers of turns. It is rounded to the
    /// nearest, so that many draws have the requested mean.
    pub fn positive_normal_integer(&mut self, mean: f64, stddev: f64) -> u64 {
        self.positive_normal(mean, stddev).round().max(1.0) as u64
    }

    /// Shuffles the items (Fisher-Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }

    /// One of the items, all equally likely; `None` for an empty slice.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { items.get(self.below(items.len() as u64) as usize) }
    }
}

#[cfg(test)]
mod tests {
    use crate::Seed;

    fn moments(draws: impl Iterator<Item = f64>) -> (f64, f64) {
        let all: Vec<f64> = draws.collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let variance = all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / all.len() as f64;
        (mean, variance)
    }

    #[test]
    fn exponential_and_gamma_have_their_moments() {
        let mut s = Seed::fixed(1).stream("moments");
        let (mean, variance) = moments((0..200_000).map(|_| s.exponential(0.5)));
        assert!((mean - 0.5).abs() < 0.01 && (variance - 0.25).abs() < 0.01, "{mean} {variance}");
        for shape in [0.3, 1.0, 4.0] {
            let (mean, variance) = moments((0..200_000).map(|_| s.gamma(shape, 2.0)));
            assert!((mean / (shape * 2.0) - 1.0).abs() < 0.03, "shape {shape}: mean {mean}");
            assert!((variance / (shape * 4.0) - 1.0).abs() < 0.06, "shape {shape}: variance {variance}");
        }
    }

    #[test]
    fn below_reaches_every_value_and_no_other() {
        let mut s = Seed::fixed(7).stream("below");
        let mut seen = [0_u32; 5];
        for _ in 0..5_000 {
            seen[s.below(5) as usize] += 1;
        }
        assert!(seen.iter().all(|n| (800..1_200).contains(n)), "{seen:?}");
    }

    #[test]
    fn lengths_are_positive_and_exact_without_spread() {
        let mut s = Seed::fixed(3).stream("lengths");
        assert_eq!(s.positive_normal_integer(550.0, 0.0), 550);
        assert_eq!(s.positive_normal_integer(0.0, 0.0), 1);
        assert!((0..1_000).all(|_| s.positive_normal_integer(2.0, 5.0) >= 1));
        let (mean, variance) = moments((0..100_000).map(|_| s.positive_normal_integer(50.0, 5.0) as f64));
        assert!((mean - 50.0).abs() < 0.1 && (variance - 25.0).abs() < 1.0, "{mean} {variance}");
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        Seed::fixed(9).stream("shuffle").shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
