//! A series that only grows: its value at any time, through restarts of the server.

use aiperf_clock::Mono;

use super::{TimeSeries, Window};

/// The values of a counter as if it had never started again from zero.
#[derive(Debug, Clone, Default)]
pub struct Counter {
    /// Never decreasing, in the order of time.
    values: Vec<(Mono, f64)>,
    resets: Vec<Mono>,
}

impl Counter {
    pub fn new(series: &TimeSeries) -> Self {
        Self::with_resets(series, &drops(series))
    }

    /// Counters that start again together, as the buckets of one histogram do: each of them started again when one of them
    /// dropped, even if its own value did not drop. The drops of `followers` mean nothing: the sum of a histogram may shrink.
    pub fn group(all: &[&TimeSeries], followers: &[&TimeSeries]) -> Vec<Self> {
        let mut resets: Vec<Mono> = all.iter().flat_map(|series| drops(series)).collect();
        resets.sort_unstable();
        resets.dedup();
        all.iter().chain(followers).map(|series| Self::with_resets(series, &resets)).collect()
    }

    fn with_resets(series: &TimeSeries, resets: &[Mono]) -> Self {
        let mut values: Vec<(Mono, f64)> = Vec::new();
        // A series that appears on a page which lacked it counts from zero.
        values.extend(series.absent_until().map(|at| (at, 0.0)));
        let (mut offset, mut before) = (0.0, None);
        let mut pending = resets.iter().copied().peekable();
        for point in series.points().iter().filter(|point| !point.value.is_nan()) {
            while let Some(reset) = pending.next_if(|reset| *reset <= point.at) {
                let Some(value) = before else { continue };
                offset += value;
                if reset < point.at {
                    // The value after the start is the same as before it, so that no point was stored.
                    values.push((reset, offset + value));
                }
            }
            values.push((point.at, offset + point.value));
            before = Some(point.value);
        }
        if let Some(value) = before {
            for reset in pending {
                offset += value;
                values.push((reset, offset + value));
            }
        }
        Self { values, resets: resets.to_vec() }
    }

    /// The value at `at`, interpolated between the readings around it.
    pub fn at(&self, at: Mono) -> Option<f64> {
        let after = self.values.partition_point(|(time, _)| *time <= at);
        let before = after.checked_sub(1).map(|index| self.values[index]);
        match (before, self.values.get(after)) {
            (None, next) => next.map(|(_, value)| *value),
            (Some((_, value)), None) => Some(value),
            (Some((from, low)), Some((to, high))) => {
                let part = at.since(from).0 as f64 / to.since(from).0 as f64;
                Some(low + (high - low) * part)
            }
        }
    }

    /// The value at the start of a window: a reading from the idle time before it, or interpolated.
    pub fn at_start(&self, window: Window) -> Option<f64> {
        let before = self.values.partition_point(|(time, _)| *time <= window.start());
        let last = before.checked_sub(1).map(|index| self.values[index]);
        match last.filter(|(time, _)| *time >= window.idle_since()) {
            Some((_, value)) => Some(value),
            None => self.at(window.start()),
        }
    }

    /// How far it grew in the window.
    pub fn increase(&self, window: Window) -> Option<f64> {
        Some((self.at(window.end())? - self.at_start(window)?).max(0.0))
    }

    /// How often it started again from zero in the window.
    pub fn resets(&self, window: Window) -> usize {
        within(&self.resets, window)
    }

    /// How often a series started again from zero in the window.
    pub fn resets_in(series: &TimeSeries, window: Window) -> usize {
        within(&drops(series), window)
    }
}

fn within(resets: &[Mono], window: Window) -> usize {
    resets.iter().filter(|at| **at > window.start() && **at <= window.end()).count()
}

/// When the value was lower than before.
fn drops(series: &TimeSeries) -> Vec<Mono> {
    let mut found = Vec::new();
    let mut before = f64::NEG_INFINITY;
    for point in series.points().iter().filter(|point| !point.value.is_nan()) {
        if point.value < before {
            found.push(point.at);
        }
        before = point.value;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Mono {
        Mono::from_nanos(nanos)
    }

    fn series(values: &[(u64, f64)]) -> TimeSeries {
        let mut series = TimeSeries::default();
        for (time, value) in values {
            series.push(at(*time), *value);
        }
        series
    }

    fn window(start: u64, end: u64) -> Window {
        Window::new(at(start), at(end))
    }

    #[test]
    fn edges_of_a_window_are_interpolated() {
        let counter = Counter::new(&series(&[(0, 0.0), (10, 0.0), (20, 100.0), (30, 300.0), (40, 300.0)]));
        assert_eq!(counter.at(at(5)), Some(0.0), "a value that did not change is not spread over the time before");
        assert_eq!(counter.at(at(15)), Some(50.0));
        assert_eq!(counter.increase(window(15, 25)), Some(150.0));
        assert_eq!(counter.increase(window(0, 99)), Some(300.0));
        assert_eq!(counter.increase(window(0, 0)), Some(0.0));
    }

    #[test]
    fn a_reading_from_the_idle_time_before_a_window_is_that_of_its_start() {
        let counter = Counter::new(&series(&[(0, 0.0), (10, 60.0), (18, 60.0), (30, 140.0), (40, 150.0)]));
        assert_eq!(counter.increase(window(20, 40).after_idle(at(12))), Some(90.0));
        assert!(counter.increase(window(20, 40)).is_some_and(|increase| increase < 80.0), "interpolated without it");
        assert!(counter.increase(window(20, 40).after_idle(at(19))).is_some_and(|increase| increase < 80.0));
    }

    #[test]
    fn slices_add_up_to_the_whole() {
        let counter = Counter::new(&series(&[(0, 3.0), (7, 10.0), (13, 11.0), (29, 99.0), (31, 120.0)]));
        let whole = window(2, 30);
        let parts: f64 = whole.slices(aiperf_clock::Nanos(4)).map(|slice| counter.increase(slice).unwrap()).sum();
        assert!((parts - counter.increase(whole).unwrap()).abs() < 1e-9);
    }

    #[test]
    fn a_counter_that_starts_again_goes_on_from_where_it_was() {
        let counter = Counter::new(&series(&[(0, 100.0), (10, 150.0), (20, 30.0), (30, 50.0)]));
        assert_eq!(counter.increase(window(0, 30)), Some(100.0));
        assert_eq!((counter.resets(window(0, 30)), counter.resets(window(20, 30))), (1, 0));
    }

    #[test]
    fn a_counter_that_appears_counts_from_zero() {
        let mut series = TimeSeries::appearing_after(Some(at(10)));
        series.push(at(20), 40.0);
        assert_eq!(Counter::new(&series).increase(window(0, 30)), Some(40.0));
        let mut first = TimeSeries::default();
        first.push(at(20), 40.0);
        assert_eq!(Counter::new(&first).increase(window(0, 30)), Some(0.0), "nobody knows what it was before");
    }

    #[test]
    fn counters_of_a_group_start_again_together() {
        let dropped = series(&[(0, 50.0), (10, 20.0)]);
        let same = series(&[(0, 8.0), (10, 8.0), (20, 9.0)]);
        let grown = series(&[(0, 5.0), (10, 7.0)]);
        let increases: Vec<_> =
            Counter::group(&[&dropped, &same], &[&grown]).iter().map(|one| one.increase(window(0, 20))).collect();
        assert_eq!(increases, [Some(20.0), Some(9.0), Some(7.0)]);
    }
}
