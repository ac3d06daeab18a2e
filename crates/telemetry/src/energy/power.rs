//! Energy from the integral of a power gauge.

use aiperf_clock::{Mono, Nanos};

use crate::energy::anchor::seconds;
use crate::energy::{EnergyEstimate, EnergyMethod, NoEnergy, PowerRange};
use crate::series::Window;

/// Fewer values than this in the window say nothing about how much power varies.
const LEAST_VALUES: usize = 4;
/// Two-sided 95 % of a normal distribution.
const NORMAL_95: f64 = 1.96;

/// The integral of a power gauge over a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerIntegral {
    pub estimate: EnergyEstimate,
    /// The integral divided by the length of the window.
    pub mean_watts: f64,
}

/// Integrates over the window, in straight lines between new values. `points`: the gauge in watts at readings at which the
/// source had new values.
///
/// What power did between two values is unknown: each piece may be off by a part of the difference of its values, to either
/// side. The pieces at the ends of the window may be off by all that the GPU was seen to vary.
pub fn from_power(points: impl Iterator<Item = (Mono, f64)>, window: Window) -> Result<PowerIntegral, NoEnergy> {
    let end = window.length().as_secs_f64();
    let found: Vec<(f64, f64)> = points.map(|(at, watts)| (seconds(at, window.start()), watts)).collect();
    let range = PowerRange::of(found.iter().map(|(_, watts)| *watts)).ok_or(NoEnergy::NotReported)?;
    let inside = found.iter().filter(|(at, _)| (0.0..=end).contains(at)).count();
    if inside < LEAST_VALUES || end <= 0.0 {
        return Err(NoEnergy::TooFewValues);
    }
    let mut joules = 0.0;
    let mut variance = 0.0;
    let mut at_ends = 0.0;
    let (first, last) = (found[0], found[found.len() - 1]);
    // Before the first and after the last value, the nearest one holds.
    if first.0 > 0.0 {
        joules += first.1 * first.0;
        at_ends += range.width() * first.0;
    }
    if last.0 < end {
        joules += last.1 * (end - last.0);
        at_ends += range.width() * (end - last.0);
    }
    for pair in found.windows(2) {
        let ((a, from), (b, to)) = (pair[0], pair[1]);
        let (left, right) = (a.max(0.0), b.min(end));
        if right <= left {
            continue;
        }
        let at = |time: f64| from + (to - from) * (time - a) / (b - a);
        joules += f64::midpoint(at(left), at(right)) * (right - left);
        if a < 0.0 || b > end {
            at_ends += range.width() * (right - left) / 2.0;
        } else {
            variance += ((to - from) * (b - a)).powi(2) / 12.0;
        }
    }
    let error = at_ends + NORMAL_95 * variance.sqrt();
    let estimate = EnergyEstimate { joules, error, method: EnergyMethod::IntegratedPower };
    Ok(PowerIntegral { estimate, mean_watts: joules / end })
}

/// An estimate that is exact enough, or why it is not.
pub(super) fn exact_enough(
    estimate: EnergyEstimate,
    interval: Nanos,
    window: Window,
) -> Result<EnergyEstimate, NoEnergy> {
    let error = estimate.relative_error();
    if error <= crate::energy::LIMIT {
        Ok(estimate)
    } else {
        Err(NoEnergy::TooUncertain { error, interval, window: window.length() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn window(length: u64) -> Window {
        Window::new(Mono::from_nanos(2_000 * MS), Mono::from_nanos((2_000 + length) * MS))
    }

    fn gauge(step: u64, until: u64, power: impl Fn(f64) -> f64) -> Vec<(Mono, f64)> {
        (0..until).step_by(step as usize).map(|ms| (Mono::from_nanos(ms * MS), power(ms as f64 / 1e3))).collect()
    }

    #[test]
    fn a_wave_is_integrated_within_its_error() {
        let wave = |s: f64| 500.0 + 150.0 * (s * 2.1).sin();
        let found = from_power(gauge(333, 40_000, wave).into_iter(), window(30_000)).unwrap();
        let truth = 500.0 * 30.0 + 150.0 / 2.1 * ((2.0 * 2.1_f64).cos() - (32.0 * 2.1_f64).cos());
        assert!((found.estimate.joules - truth).abs() < found.estimate.error, "{found:?} {truth}");
        assert!(found.estimate.relative_error() < 0.02, "{found:?}");
        assert!((found.mean_watts - truth / 30.0).abs() < 5.0);
    }

    #[test]
    fn constant_power_is_exact() {
        let found = from_power(gauge(500, 20_000, |_| 300.0).into_iter(), window(10_000)).unwrap();
        assert!((found.estimate.joules - 3_000.0).abs() < 1e-6 && found.estimate.error < 1e-6, "{found:?}");
    }

    #[test]
    fn two_values_in_a_minute_are_too_few() {
        let found = from_power(gauge(30_000, 90_000, |_| 300.0).into_iter(), window(60_000));
        assert_eq!(found, Err(NoEnergy::TooFewValues));
        assert_eq!(from_power(std::iter::empty(), window(1)), Err(NoEnergy::NotReported));
    }
}
