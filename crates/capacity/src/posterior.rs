//! The posterior of (capacity, slope) on a grid, with a monotone link.
//!
//! The log-odds of a violation at load `x` are `logit(allowed) + slope · ((x / capacity)^power − 1) / power`. A power of 1 is linear in
//! the load (M/M/1), a power of 0 in its logarithm (most batching servers); the grid averages over powers. Counts are
//! overdispersed: the log-likelihood of independent requests is divided by the design effect, and the uncertainty of the design
//! effect makes it a Student likelihood.

use aiperf_stats::distribution::normal_cdf;

use crate::design_effect::DesignEffect;

/// Powers with their prior weights. Simulated queues have 0 (continuous batching), 0.3 (M/D/1) and 1 (M/M/1).
const POWERS: [(f64, f64); 3] = [(-0.3, 0.25), (0.4, 0.4), (1.1, 0.35)];
const SLOPES: (f64, f64) = (0.7, 400.0);
/// Slopes are log-normal with this median and this standard deviation of the logarithm: 95 % lie between 1 and 130.
const SLOPE_PRIOR: (f64, f64) = (12.0, 1.2);
/// Points of the capacity and of the slope: of the grids that find the region of the posterior, and of the last grid.
const COARSE: (usize, usize) = (48, 16);
const FINE: (usize, usize) = (64, 20);
/// Grid points whose density is below this share of the highest are outside of the next, finer grid.
const NEGLIGIBLE: f64 = 1e-4;

/// Violations at one load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LevelCount {
    pub(crate) level: f64,
    pub(crate) requests: f64,
    pub(crate) violations: f64,
}

/// What close calls say about the slope. A longer limit reacts more strongly to the load than a shorter one, so violations react at least
/// as strongly as requests that exceed half of the limit. In a queue the logarithm of the share that waits longer than a time falls
/// linearly with that time, and steeper at a lower load, so violations react at most twice as strongly. A closed loop limits its queue, so
/// this does not hold for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CloseCallSlope {
    pub(crate) slope: f64,
    pub(crate) error: f64,
    /// The requests come in an open loop.
    pub(crate) is_open_loop: bool,
}

/// How much stronger violations can react to the load than requests that exceed half of the limit, with some room for other servers.
const STEEPEST: f64 = 2.2;

impl CloseCallSlope {
    /// How well a slope of the violations agrees.
    fn agrees(&self, slope: f64) -> f64 {
        let error = self.error.max(1e-6);
        let steep_enough = normal_cdf((slope - self.slope) / error);
        let flat_enough =
            if self.is_open_loop { normal_cdf((STEEPEST * self.slope - slope) / (STEEPEST * error)) } else { 1.0 };
        (steep_enough * flat_enough).max(1e-9)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Posterior {
    /// Capacities with their probabilities, in rising order.
    pub(crate) marginal: Vec<(f64, f64)>,
    pub(crate) slope: f64,
    /// The most probable capacity, slope and power, for expected counts.
    mode: LinkParameters,
    allowed_log_odds: f64,
}

#[derive(Debug, Clone, Copy)]
struct LinkParameters {
    log_capacity: f64,
    slope: f64,
    power: f64,
}

#[derive(Debug, Clone, Copy)]
struct Axis {
    low: f64,
    high: f64,
    points: usize,
}

impl Axis {
    fn step(self) -> f64 {
        (self.high - self.low) / (self.points - 1) as f64
    }

    fn values(self) -> impl Iterator<Item = f64> {
        (0..self.points).map(move |index| self.low + self.step() * index as f64)
    }

    /// The part of the axis that carries weight, with one step on each side.
    fn narrowed(self, weights: &[f64]) -> Self {
        let first = weights.iter().position(|&weight| weight > NEGLIGIBLE).unwrap_or(0).saturating_sub(1);
        let last = weights.iter().rposition(|&weight| weight > NEGLIGIBLE).unwrap_or(self.points - 1);
        let last = (last + 1).min(self.points - 1);
        Self { low: self.low + self.step() * first as f64, high: self.low + self.step() * last as f64, ..self }
    }
}

pub(crate) fn log_odds(share: f64) -> f64 {
    (share / (1.0 - share)).ln()
}

fn log_one_plus_exp(value: f64) -> f64 {
    if value > 0.0 { value + (-value).exp().ln_1p() } else { value.exp().ln_1p() }
}

impl LinkParameters {
    fn log_odds_at(self, log_level: f64, allowed_log_odds: f64) -> f64 {
        let distance = log_level - self.log_capacity;
        let stretched = (self.power * distance).exp_m1() / self.power;
        allowed_log_odds + self.slope * stretched
    }
}

impl Posterior {
    /// The posterior after these counts, for capacities in `range`. `added_events` is the prior of the rate of violations: 0.5 is Jeffreys'.
    pub(crate) fn new(
        counts: &[LevelCount],
        allowed_share: f64,
        range: (f64, f64),
        effect: DesignEffect,
        close_calls: Option<CloseCallSlope>,
        added_events: f64,
    ) -> Self {
        let allowed_log_odds = log_odds(allowed_share);
        let model = Model { counts, allowed_log_odds, effect, close_calls, added_events };
        let mut capacity = Axis { low: range.0.ln(), high: range.1.ln(), points: COARSE.0 };
        let mut slope = Axis { low: SLOPES.0.ln(), high: SLOPES.1.ln(), points: COARSE.1 };
        for _ in 0..3 {
            let grid = Grid::evaluate(&model, capacity, slope, &POWERS[1..2]);
            let widths = (capacity.high - capacity.low, slope.high - slope.low);
            capacity = capacity.narrowed(&relative(&grid.by_capacity));
            slope = slope.narrowed(&relative(&grid.by_slope));
            if capacity.high - capacity.low > 0.7 * widths.0 && slope.high - slope.low > 0.7 * widths.1 {
                break;
            }
        }
        (capacity.points, slope.points) = FINE;
        let grid = Grid::evaluate(&model, capacity, slope, &POWERS);
        let total: f64 = grid.by_capacity.iter().sum();
        let marginal =
            capacity.values().map(f64::exp).zip(grid.by_capacity.iter().map(|weight| weight / total)).collect();
        let mean_log_slope =
            slope.values().zip(&grid.by_slope).map(|(value, weight)| value * weight).sum::<f64>() / total;
        Self { marginal, slope: mean_log_slope.exp(), mode: grid.mode, allowed_log_odds }
    }

    /// The capacity below which the capacity lies with this probability.
    pub(crate) fn quantile(&self, probability: f64) -> f64 {
        let mut below = 0.0;
        let mut previous = self.marginal[0].0;
        for (index, &(capacity, weight)) in self.marginal.iter().enumerate() {
            // Each point stands for the stretch from the middle of its gap on the left to the middle of its gap on the right.
            let next = self.marginal.get(index + 1).map_or(capacity, |point| f64::midpoint(point.0, capacity));
            if below + weight >= probability {
                return previous + (next - previous) * ((probability - below) / weight).clamp(0.0, 1.0);
            }
            below += weight;
            previous = next;
        }
        previous
    }

    /// How likely the capacity is below `level`.
    pub(crate) fn below(&self, level: f64) -> f64 {
        let mut below = 0.0;
        let mut left = self.marginal[0].0;
        for (index, &(capacity, weight)) in self.marginal.iter().enumerate() {
            let right = self.marginal.get(index + 1).map_or(capacity, |point| f64::midpoint(point.0, capacity));
            if right > level {
                return below + weight * ((level - left) / (right - left)).clamp(0.0, 1.0);
            }
            below += weight;
            left = right;
        }
        below.min(1.0)
    }

    /// The most probable share of violations at a load.
    pub(crate) fn share_at(&self, level: f64) -> f64 {
        let odds = self.mode.log_odds_at(level.ln(), self.allowed_log_odds).clamp(-20.0, 20.0).exp();
        odds / (1.0 + odds)
    }
}

/// What the density follows from.
#[derive(Debug)]
struct Model<'a> {
    counts: &'a [LevelCount],
    allowed_log_odds: f64,
    effect: DesignEffect,
    close_calls: Option<CloseCallSlope>,
    added_events: f64,
}

impl Model<'_> {
    fn slope_prior(&self, log_slope: f64) -> f64 {
        let away = (log_slope - SLOPE_PRIOR.0.ln()) / SLOPE_PRIOR.1;
        let agrees = self.close_calls.map_or(1.0, |close_calls| close_calls.agrees(log_slope.exp()));
        (-0.5 * away * away).exp() * agrees
    }
}

/// Log densities on the grid, summed along each axis.
#[derive(Debug)]
struct Grid {
    by_capacity: Vec<f64>,
    by_slope: Vec<f64>,
    mode: LinkParameters,
}

impl Grid {
    fn evaluate(model: &Model<'_>, capacity: Axis, slope: Axis, powers: &[(f64, f64)]) -> Self {
        let Model { counts, allowed_log_odds: allowed, effect, .. } = *model;
        let violations: f64 = counts.iter().map(|count| count.violations).sum();
        let weight_of = |count: &LevelCount| if violations > 0.0 { count.violations } else { count.requests };
        let weights: f64 = counts.iter().map(weight_of).sum();
        let usual = counts.iter().map(|count| count.level.ln() * weight_of(count)).sum::<f64>() / weights.max(1e-9);
        let log_levels: Vec<f64> = counts.iter().map(|count| count.level.ln()).collect();
        let slopes: Vec<(f64, f64)> =
            slope.values().map(|log_slope| (log_slope.exp(), model.slope_prior(log_slope))).collect();
        let mut points = Vec::with_capacity(capacity.points * slope.points * powers.len());
        let mut highest = f64::NEG_INFINITY;
        let mut stretched = vec![0.0; counts.len()];
        for (row, log_capacity) in capacity.values().enumerate() {
            for &(power, power_prior) in powers {
                let stretch = |log_level: f64| (power * (log_level - log_capacity)).exp_m1() / power;
                for (value, log_level) in stretched.iter_mut().zip(&log_levels) {
                    *value = stretch(*log_level);
                }
                let usual = stretch(usual);
                for (column, &(slope, slope_prior)) in slopes.iter().enumerate() {
                    let point = LinkParameters { log_capacity, slope, power };
                    // Without half an event more, few bursts give too high a capacity.
                    let odds = allowed + slope * usual;
                    let rare = (model.added_events * (odds - log_one_plus_exp(odds))).exp();
                    let prior = slope_prior * power_prior * rare;
                    let log_likelihood: f64 = counts
                        .iter()
                        .zip(&stretched)
                        .map(|(count, stretched)| {
                            let odds = allowed + slope * stretched;
                            count.violations * odds - count.requests * log_one_plus_exp(odds)
                        })
                        .sum();
                    highest = highest.max(log_likelihood);
                    points.push((row, column, point, prior, log_likelihood));
                }
            }
        }
        let mut by_capacity = vec![0.0; capacity.points];
        let mut by_slope = vec![0.0; slope.points];
        let mut best = (f64::NEG_INFINITY, points[0].2);
        for (row, column, point, prior, log_likelihood) in points {
            // Integrating the design effect over its scaled inverse chi-squared posterior turns the quasi-likelihood into Student's.
            let deviance = 2.0 * (highest - log_likelihood) / effect.value;
            let weight = prior * (-(effect.freedom + 1.0) / 2.0 * (deviance / effect.freedom).ln_1p()).exp();
            by_capacity[row] += weight;
            by_slope[column] += weight;
            if weight > best.0 {
                best = (weight, point);
            }
        }
        Self { by_capacity, by_slope, mode: best.1 }
    }
}

fn relative(weights: &[f64]) -> Vec<f64> {
    let highest = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    weights.iter().map(|weight| weight / highest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(requests: f64) -> Vec<LevelCount> {
        // A server with a capacity of 10, a slope of 6 and a power of 0.4.
        [8.5, 9.5, 10.5, 11.5]
            .map(|level: f64| {
                let truth = LinkParameters { log_capacity: 10.0_f64.ln(), slope: 6.0, power: 0.4 };
                let odds = truth.log_odds_at(level.ln(), log_odds(0.01)).exp();
                LevelCount { level, requests, violations: requests * odds / (1.0 + odds) }
            })
            .to_vec()
    }

    fn posterior(requests: f64, effect: f64) -> Posterior {
        let effect = DesignEffect { value: effect, freedom: 50.0, block_requests: 10 };
        Posterior::new(&counts(requests), 0.01, (1.0, 40.0), effect, None, 0.5)
    }

    #[test]
    fn the_interval_holds_the_capacity_and_narrows_with_the_root_of_the_requests() {
        let width = |posterior: &Posterior| posterior.quantile(0.975) - posterior.quantile(0.025);
        let (few, many) = (posterior(10_000.0, 10.0), posterior(160_000.0, 10.0));
        for posterior in [&few, &many] {
            assert!(posterior.quantile(0.025) < 10.0 && posterior.quantile(0.975) > 10.0);
        }
        assert!((many.quantile(0.5) / 10.0 - 1.0).abs() < 0.01);
        let ratio = width(&few) / width(&many);
        assert!((3.0..6.0).contains(&ratio), "{ratio}");
    }

    #[test]
    fn a_design_effect_of_four_is_worth_a_quarter_of_the_requests() {
        let (dependent, fewer) = (posterior(80_000.0, 4.0), posterior(20_000.0, 1.0));
        assert!((dependent.quantile(0.025) / fewer.quantile(0.025) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn quantiles_and_probabilities_are_inverse() {
        let posterior = posterior(20_000.0, 10.0);
        for probability in [0.05, 0.3, 0.5, 0.9] {
            assert!((posterior.below(posterior.quantile(probability)) - probability).abs() < 1e-6);
        }
    }

    #[test]
    fn the_share_at_the_capacity_is_the_allowed_share() {
        let posterior = posterior(160_000.0, 1.0);
        assert!((posterior.share_at(10.0) / 0.01 - 1.0).abs() < 0.1);
    }
}
