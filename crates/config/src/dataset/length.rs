//! Numbers that are drawn: lengths in tokens, turns of a conversation, pauses in milliseconds.

/// How a number is drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Length {
    /// Normal, cut off at zero; the mean itself where there is no spread.
    Normal { mean: f64, stddev: f64 },
    /// Its logarithm is normal: a median, and a longer tail above it that makes up the mean. The mean is not below the
    /// median.
    LogNormal { mean: f64, median: f64 },
    /// One of these values, in proportion to their weights; at least one.
    Empirical(Vec<Weighted<f64>>),
    /// From one of these, in proportion to their weights; at least two.
    Multimodal(Vec<Weighted<Length>>),
    /// All numbers from `low` to `high`, both included, alike.
    Uniform { low: f64, high: f64 },
    /// Drawn from another, and moved to the nearer limit where it lies outside.
    Clamped { length: Box<Length>, min: f64, max: f64 },
}

/// Something with its share; weights are positive and need not add up to anything.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighted<T> {
    pub value: T,
    pub weight: f64,
}

impl Length {
    pub const fn constant(value: f64) -> Self {
        Self::Normal { mean: value, stddev: 0.0 }
    }

    pub const fn normal(mean: f64, stddev: f64) -> Self {
        Self::Normal { mean, stddev }
    }

    /// The mean that was asked for. What is cut off or clamped moves that of the draws.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Normal { mean, .. } | Self::LogNormal { mean, .. } => *mean,
            Self::Empirical(points) => weighted_mean(points, |value| *value),
            Self::Multimodal(peaks) => weighted_mean(peaks, Self::mean),
            Self::Uniform { low, high } => f64::midpoint(*low, *high),
            Self::Clamped { length, min, max } => length.mean().clamp(*min, *max),
        }
    }

    /// The number, if there is but one.
    pub fn only_value(&self) -> Option<f64> {
        match self {
            Self::Normal { mean, stddev } => (*stddev == 0.0).then_some(*mean),
            Self::LogNormal { mean, median } => (mean == median).then_some(*mean),
            Self::Uniform { low, high } => (low == high).then_some(*low),
            Self::Empirical(points) => match points.as_slice() {
                [only] => Some(only.value),
                _ => None,
            },
            Self::Multimodal(_) => None,
            Self::Clamped { length, min, max } => length.only_value().map(|value| value.clamp(*min, *max)),
        }
    }
}

fn weighted_mean<T>(items: &[Weighted<T>], value: impl Fn(&T) -> f64) -> f64 {
    let weights: f64 = items.iter().map(|item| item.weight).sum();
    items.iter().map(|item| value(&item.value) * item.weight).sum::<f64>() / weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_a_mixture_weighs_its_parts() {
        let one = Weighted { value: Length::constant(10.0), weight: 3.0 };
        let other = Weighted { value: Length::Uniform { low: 10.0, high: 90.0 }, weight: 1.0 };
        assert_eq!(Length::Multimodal(vec![one, other]).mean(), 20.0);
        let points = [(1.0, 1.0), (5.0, 3.0)].map(|(value, weight)| Weighted { value, weight });
        assert_eq!(Length::Empirical(points.to_vec()).mean(), 4.0);
    }

    #[test]
    fn a_number_without_spread_is_known_beforehand() {
        assert_eq!(Length::constant(7.0).only_value(), Some(7.0));
        assert_eq!(Length::normal(7.0, 1.0).only_value(), None);
        let clamped = Length::Clamped { length: Box::new(Length::constant(7.0)), min: 8.0, max: 9.0 };
        assert_eq!(clamped.only_value(), Some(8.0));
    }
}
