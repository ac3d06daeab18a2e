//! The test for drifts and steps: Mann's and Kendall's for trends (Mann 1945; Kendall 1975), with its variance corrected
//! for autocorrelation (Hamed and Rao 1998; Yue and Wang 2004), and that of Cramér and von Mises on the cumulative
//! sums for steps and bends (Schruben 1982; Heidelberger and Welch 1983). A change is one when it is sure and when it matters.

use crate::batches::means;
use crate::distribution::normal_cdf;
use crate::long_run::LongRun;

use super::MATTERS;

/// Batch means that the tests work on.
const BATCHES: usize = 200;
/// Parts of the window that noise is measured in.
const PARTS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DriftVerdict {
    /// How often a steady series looks at least as unsteady: the smaller of both tests, doubled.
    pub chance: f64,
    /// Between the lowest and the highest mean of a quarter, as a share of the overall mean.
    pub change: f64,
    /// From first to last along a straight line, as a share of the overall mean.
    pub slope: f64,
}

impl DriftVerdict {
    /// A change that is sure and that matters.
    pub fn drifts(&self, significance: f64) -> bool {
        self.chance < significance && self.change > MATTERS
    }
}

/// Values in the order of time.
pub fn test_for_drift(values: &[f64]) -> DriftVerdict {
    let batches = means(values, (values.len() / BATCHES).max(1));
    let chance = (2.0 * trend_chance(&batches).min(bridge_chance(&batches))).min(1.0);
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let share = |amount: f64| if mean == 0.0 { 0.0 } else { amount / mean.abs() };
    DriftVerdict {
        chance,
        change: share(range_of_quarters(values)),
        slope: share(line(&batches) * batches.len() as f64),
    }
}

fn range_of_quarters(values: &[f64]) -> f64 {
    let quarters = means(values, (values.len() / 4).max(1));
    let (low, high) = quarters.iter().fold((f64::MAX, f64::MIN), |(low, high), q| (low.min(*q), high.max(*q)));
    if quarters.is_empty() { 0.0 } else { high - low }
}

/// How likely a steady series shows a trend as clear as this one.
fn trend_chance(series: &[f64]) -> f64 {
    let n = series.len() as f64;
    if series.len() < 12 {
        return 1.0;
    }
    let score: f64 = series
        .iter()
        .enumerate()
        .map(|(i, earlier)| series[i + 1..].iter().map(|later| sign(later - earlier)).sum::<f64>())
        .sum();
    let inflation = quietest_part(series, |part| LongRun::of(&ranks(part)).map(|run| run.inflation.max(1.0)));
    let variance = n * (n - 1.0) * (2.0 * n + 5.0) / 18.0 * inflation.unwrap_or(1.0);
    let z = (score.abs() - 1.0).max(0.0) / variance.sqrt();
    2.0 * (1.0 - normal_cdf(z))
}

/// The smallest of a measure of noise in three parts, each without its straight line: what drifts or steps in one would be
/// taken for noise or memory, and hide itself.
fn quietest_part(series: &[f64], noise: impl Fn(&[f64]) -> Option<f64>) -> Option<f64> {
    let parts = series.chunks_exact((series.len() / PARTS).max(1));
    parts.filter_map(|part| noise(&without_line(part))).min_by(f64::total_cmp)
}

fn sign(value: f64) -> f64 {
    if value > 0.0 {
        1.0
    } else if value < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// The slope of the least-squares line, from value to value.
fn line(series: &[f64]) -> f64 {
    let n = series.len() as f64;
    let (centre, mean) = ((n - 1.0) / 2.0, series.iter().sum::<f64>() / n);
    let (mut cross, mut square) = (0.0, 0.0);
    for (i, value) in series.iter().enumerate() {
        cross += (i as f64 - centre) * (value - mean);
        square += (i as f64 - centre).powi(2);
    }
    if square > 0.0 { cross / square } else { 0.0 }
}

/// What that line leaves over.
fn without_line(series: &[f64]) -> Vec<f64> {
    let n = series.len() as f64;
    let (centre, mean, slope) = ((n - 1.0) / 2.0, series.iter().sum::<f64>() / n, line(series));
    series.iter().enumerate().map(|(i, value)| value - mean - slope * (i as f64 - centre)).collect()
}

fn ranks(series: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..series.len()).collect();
    order.sort_by(|a, b| series[*a].total_cmp(&series[*b]));
    let mut ranks = vec![0.0; series.len()];
    for (rank, index) in order.into_iter().enumerate() {
        ranks[index] = rank as f64;
    }
    ranks
}

/// How likely the cumulative sums of a steady series stray as far from their straight line: the Cramér–von Mises statistic of
/// a Brownian bridge.
fn bridge_chance(series: &[f64]) -> f64 {
    let n = series.len() as f64;
    let mean = series.iter().sum::<f64>() / n.max(1.0);
    let noise = quietest_part(series, |part| LongRun::of(part).map(|run| run.variance * run.inflation));
    let Some(noise) = noise.filter(|_| series.len() >= 12) else { return 1.0 };
    // The sums of a series without noise that is not flat stray without end.
    let scale = n * noise.max(f64::MIN_POSITIVE);
    let mut sum = 0.0;
    let strayed: f64 = series
        .iter()
        .map(|value| {
            sum += value - mean;
            sum * sum
        })
        .sum();
    cramer_von_mises_tail(strayed / (scale * n))
}

/// How likely the integral of a squared Brownian bridge exceeds `x` (Anderson and Darling 1952, equation 4.35). The
/// Bessel function of order 1/4 is replaced by its integral.
fn cramer_von_mises_tail(x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    // Below one in a million, where the series would need many terms.
    if x > 3.0 {
        return 0.0;
    }
    let term = |j: f64| {
        let odd = 4.0 * j + 1.0;
        let argument = odd * odd / (16.0 * x);
        let weight = (crate::distribution::ln_gamma(j + 0.5) - crate::distribution::ln_gamma(j + 1.0)).exp();
        weight * odd.sqrt() * (-argument).exp() * bessel_k_quarter(argument)
    };
    let below: f64 = (0..8).map(|j| term(f64::from(j))).sum::<f64>() / (std::f64::consts::PI.powf(1.5) * x.sqrt());
    (1.0 - below).clamp(0.0, 1.0)
}

/// K of order 1/4: the integral of exp(-x cosh t) cosh(t/4) over t from 0 (Abramowitz and Stegun 9.6.24), by trapezoids.
fn bessel_k_quarter(x: f64) -> f64 {
    const STEP: f64 = 0.01;
    let mut sum = 0.5 * (-x).exp();
    for step in 1..3000 {
        let t = f64::from(step) * STEP;
        let term = (-x * t.cosh()).exp() * (t / 4.0).cosh();
        sum += term;
        if term < sum * 1e-14 {
            break;
        }
    }
    sum * STEP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_that_of_the_printed_table() {
        // Anderson and Darling (1952), table 1.
        for (x, chance) in [(0.461_36, 0.05), (0.347_30, 0.10), (0.743_46, 0.01), (0.118_88, 0.5)] {
            assert!((cramer_von_mises_tail(x) - chance).abs() < 2e-4, "{x}: {}", cramer_von_mises_tail(x));
        }
    }

    #[test]
    fn a_drift_is_found_and_a_beat_is_none() {
        let beat: Vec<f64> = (0..1000).map(|i| 10.0 + f64::from(i * 37 % 11)).collect();
        assert!(!test_for_drift(&beat).drifts(0.05));
        let drift: Vec<f64> = beat.iter().enumerate().map(|(i, value)| value + i as f64 * 0.01).collect();
        assert!(test_for_drift(&drift).drifts(0.05));
    }

    #[test]
    fn a_change_that_is_sure_but_small_does_not_matter() {
        let drift: Vec<f64> = (0..1000).map(|i| 100.0 + f64::from(i % 3) * 0.01 + f64::from(i) * 0.001).collect();
        let verdict = test_for_drift(&drift);
        assert!(verdict.chance < 0.05 && !verdict.drifts(0.05), "{verdict:?}");
    }

    #[test]
    fn values_that_are_all_alike_do_not_drift() {
        assert!(!test_for_drift(&[5.0; 300]).drifts(0.05));
    }
}
