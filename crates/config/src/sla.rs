//! Limits that the result of a run must keep (`sweep.slaFilters`).

use std::fmt;

/// One statistic of one metric on one side of a threshold.
#[derive(Debug, Clone, PartialEq)]
pub struct SlaFilter {
    /// Tag of the metric.
    pub metric: String,
    /// A statistic by its name in the summary: `avg`, `min`, `max`, `std` or a percentile such as `p95`.
    pub stat: String,
    pub op: SlaOp,
    /// In the unit in which the summary shows the metric.
    pub threshold: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlaOp {
    Lt,
    Le,
    Gt,
    Ge,
}

impl SlaOp {
    pub const ALL: [Self; 4] = [Self::Lt, Self::Le, Self::Gt, Self::Ge];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Lt => "lt",
            Self::Le => "le",
            Self::Gt => "gt",
            Self::Ge => "ge",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.name() == name)
    }
}

impl fmt::Display for SlaFilter {
    /// As options write it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}:{}", self.metric, self.stat, self.op.name(), self.threshold)
    }
}

impl SlaFilter {
    /// The statistic if nothing else is said.
    pub const USUAL_STAT: &'static str = "p95";
    /// Statistics that a limit may be set for.
    pub const STATS: [&'static str; 13] =
        ["avg", "min", "max", "std", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99"];

    /// Whether a value keeps the limit. A value that is missing or not finite does not.
    pub fn passes(&self, value: Option<f64>) -> bool {
        value.filter(|value| value.is_finite()).is_some_and(|value| match self.op {
            SlaOp::Lt => value < self.threshold,
            SlaOp::Le => value <= self.threshold,
            SlaOp::Gt => value > self.threshold,
            SlaOp::Ge => value >= self.threshold,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_value_keeps_no_limit() {
        let filter = |op| SlaFilter { metric: "request_latency".into(), stat: "p95".into(), op, threshold: 5.0 };
        for op in SlaOp::ALL {
            assert!(!filter(op).passes(None) && !filter(op).passes(Some(f64::NAN)));
        }
        let pass = |value| SlaOp::ALL.map(|op| filter(op).passes(Some(value)));
        assert_eq!(pass(4.0), [true, true, false, false]);
        assert_eq!(pass(5.0), [false, true, false, true]);
        assert_eq!(pass(6.0), [false, false, true, true]);
    }
}
