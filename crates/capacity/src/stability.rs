//! Does the capacity stay the same during the search? Violation shares are regressed on the load and on time: a trend is drift, and a
//! slow beginning is warming.

use serde::{Deserialize, Serialize};

use crate::posterior::log_odds;

/// Scores beyond these are findings. The second is higher because it is the largest of many.
const TREND_SCORE: f64 = 3.5;
const BREAK_SCORE: f64 = 4.2;
/// Fewer steps than this say nothing about time.
const MIN_STEPS: usize = 6;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum StabilityFinding {
    Stable,
    /// The beginning of the search differs from the rest, and the rest is stable. Steps before `until_s` are not used.
    Warming {
        until_s: f64,
        score: f64,
    },
    /// The capacity changes all the time, by this share each hour.
    Drift {
        change_per_hour: f64,
        score: f64,
    },
}

/// The violations of one step near the capacity.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimedCount {
    pub(crate) at_s: f64,
    pub(crate) log_level: f64,
    pub(crate) requests: f64,
    pub(crate) violations: f64,
}

/// `effect` is the design effect at the capacity.
pub(crate) fn stability(steps: &[TimedCount], effect: f64) -> StabilityFinding {
    let Some((cut, score)) = strongest_break(steps, effect) else { return StabilityFinding::Stable };
    let whole = trend(steps, effect);
    if score.abs() < BREAK_SCORE && whole.is_none_or(|trend| trend.score.abs() < TREND_SCORE) {
        return StabilityFinding::Stable;
    }
    // Violations that become rarer after an early break are a server that warms up, if nothing changes after it.
    let rest = trend(&steps[cut..], effect);
    let rest_stable = rest.is_none_or(|trend| trend.score.abs() < TREND_SCORE - 1.0);
    let early = steps[cut].at_s - steps[0].at_s < 0.5 * (steps[steps.len() - 1].at_s - steps[0].at_s);
    if score < 0.0 && score.abs() >= BREAK_SCORE && early && rest_stable {
        return StabilityFinding::Warming { until_s: steps[cut].at_s, score };
    }
    whole.map_or(StabilityFinding::Stable, |trend| StabilityFinding::Drift {
        change_per_hour: trend.change_per_hour,
        score: trend.score,
    })
}

/// The step from which on violations differ most from those before, and by how many standard errors.
fn strongest_break(steps: &[TimedCount], effect: f64) -> Option<(usize, f64)> {
    if steps.len() < MIN_STEPS {
        return None;
    }
    (2..=steps.len() - 2)
        .filter_map(|cut| {
            let after: Vec<f64> = (0..steps.len()).map(|index| f64::from(u8::from(index >= cut))).collect();
            let fit = regression(steps, &after)?;
            Some((cut, fit.coefficient / (fit.error * effect.sqrt())))
        })
        .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
}

#[derive(Debug, Clone, Copy)]
struct Trend {
    change_per_hour: f64,
    score: f64,
}

fn trend(steps: &[TimedCount], effect: f64) -> Option<Trend> {
    if steps.len() < MIN_STEPS {
        return None;
    }
    let hours: Vec<f64> = steps.iter().map(|step| (step.at_s - steps[0].at_s) / 3_600.0).collect();
    let fit = regression(steps, &hours)?;
    Some(Trend {
        change_per_hour: -fit.coefficient / fit.slope.max(0.5),
        score: fit.coefficient / (fit.error * effect.sqrt()),
    })
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Regression {
    beta: [f64; 3],
    centre: f64,
    pub(crate) slope: f64,
    /// The standard error of the slope for independent requests.
    pub(crate) slope_error: f64,
    coefficient: f64,
    /// The standard error of the coefficient for independent requests.
    error: f64,
}

impl Regression {
    /// The share of violations that the regression expects.
    pub(crate) fn share_at(&self, log_level: f64, covariate: f64) -> f64 {
        let [constant, slope, coefficient] = self.beta;
        let linear = constant + slope * (log_level - self.centre) + coefficient * covariate;
        1.0 / (1.0 + (-linear.clamp(-15.0, 15.0)).exp())
    }
}

/// A logistic regression of violations on the logarithm of the load and one more covariate, by iterated weighted least squares.
pub(crate) fn regression(steps: &[TimedCount], covariate: &[f64]) -> Option<Regression> {
    let total: f64 = steps.iter().map(|step| step.requests).sum();
    let share = (steps.iter().map(|step| step.violations).sum::<f64>() + 0.5) / (total + 1.0);
    let centre = steps.iter().map(|step| step.log_level * step.requests).sum::<f64>() / total;
    let mut beta = [log_odds(share), 5.0, 0.0];
    let mut inverse = [[0.0; 3]; 3];
    for _ in 0..25 {
        let mut information = [[0.0; 3]; 3];
        let mut score = [0.0; 3];
        for (step, &extra) in steps.iter().zip(covariate) {
            let row = [1.0, step.log_level - centre, extra];
            let linear: f64 = row.iter().zip(&beta).map(|(x, b)| x * b).sum();
            let p = 1.0 / (1.0 + (-linear.clamp(-15.0, 15.0)).exp());
            for i in 0..3 {
                score[i] += row[i] * (step.violations - step.requests * p);
                for j in 0..3 {
                    information[i][j] += row[i] * row[j] * step.requests * p * (1.0 - p);
                }
            }
        }
        // A weak prior keeps the fit finite when the levels or the counts do not determine it.
        information[1][1] += 0.05;
        score[1] += 0.05 * (5.0 - beta[1]);
        information[2][2] += 1e-6;
        inverse = inverted(&information)?;
        let mut largest = 0.0_f64;
        for i in 0..3 {
            let change: f64 = (0..3).map(|j| inverse[i][j] * score[j]).sum::<f64>().clamp(-3.0, 3.0);
            beta[i] += change;
            largest = largest.max(change.abs());
        }
        if largest < 1e-6 {
            break;
        }
    }
    Some(Regression {
        beta,
        centre,
        slope: beta[1],
        slope_error: inverse[1][1].max(0.0).sqrt(),
        coefficient: beta[2],
        error: inverse[2][2].max(0.0).sqrt(),
    })
}

fn inverted(m: &[[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let minor = |a: usize, b: usize, c: usize, d: usize| m[a][b] * m[c][d] - m[a][d] * m[c][b];
    let determinant = m[0][0] * minor(1, 1, 2, 2) - m[0][1] * minor(1, 0, 2, 2) + m[0][2] * minor(1, 0, 2, 1);
    if determinant.abs() < 1e-18 {
        return None;
    }
    let mut inverse = [
        [minor(1, 1, 2, 2), -minor(0, 1, 2, 2), minor(0, 1, 1, 2)],
        [-minor(1, 0, 2, 2), minor(0, 0, 2, 2), -minor(0, 0, 1, 2)],
        [minor(1, 0, 2, 1), -minor(0, 0, 2, 1), minor(0, 0, 1, 1)],
    ];
    inverse.iter_mut().flatten().for_each(|value| *value /= determinant);
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps that alternate around a rate of 10, on a server whose violations change with the hours.
    fn steps(change_per_hour: impl Fn(f64) -> f64) -> Vec<TimedCount> {
        (0..20)
            .map(|index| {
                let hours = f64::from(index) * 0.2;
                let log_level = if index % 2 == 0 { 10.5_f64.ln() } else { 9.5_f64.ln() };
                let share = 0.01 * (6.0 * (log_level - 10.0_f64.ln()) + change_per_hour(hours)).exp();
                TimedCount { at_s: hours * 3_600.0, log_level, requests: 5_000.0, violations: 5_000.0 * share }
            })
            .collect()
    }

    #[test]
    fn a_stable_server_is_stable() {
        assert_eq!(stability(&steps(|_| 0.0), 10.0), StabilityFinding::Stable);
    }

    #[test]
    fn a_trend_is_drift_with_its_size() {
        let StabilityFinding::Drift { change_per_hour, .. } = stability(&steps(|hours| 0.6 * hours), 10.0) else {
            panic!("a trend of 0.6 in log-odds per hour is a drift");
        };
        assert!((change_per_hour + 0.1).abs() < 0.02, "{change_per_hour}");
    }

    #[test]
    fn a_slow_beginning_is_warming() {
        let finding = stability(&steps(|hours| if hours < 0.7 { 2.0 } else { 0.0 }), 10.0);
        assert!(
            matches!(finding, StabilityFinding::Warming { until_s, .. } if (until_s - 2_880.0).abs() < 1.0),
            "{finding:?}"
        );
    }
}
