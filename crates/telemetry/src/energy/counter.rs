//! Energy from a counter.

use aiperf_clock::Mono;

use crate::energy::anchor::{Anchor, anchors, renewal_interval};
use crate::energy::{EnergyEstimate, EnergyMethod, NoEnergy, PowerRange};
use crate::series::Window;

/// The energy that a counter gained in a window. `points`: its readings in joules; `power`: what the gauge of the same GPU read.
///
/// The counter is interpolated at both ends of the window. Two things are uncertain there: power may have changed between the two
/// values around the end, within what the GPU was seen to draw, and the time of a value is known only to within its renewal.
pub fn from_counter(
    points: impl Iterator<Item = (Mono, f64)> + Clone,
    window: Window,
    power: Option<PowerRange>,
) -> Result<EnergyEstimate, NoEnergy> {
    let readings: Vec<f64> = points.clone().map(|(_, value)| value).collect();
    if readings.is_empty() {
        return Err(NoEnergy::NotReported);
    }
    if readings.windows(2).any(|pair| pair[1] < pair[0]) {
        return Err(NoEnergy::Reset);
    }
    let renewal = renewal_interval(points.clone());
    let changed = |_, old: f64, new: f64| new > old;
    let found = anchors(points, window.start(), changed, renewal);
    if found.len() < 2 {
        return Err(NoEnergy::TooFewValues);
    }
    let slopes = found.windows(2).filter_map(|pair| slope(pair[0], pair[1]));
    let mean_powers = PowerRange::of(slopes).ok_or(NoEnergy::TooFewValues)?;
    let range = match power {
        Some(gauge) => mean_powers.joined(Some(gauge)),
        // Nobody saw the power between two values: it may have been zero, or twice the highest mean.
        None => PowerRange { low: 0.0, high: 2.0 * mean_powers.high },
    };
    let (at_start, start_error) = value_at(&found, 0.0, range);
    let (at_end, end_error) = value_at(&found, window.length().as_secs_f64(), range);
    let joules = (at_end - at_start).max(0.0);
    Ok(EnergyEstimate { joules, error: start_error + end_error, method: EnergyMethod::Counter })
}

/// Mean power between two values; `None` if their times cannot be distinguished.
fn slope(a: Anchor, b: Anchor) -> Option<f64> {
    let seconds = b.at - a.at;
    // Two values whose times are uncertain by as much as they are apart give no power.
    (seconds > a.uncertainty + b.uncertainty).then(|| (b.value - a.value) / seconds)
}

/// The counter at a time, and how far off that may be.
fn value_at(found: &[Anchor], at: f64, range: PowerRange) -> (f64, f64) {
    let after = found.partition_point(|anchor| anchor.at <= at);
    match (after.checked_sub(1).map(|before| found[before]), found.get(after)) {
        (Some(a), Some(b)) => interpolated(a, *b, at, range),
        (Some(a), None) => extrapolated(a, at, range),
        (None, Some(b)) => extrapolated(*b, at, range),
        (None, None) => (0.0, f64::INFINITY),
    }
}

/// Between two values. Power at any time was within `range`: that bounds what the counter gained after the earlier value and before
/// the later one, whose times are uncertain.
fn interpolated(a: Anchor, b: Anchor, at: f64, range: PowerRange) -> (f64, f64) {
    let (first, second) = (at - a.at, b.at - at);
    let span = |seconds: f64| seconds.max(0.0);
    let low =
        (a.value + range.low * span(first - a.uncertainty)).max(b.value - range.high * span(second + b.uncertainty));
    let high =
        (a.value + range.high * span(first + a.uncertainty)).min(b.value - range.low * span(second - b.uncertainty));
    // The counter is between its neighbours in any case.
    let (low, high) = (low.clamp(a.value, b.value), high.clamp(a.value, b.value));
    let guess = a.value + (b.value - a.value) * first / (first + second);
    (guess, (guess - low).abs().max((high - guess).abs()))
}

/// Before the first or after the last value.
fn extrapolated(known: Anchor, at: f64, range: PowerRange) -> (f64, f64) {
    let middle = f64::midpoint(range.low, range.high);
    let away = at - known.at;
    (known.value + middle * away, away.abs() * range.width() / 2.0 + known.uncertainty * range.high)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MS: u64 = 1_000_000;

    /// Energy of a GPU that draws `idle` watts, and `busy` in the window from 2 s to `until`.
    fn truth(seconds: f64, idle: f64, busy: f64, until: f64) -> f64 {
        idle * seconds + (busy - idle) * (seconds.min(until) - 2.0).max(0.0)
    }

    /// Readings of a counter that is renewed every `renewal` ms: `step` ms apart in the run, 40 ms apart around its ends.
    fn readings(renewal: u64, step: u64, until: u64, (idle, busy): (f64, f64)) -> Vec<(Mono, f64)> {
        let dense = (0..2_000).step_by(40);
        let sparse = (2_000..until).step_by(step as usize);
        let closing = (until..until + 700).step_by(40);
        let read = |ms: u64| {
            let renewed = ms / renewal * renewal;
            (Mono::from_nanos(ms * MS), truth(renewed as f64 / 1e3, idle, busy, until as f64 / 1e3))
        };
        dense.chain(sparse).chain(closing).map(read).collect()
    }

    fn window(until: u64) -> Window {
        Window::new(Mono::from_nanos(2_000 * MS), Mono::from_nanos(until * MS))
    }

    #[test]
    fn a_counter_that_is_renewed_ten_times_a_second_is_exact_to_a_percent_in_a_minute() {
        let points = readings(100, 333, 62_000, (78.0, 690.0));
        let found = from_counter(points.into_iter(), window(62_000), None).unwrap();
        assert!((found.joules - 60.0 * 690.0).abs() <= found.error, "{found:?}");
        assert!(found.relative_error() < 0.005, "{found:?}");
    }

    #[test]
    fn a_page_that_is_renewed_every_30_s_says_nothing_about_a_minute_and_enough_about_half_an_hour() {
        let minute = readings(30_000, 333, 62_000, (78.0, 690.0));
        let found = from_counter(minute.into_iter(), window(62_000), None).unwrap();
        assert!(found.relative_error() > 0.05, "{found:?}");
        let long = readings(30_000, 333, 1_802_000, (78.0, 690.0));
        let found = from_counter(long.into_iter(), window(1_802_000), None).unwrap();
        assert!(found.relative_error() < 0.05 && (found.joules - 1_800.0 * 690.0).abs() <= found.error, "{found:?}");
    }

    #[test]
    fn a_counter_that_restarts_or_stands_still_gives_nothing() {
        let at = |s: u64| Mono::from_nanos(s * 1_000 * MS);
        let reset = [(at(1), 10.0), (at(3), 20.0), (at(4), 1.0), (at(5), 2.0)];
        assert_eq!(from_counter(reset.into_iter(), window(4_000), None), Err(NoEnergy::Reset));
        let still = [(at(1), 10.0), (at(3), 10.0), (at(4), 10.0)];
        assert_eq!(from_counter(still.into_iter(), window(4_000), None), Err(NoEnergy::TooFewValues));
        assert_eq!(from_counter(std::iter::empty(), window(4_000), None), Err(NoEnergy::NotReported));
    }

    proptest! {
        /// The truth is always within the error.
        #[test]
        fn the_error_is_a_bound(
            renewal in 20_u64..5_000,
            step in 50_u64..1_000,
            length in 3_000_u64..60_000,
            idle in 20.0_f64..200.0,
            more in 0.0_f64..800.0,
        ) {
            let until = 2_000 + length;
            let points = readings(renewal, step, until, (idle, idle + more));
            // The gauge has seen both levels.
            let gauge = PowerRange { low: idle, high: idle + more };
            if let Ok(found) = from_counter(points.into_iter(), window(until), Some(gauge)) {
                let true_joules = length as f64 / 1e3 * (idle + more);
                prop_assert!((found.joules - true_joules).abs() <= found.error + 1e-6, "{:?} {}", found, true_joules);
            }
        }
    }
}
