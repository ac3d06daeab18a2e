//! How long the server remembers: the time after which its latency no longer depends on where it was.

use crate::step::{BLOCK_REQUESTS, StepRecord};

/// The relaxation time in seconds: the lag at which the autocorrelation of the blocks' mean severity falls to 1/e. It is at least the
/// time of one block. `None` if no record is long enough.
pub(crate) fn relaxation_s(records: &[&StepRecord]) -> Option<f64> {
    let longest = records.iter().map(|record| record.severity.len()).max().filter(|&blocks| blocks >= 8)?;
    // Short records say little about long memory: their own mean follows the slow changes.
    let records: Vec<&StepRecord> =
        records.iter().copied().filter(|record| record.severity.len() * 3 >= longest).collect();
    let records = &records[..];
    let level = records.iter().map(|record| record.throughput.max(1e-9)).sum::<f64>() / records.len() as f64;
    let block_s = BLOCK_REQUESTS as f64 / level;
    let variance = covariance(records, 0)?;
    if variance <= 0.0 {
        return Some(block_s);
    }
    let mut previous = 1.0;
    for lag in 1..longest / 2 {
        let Some(covariance) = covariance(records, lag) else { break };
        let correlation = covariance / variance;
        let limit = (-1.0_f64).exp();
        if correlation <= limit {
            let part = (previous - limit) / (previous - correlation).max(1e-9);
            return Some(block_s * ((lag - 1) as f64 + part).max(1.0));
        }
        previous = correlation;
    }
    Some(block_s * (longest as f64 / 4.0).max(1.0))
}

/// The mean product of the deviations of two blocks that are `lag` apart, each from the mean of its record.
fn covariance(records: &[&StepRecord], lag: usize) -> Option<f64> {
    let (mut sum, mut pairs) = (0.0, 0);
    for record in records {
        let mean = record.severity.iter().sum::<f64>() / record.severity.len().max(1) as f64;
        for (early, late) in record.severity.iter().zip(record.severity.iter().skip(lag)) {
            sum += (early - mean) * (late - mean);
            pairs += 1;
        }
    }
    (pairs >= 4).then(|| sum / f64::from(pairs))
}
