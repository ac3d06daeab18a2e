//! The times at which values were new, with how far off those times may be.

use aiperf_clock::{Mono, Nanos};

/// A value and the time at which it was true, in seconds from the start of the window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Anchor {
    pub(super) at: f64,
    pub(super) value: f64,
    /// Error of the time in seconds, to either side.
    pub(super) uncertainty: f64,
}

/// Seconds from `origin`; negative before it.
pub(super) fn seconds(at: Mono, origin: Mono) -> f64 {
    (i128::from(at.as_nanos()) - i128::from(origin.as_nanos())) as f64 / 1e9
}

/// The readings at which the value was new. A value that is new at a reading became true after the reading before it, and not
/// longer ago than the source takes to renew it.
pub(super) fn anchors(
    points: impl Iterator<Item = (Mono, f64)>,
    origin: Mono,
    is_new: impl Fn(Mono, f64, f64) -> bool,
    renewal: Option<Nanos>,
) -> Vec<Anchor> {
    let mut found = Vec::new();
    let mut before: Option<(Mono, f64)> = None;
    for (at, value) in points {
        if let Some((earlier, old)) = before
            && is_new(at, old, value)
        {
            let age = at.since(earlier).min(renewal.unwrap_or(Nanos(u64::MAX))).as_secs_f64();
            found.push(Anchor { at: seconds(at, origin) - age / 2.0, value, uncertainty: age / 2.0 });
        }
        before = Some((at, value));
    }
    found
}

/// Readings that show how often a value is renewed.
const ENOUGH: usize = 3;
/// If every reading is new, this many of the shortest times between readings bound the renewal.
const SHORTEST: usize = 5;

/// The longest time between two new values, as far as readings were dense enough to see it: at least one reading in between had nothing new.
/// If nearly every reading had a new value, the renewal takes no longer than the time between the densest readings.
pub(super) fn renewal_interval(points: impl Iterator<Item = (Mono, f64)>) -> Option<Nanos> {
    let (mut resolved, mut between_readings) = (Vec::new(), Vec::new());
    // When a new value was first read, and how long before that the value may have become true.
    let mut last_change: Option<(Mono, Nanos)> = None;
    let mut unchanged = 0;
    let mut before: Option<(Mono, f64)> = None;
    for (at, value) in points {
        match before {
            Some((_, old)) if old.to_bits() == value.to_bits() => unchanged += 1,
            Some((earlier, _)) => {
                between_readings.push(at.since(earlier));
                if let Some((changed, gap)) = last_change.filter(|_| unchanged > 0) {
                    resolved.push(at.since(changed) + gap);
                }
                last_change = Some((at, at.since(earlier)));
                unchanged = 0;
            }
            None => {}
        }
        before = Some((at, value));
    }
    resolved.sort_unstable();
    between_readings.sort_unstable();
    let median = (resolved.len() >= ENOUGH).then(|| resolved[resolved.len() / 2]);
    median.or_else(|| between_readings.get(SHORTEST - 1).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn read_every(step: u64, renewed_every: u64, length: u64) -> Vec<(Mono, f64)> {
        (0..length).step_by(step as usize).map(|ms| (Mono::from_nanos(ms * MS), (ms / renewed_every) as f64)).collect()
    }

    #[test]
    fn dense_readings_tell_how_often_a_value_is_renewed() {
        let interval = renewal_interval(read_every(40, 100, 2_000).into_iter()).unwrap();
        // Not shorter than it is, and longer by the time between two readings at each end at most.
        assert!((100 * MS..=180 * MS).contains(&interval.0), "{interval:?}");
        assert_eq!(renewal_interval(read_every(333, 100, 20_000).into_iter()), Some(Nanos(333 * MS)));
        assert_eq!(renewal_interval(read_every(333, 30_000, 20_000).into_iter()), None);
    }

    #[test]
    fn the_age_of_a_new_value_is_bounded_by_the_reading_before_it() {
        let points = read_every(40, 100, 500).into_iter();
        let found = anchors(points, Mono::from_nanos(0), |_, old, new| old.to_bits() != new.to_bits(), None);
        assert_eq!(found.len(), 4);
        for (anchor, truth) in found.iter().zip([0.1, 0.2, 0.3, 0.4]) {
            assert!((anchor.at - truth).abs() <= anchor.uncertainty + 1e-9, "{anchor:?} {truth}");
            assert!((anchor.uncertainty - 0.02).abs() < 1e-9);
        }
    }
}
