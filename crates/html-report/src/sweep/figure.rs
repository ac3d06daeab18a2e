//! One number of a point: the mean of its runs and an interval. With several runs the interval is that of their mean; with one
//! it is the one that the run gives itself.

use aiperf_stats::Level;
use aiperf_stats::distribution::student_t_quantile;
use serde_json::{Value, json};

use crate::number::short;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Figure {
    pub(crate) mean: f64,
    pub(crate) interval: Option<(f64, f64)>,
}

impl Figure {
    /// `own`: the interval of a single run.
    pub(crate) fn of(values: &[f64], own: Option<(f64, f64)>) -> Option<Self> {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        match values.len() {
            0 => None,
            1 => Some(Self { mean, interval: own }),
            _ => {
                let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
                let t = student_t_quantile(1.0 - Level::P95.tail(), count - 1.0);
                let half = t * (variance / count).sqrt();
                Some(Self { mean, interval: Some((mean - half, mean + half)) })
            }
        }
    }

    pub(crate) fn json(&self) -> Value {
        let (low, high) = self.interval.map_or((Value::Null, Value::Null), |(low, high)| (short(low), short(high)));
        json!([short(self.mean), low, high])
    }
}
