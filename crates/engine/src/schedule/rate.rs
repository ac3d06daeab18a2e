//! The rate over time, cumulated and inverted: when has a given number of requests come due?

use std::time::Duration;

use aiperf_config::{Ramp, RampShape, RateCurve};
use aiperf_seed::Seed;

use super::ramp::progress_times;

/// Straight pieces that approximate a curved ramp.
const CURVE_PIECES: usize = 256;

/// A rate that is linear between points and constant after the last one.
#[derive(Debug, Clone)]
pub(crate) struct RateFunction {
    /// In order of time; the first is at time zero.
    points: Vec<CurvePoint>,
}

#[derive(Debug, Clone, Copy)]
struct CurvePoint {
    at_s: f64,
    per_second: f64,
    /// Requests that have come due until this point.
    before: f64,
}

impl RateFunction {
    /// A rate ramp begins at its target rate times `ramp_interval` divided by the duration of the ramp.
    pub(crate) fn new(curve: &RateCurve, ramp_interval: Duration, seed: Seed) -> Self {
        let first = curve.points.first().map_or(1.0, |point| point.per_second);
        let mut points = Vec::new();
        let mut zero_s = 0.0;
        if let Some(ramp) = curve.ramp {
            let begin = first * (ramp_interval.as_secs_f64() / ramp.duration.as_secs_f64()).min(1.0);
            points = ramp_points(ramp, begin, first, ramp_interval, seed);
            zero_s = ramp.duration.as_secs_f64();
        } else {
            points.push((0.0, first));
        }
        points.extend(curve.points.iter().map(|point| (zero_s + point.at.as_secs_f64(), point.per_second)));
        Self::through(&points)
    }

    fn through(points: &[(f64, f64)]) -> Self {
        let mut cumulated: Vec<CurvePoint> = Vec::new();
        for &(at_s, per_second) in points {
            let before = cumulated.last().map_or(0.0, |last| {
                let span = at_s - last.at_s;
                // A jump adds nothing, not even at an infinite rate.
                last.before + if span > 0.0 { span * f64::midpoint(last.per_second, per_second) } else { 0.0 }
            });
            cumulated.push(CurvePoint { at_s, per_second, before });
        }
        Self { points: cumulated }
    }

    /// When `count` requests have come due, in seconds.
    pub(crate) fn time_of(&self, count: f64) -> f64 {
        let next = self.points.partition_point(|point| point.before <= count);
        let Some(from) = self.points[..next].last() else { return 0.0 };
        let left = count - from.before;
        let slope = self.points.get(next).map_or(0.0, |to| {
            let span = to.at_s - from.at_s;
            if span > 0.0 { (to.per_second - from.per_second) / span } else { 0.0 }
        });
        // The root of slope/2 x^2 + rate x = left, in the form that does not cancel when the slope is small.
        let rate = from.per_second;
        from.at_s + 2.0 * left / (rate + (rate * rate + 2.0 * slope * left).max(0.0).sqrt())
    }
}

fn ramp_points(ramp: Ramp, begin: f64, target: f64, interval: Duration, seed: Seed) -> Vec<(f64, f64)> {
    let length_s = ramp.duration.as_secs_f64();
    let between = |progress: f64| begin + (target - begin) * progress;
    match ramp.shape {
        RampShape::Linear => vec![(0.0, begin), (length_s, target)],
        RampShape::Exponential => (0..=CURVE_PIECES)
            .map(|piece| {
                let time = piece as f64 / CURVE_PIECES as f64;
                (time * length_s, between(time * time))
            })
            .collect(),
        RampShape::Poisson => {
            let steps = (length_s / interval.as_secs_f64()).ceil().max(1.0) as usize;
            let mut points = vec![(0.0, begin)];
            for (step, time) in progress_times(steps, ramp, seed).into_iter().enumerate() {
                let (low, high) = (between(step as f64 / steps as f64), between((step + 1) as f64 / steps as f64));
                points.push((time.as_secs_f64(), low));
                points.push((time.as_secs_f64(), high));
            }
            points
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ramp(shape: RampShape) -> RateFunction {
        let ramp = Ramp { duration: Duration::from_secs(10), shape };
        let curve = RateCurve { ramp: Some(ramp), ..RateCurve::constant(100.0) };
        RateFunction::new(&curve, Duration::from_millis(100), Seed::fixed(4))
    }

    #[test]
    fn a_linear_ramp_begins_at_its_interval_and_sends_the_area_under_it() {
        let rate = ramp(RampShape::Linear);
        assert!((rate.points[0].per_second - 1.0).abs() < 1e-9);
        // (1 + 100) / 2 * 10 s
        assert!((rate.time_of(505.0) - 10.0).abs() < 1e-9);
        assert!((rate.time_of(605.0) - 11.0).abs() < 1e-9, "then the target rate");
    }

    #[test]
    fn an_exponential_ramp_sends_less_at_first() {
        let (linear, curved) = (ramp(RampShape::Linear), ramp(RampShape::Exponential));
        assert!(curved.time_of(50.0) > linear.time_of(50.0));
        // 1 * 10 + 99 * 10 / 3, as long as the pieces follow the curve.
        assert!((curved.time_of(340.0) - 10.0).abs() < 1e-3, "{}", curved.time_of(340.0));
    }

    #[test]
    fn a_poisson_ramp_ends_at_its_target() {
        let rate = ramp(RampShape::Poisson);
        let last = rate.points.last().unwrap();
        assert!((last.at_s - 10.0).abs() < 1e-6 && (last.per_second - 100.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn due_times_never_go_back(
            rates in prop::collection::vec(0.1_f64..500.0, 1..6),
            counts in prop::collection::vec(0.0_f64..2_000.0, 2..40),
        ) {
            let points: Vec<(f64, f64)> = rates.iter().enumerate().map(|(i, r)| (i as f64 * 1.5, *r)).collect();
            let rate = RateFunction::through(&points);
            let mut counts = counts;
            counts.sort_by(f64::total_cmp);
            let times: Vec<f64> = counts.iter().map(|c| rate.time_of(*c)).collect();
            prop_assert!(times.is_sorted(), "{times:?}");
            prop_assert!(times.iter().all(|t| t.is_finite() && *t >= 0.0));
        }
    }
}
