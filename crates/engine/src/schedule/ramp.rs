//! When a limit that grows step by step takes each of its steps.

use aiperf_clock::Nanos;
use aiperf_config::{Ramp, RampShape};
use aiperf_seed::Seed;

/// For a limit that grows from one to `target`: the times at which it becomes two, three and so on.
pub(crate) fn step_times(target: usize, ramp: Ramp, seed: Seed) -> Vec<Nanos> {
    progress_times(target.saturating_sub(1), ramp, seed)
}

/// The times at which each of `steps` equal steps of progress is reached; the last one at the end of the ramp.
pub(super) fn progress_times(steps: usize, ramp: Ramp, seed: Seed) -> Vec<Nanos> {
    let length_s = ramp.duration.as_secs_f64();
    let at = |share: f64| Nanos::from_secs_f64(length_s * share);
    let even = (1..=steps).map(|step| step as f64 / steps as f64);
    match ramp.shape {
        RampShape::Linear => even.map(at).collect(),
        RampShape::Exponential => even.map(|progress| at(progress.sqrt())).collect(),
        RampShape::Poisson => {
            let mut draws = seed.stream("timing.ramp.poisson");
            let mut elapsed = 0.0;
            let times: Vec<f64> = (0..steps)
                .map(|_| {
                    elapsed += draws.exponential(1.0);
                    elapsed
                })
                .collect();
            times.into_iter().map(|time| at(time / elapsed)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn seconds(target: usize, shape: RampShape) -> Vec<f64> {
        let ramp = Ramp { duration: Duration::from_secs(8), shape };
        step_times(target, ramp, Seed::fixed(2)).into_iter().map(Nanos::as_secs_f64).collect()
    }

    #[test]
    fn a_linear_ramp_takes_even_steps() {
        assert_eq!(seconds(5, RampShape::Linear), [2.0, 4.0, 6.0, 8.0]);
        assert!(seconds(1, RampShape::Linear).is_empty());
    }

    #[test]
    fn an_exponential_ramp_takes_its_steps_late() {
        let first = seconds(5, RampShape::Exponential)[0];
        assert!((first - 4.0).abs() < 1e-9, "a quarter of the way after half the time: {first}");
    }

    #[test]
    fn a_poisson_ramp_takes_all_steps_within_its_time() {
        let steps = seconds(50, RampShape::Poisson);
        assert_eq!(steps.len(), 49);
        assert!(steps.is_sorted() && steps[0] > 0.0);
        assert!((steps[48] - 8.0).abs() < 1e-9);
    }
}
