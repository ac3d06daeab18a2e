//! Power before the run.

use aiperf_clock::Mono;

/// Mean of a power gauge before the first request; `None` if it had no reading until then.
pub fn idle_power(points: impl Iterator<Item = (Mono, f64)>, first_request: Mono) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for (_, watts) in points.take_while(|(at, _)| *at < first_request) {
        sum += watts;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_readings_before_the_first_request_count() {
        let points = [(1, 70.0), (2, 80.0), (10, 600.0)].map(|(at, watts)| (Mono::from_nanos(at), watts));
        assert_eq!(idle_power(points.into_iter(), Mono::from_nanos(5)), Some(75.0));
        assert_eq!(idle_power(points.into_iter(), Mono::from_nanos(1)), None);
    }
}
