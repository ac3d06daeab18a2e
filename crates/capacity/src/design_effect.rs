//! How much violations come in bursts. The design effect is the variance of a violation count divided by the variance that it would
//! have if requests were independent (Kish 1965; batch means: Schmeiser 1982, overlapping: Meketon and Schmeiser 1984).

use serde::{Deserialize, Serialize};

/// A design effect with the degrees of freedom behind it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DesignEffect {
    pub value: f64,
    pub freedom: f64,
    /// The length of the blocks at which it stopped growing, in requests.
    pub block_requests: u64,
}

/// How much the expectation from the relaxation time weighs against what is measured.
const PRIOR_FREEDOM: f64 = 20.0;

/// How much an effect is raised when it rests on few bursts.
const SKEWNESS: f64 = 6.0;

/// Blocks are not made so long that fewer than this remain.
const MIN_BLOCKS: usize = 14;

/// The count of a block minus its expected value, and the variance that independent requests would give it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Residual {
    pub(crate) difference: f64,
    pub(crate) variance: f64,
}

/// Doubles the block length until the design effect stops growing. `events` is the number of violations (or close calls) in the blocks:
/// one burst that fills many blocks is still one. `expected` is the effect that the relaxation time lets expect.
pub(crate) fn design_effect(residuals: &[Residual], events: f64, expected: f64, base_requests: u64) -> DesignEffect {
    let mut sums = vec![(0.0, 0.0)];
    for residual in residuals {
        let (difference, variance) = sums[sums.len() - 1];
        sums.push((difference + residual.difference, variance + residual.variance));
    }
    let mut best: Option<DesignEffect> = None;
    let mut length = 1;
    while residuals.len() / length >= MIN_BLOCKS || length == 1 {
        let Some(effect) = at_length(&sums, length) else { break };
        if best.is_none_or(|best| effect.value > best.value) {
            best = Some(DesignEffect { block_requests: base_requests * length as u64, ..effect });
        }
        length *= 2;
    }
    let measured = best.unwrap_or(DesignEffect { value: 0.0, freedom: 0.0, block_requests: base_requests });
    // For bursts of exponential length, the relative variance of the estimate is 5 over their number, which is 2 · events / effect.
    let bursts = 2.0 * events / measured.value.max(1.0);
    let measured_freedom = measured.freedom.min(0.4 * bursts);
    let freedom = PRIOR_FREEDOM + measured_freedom;
    let value = (expected * PRIOR_FREEDOM + measured.value * measured_freedom) / freedom;
    // Few bursts hide the long ones more often than they exaggerate them, and then violations look rarer as well.
    let value = value * (1.0 + SKEWNESS / freedom);
    DesignEffect { value: value.max(1.0), freedom, block_requests: measured.block_requests }
}

/// The design effect for blocks of `length` base blocks, from overlapping blocks. Its degrees of freedom follow from how much the
/// squares vary: rare, long bursts give few.
fn at_length(sums: &[(f64, f64)], length: usize) -> Option<DesignEffect> {
    let windows = sums.len().checked_sub(length).filter(|&windows| windows > 0)?;
    let square = |index: usize| (sums[index + length].0 - sums[index].0).powi(2);
    let variance: f64 = (0..windows).map(|index| sums[index + length].1 - sums[index].1).sum();
    if variance <= 0.0 {
        return None;
    }
    let total: f64 = (0..windows).map(square).sum();
    let mean = total / windows as f64;
    let spread: f64 = (0..windows).map(|index| (square(index) - mean).powi(2)).sum::<f64>() / windows as f64;
    let independent = (sums.len() - 1) as f64 / length as f64;
    let freedom = if spread > 0.0 { 2.0 * mean * mean / spread * independent * 1.5 } else { 0.0 };
    Some(DesignEffect { value: total / variance, freedom: freedom.min(independent * 1.5), block_requests: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of 10 requests with 1 % violations that come in bursts of `burst` blocks.
    fn residuals(burst: usize) -> Vec<Residual> {
        let share: f64 = 0.01;
        (0..20_000)
            .map(|index| {
                // One block in a hundred is full of violations.
                let count = if (index / burst).is_multiple_of(100) { 10.0 } else { 0.0 };
                Residual { difference: count - 10.0 * share, variance: 10.0 * share * (1.0 - share) }
            })
            .collect()
    }

    #[test]
    fn blocks_grow_until_they_hold_a_whole_burst() {
        for burst in [1, 8] {
            let length = 10.0 * burst as f64;
            let effect = design_effect(&residuals(burst), 2_000.0, length, 10);
            // The bursts are regular and the effect of few bursts is raised, so it is near their length and not exact.
            assert!(effect.value > 0.6 * length && effect.value < 1.6 * length, "{effect:?}");
            assert!(effect.block_requests >= 10 * burst as u64 / 2, "{effect:?}");
        }
    }

    #[test]
    fn without_data_the_relaxation_time_decides() {
        let effect = design_effect(&[], 0.0, 100.0, 10);
        assert!((effect.value - 130.0).abs() < 1.0, "{effect:?}");
        assert!((effect.freedom - PRIOR_FREEDOM).abs() < 1e-9);
    }
}
