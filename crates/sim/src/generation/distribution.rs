//! A random number, in a notation short enough for a URL: `40`, `normal:40,5`, `lognormal:40,10`, `exp:40`,
//! `gamma:40,4`, `uniform:30,50`.

use std::fmt;
use std::str::FromStr;

use aiperf_seed::Stream;

/// How a latency or a length is drawn. Negative draws count as zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Distribution {
    Constant(f64),
    Normal {
        mean: f64,
        stddev: f64,
    },
    /// Mean and standard deviation of the values themselves, not of their logarithms.
    LogNormal {
        mean: f64,
        stddev: f64,
    },
    Exponential {
        mean: f64,
    },
    Gamma {
        mean: f64,
        shape: f64,
    },
    Uniform {
        low: f64,
        high: f64,
    },
}

impl Distribution {
    /// What `FromStr` accepts.
    pub const NOTATION: &'static str =
        "X | normal:MEAN,STDDEV | lognormal:MEAN,STDDEV | exp:MEAN | gamma:MEAN,SHAPE | uniform:LOW,HIGH";

    /// The mean, before negative draws are raised to zero.
    pub fn mean(&self) -> f64 {
        match *self {
            Self::Constant(mean)
            | Self::Normal { mean, .. }
            | Self::LogNormal { mean, .. }
            | Self::Exponential { mean }
            | Self::Gamma { mean, .. } => mean,
            Self::Uniform { low, high } => f64::midpoint(low, high),
        }
    }

    /// One draw. A constant takes nothing from the stream.
    pub fn draw(&self, stream: &mut Stream) -> f64 {
        let value = match *self {
            Self::Constant(value) => value,
            Self::Normal { mean, stddev } => stream.normal(mean, stddev),
            Self::LogNormal { mean, stddev } => {
                // The parameters of the underlying normal, from the moments of the log-normal.
                let variance = (1.0 + (stddev / mean).powi(2)).ln();
                (stream.standard_normal() * variance.sqrt() + mean.ln() - variance / 2.0).exp()
            }
            Self::Exponential { mean } => stream.exponential(mean),
            Self::Gamma { mean, shape } => stream.gamma(shape, mean / shape),
            Self::Uniform { low, high } => low + (high - low) * stream.unit(),
        };
        value.max(0.0)
    }
}

impl FromStr for Distribution {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((kind, parameters)) = text.split_once(':') else {
            return Ok(Self::Constant(not_negative(text)?));
        };
        let parameters = parameters.split(',').map(not_negative).collect::<Result<Vec<f64>, String>>()?;
        let positive = |value: f64, what: &str| {
            if value > 0.0 { Ok(value) } else { Err(format!("the {what} of {kind} must be above 0")) }
        };
        match (kind, parameters.as_slice()) {
            ("normal", &[mean, stddev]) => Ok(Self::Normal { mean, stddev }),
            ("lognormal", &[mean, stddev]) => Ok(Self::LogNormal { mean: positive(mean, "mean")?, stddev }),
            ("exp", &[mean]) => Ok(Self::Exponential { mean }),
            ("gamma", &[mean, shape]) => Ok(Self::Gamma { mean, shape: positive(shape, "shape")? }),
            ("uniform", &[low, high]) if low <= high => Ok(Self::Uniform { low, high }),
            ("uniform", &[_, _]) => Err("the lower bound of uniform is above its upper bound".to_owned()),
            ("normal" | "lognormal" | "exp" | "gamma" | "uniform", given) => {
                Err(format!("{kind} does not take {} numbers", given.len()))
            }
            _ => Err(format!("unknown distribution `{kind}`")),
        }
    }
}

fn not_negative(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err(format!("`{text}` is not a number of at least 0")),
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Constant(value) => write!(f, "{value}"),
            Self::Normal { mean, stddev } => write!(f, "normal:{mean},{stddev}"),
            Self::LogNormal { mean, stddev } => write!(f, "lognormal:{mean},{stddev}"),
            Self::Exponential { mean } => write!(f, "exp:{mean}"),
            Self::Gamma { mean, shape } => write!(f, "gamma:{mean},{shape}"),
            Self::Uniform { low, high } => write!(f, "uniform:{low},{high}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use aiperf_seed::Seed;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_notation_has_the_mean_it_names() {
        for text in ["40", "normal:40,5", "lognormal:40,10", "exp:40", "gamma:40,4", "uniform:30,50"] {
            let distribution: Distribution = text.parse().unwrap();
            assert_eq!(distribution.to_string(), text);
            let mut stream = Seed::fixed(1).stream(text);
            let mean = (0..50_000).map(|_| distribution.draw(&mut stream)).sum::<f64>() / 50_000.0;
            assert!((mean - 40.0).abs() < 1.0, "{text}: {mean}");
        }
    }

    #[test]
    fn a_log_normal_has_the_spread_it_names() {
        let distribution: Distribution = "lognormal:40,10".parse().unwrap();
        let mut stream = Seed::fixed(2).stream("spread");
        let draws: Vec<f64> = (0..50_000).map(|_| distribution.draw(&mut stream)).collect();
        let stddev = (draws.iter().map(|x| (x - 40.0).powi(2)).sum::<f64>() / 50_000.0).sqrt();
        assert!((stddev - 10.0).abs() < 0.5, "{stddev}");
    }

    #[test]
    fn a_bad_notation_says_what_is_wrong() {
        for (text, part) in [
            ("fast", "not a number"),
            ("-1", "not a number"),
            ("normal:4", "does not take 1"),
            ("pareto:1,2", "unknown distribution `pareto`"),
            ("uniform:5,1", "lower bound"),
            ("gamma:4,0", "above 0"),
            ("NaN", "not a number"),
        ] {
            let error = text.parse::<Distribution>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn parsing_never_panics_and_what_parses_prints_back(text in "[a-z]{0,9}:?[0-9.,e-]{0,12}") {
            if let Ok(distribution) = text.parse::<Distribution>() {
                prop_assert_eq!(distribution.to_string().parse::<Distribution>().unwrap(), distribution);
            }
        }
    }
}
