//! One figure over several trials: where it lies, how far trials are apart, and how sure its mean is.

use serde_json::Value;

use super::number;

/// One figure over trials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunSpread {
    /// Trials that have it.
    pub runs: usize,
    pub mean: f64,
    /// Of a sample: divided by one less than the number of trials.
    pub std: f64,
    pub min: f64,
    pub max: f64,
    /// `std / mean`; `None` if the mean is zero.
    pub cv: Option<f64>,
    /// Standard error of the mean.
    pub se: f64,
    pub ci_low: f64,
    pub ci_high: f64,
    /// Of Student's distribution; `None` with a single trial.
    pub t_critical: Option<f64>,
}

impl RunSpread {
    /// One trial: a point without an interval.
    pub const fn of_one(value: f64) -> Self {
        Self {
            runs: 1,
            mean: value,
            std: 0.0,
            min: value,
            max: value,
            cv: Some(0.0),
            se: 0.0,
            ci_low: value,
            ci_high: value,
            t_critical: None,
        }
    }

    /// By the names that files have for them, in the order of the aggregate.
    pub(super) fn figures(&self) -> [(&'static str, Value); 9] {
        let maybe = |figure: Option<f64>| figure.map_or(Value::Null, number);
        [
            ("mean", number(self.mean)),
            ("std", number(self.std)),
            ("min", number(self.min)),
            ("max", number(self.max)),
            ("cv", maybe(self.cv)),
            ("se", number(self.se)),
            ("ci_low", number(self.ci_low)),
            ("ci_high", number(self.ci_high)),
            ("t_critical", maybe(self.t_critical)),
        ]
    }
}
