//! Has the server become faster since the search began? The first levels of the staircase are measured again before the long part of the
//! search, and their latencies are compared.

use crate::step::{StepPurpose, StepRecord};

/// The latency must have fallen by this many standard errors, and by this share, to be a finding.
const SCORE: f64 = 2.6;
const LEAST_CHANGE: f64 = 0.1;

/// Blocks that are put together for the standard error: bursts are short at low loads.
const BLOCKS: usize = 3;

/// The server was slower at the beginning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SlowBeginning {
    /// When the levels were measured again.
    pub(crate) until_s: f64,
    /// By how many standard errors the logarithm of the latency changed; negative, because it fell.
    pub(crate) score: f64,
}

pub(crate) fn slow_beginning(records: &[StepRecord]) -> Option<SlowBeginning> {
    let with = |purpose| records.iter().filter(move |record| record.plan.purpose == purpose);
    let pairs: Vec<(&StepRecord, &StepRecord)> = with(StepPurpose::Repeat)
        .filter_map(|again| {
            let first = with(StepPurpose::Staircase).find(|first| first.plan.level == again.plan.level)?;
            Some((first, again))
        })
        .collect();
    let until_s = pairs.first()?.1.started_s;
    let (mut change, mut variance) = (0.0, 0.0);
    for (first, again) in &pairs {
        let (first, again) = (log_severity(first)?, log_severity(again)?);
        change += again.0 - first.0;
        variance += first.1 + again.1;
    }
    let score = change / variance.sqrt().max(1e-9);
    let mean_change = change / pairs.len() as f64;
    (score < -SCORE && mean_change < -LEAST_CHANGE).then_some(SlowBeginning { until_s, score })
}

/// The logarithm of the mean severity of a step, and its variance from batch means.
fn log_severity(record: &StepRecord) -> Option<(f64, f64)> {
    let means: Vec<f64> =
        record.severity.chunks_exact(BLOCKS).map(|chunk| chunk.iter().sum::<f64>() / BLOCKS as f64).collect();
    let count = means.len() as f64;
    if means.len() < 4 {
        return None;
    }
    let mean = means.iter().sum::<f64>() / count;
    let variance = means.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count * (count - 1.0));
    (mean > 0.0).then(|| (mean.ln(), variance / (mean * mean)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load_level::LoadLevel;
    use crate::step::StepPlan;

    fn record(purpose: StepPurpose, started_s: f64, severity: f64) -> StepRecord {
        let plan = StepPlan { level: LoadLevel::Rate(4.0), purpose, settle_s: 1.0, requests: 300 };
        StepRecord {
            plan,
            started_s,
            measured_from_s: started_s + 1.0,
            ended_s: started_s + 100.0,
            sent: 300,
            measured: 300,
            throughput: 4.0,
            mean_latency_s: severity,
            overloaded: false,
            violations: vec![vec![0; 30]],
            close_calls: vec![[vec![0; 30], vec![0; 30]]],
            severity: (0..30).map(|block| severity * (0.8 + 0.1 * f64::from(block % 5))).collect(),
        }
    }

    #[test]
    fn a_level_that_is_faster_when_it_is_repeated_is_a_slow_beginning() {
        let first = record(StepPurpose::Staircase, 0.0, 0.3);
        let faster = record(StepPurpose::Repeat, 900.0, 0.2);
        let found = slow_beginning(&[first.clone(), faster]);
        assert!(found.is_some_and(|found| (found.until_s - 900.0).abs() < 1e-9 && found.score < 0.0), "{found:?}");
        let equal = record(StepPurpose::Repeat, 900.0, 0.29);
        assert_eq!(slow_beginning(&[first.clone(), equal]), None);
        let slower = record(StepPurpose::Repeat, 900.0, 0.5);
        assert_eq!(slow_beginning(&[first, slower]), None);
    }
}
