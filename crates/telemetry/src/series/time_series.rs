//! The values of one series, as they were read. Only changes are stored: most series of a page stay the same for most of a run.

use aiperf_clock::Mono;

/// One value from its time on. Not a number: the series is absent from then on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) at: Mono,
    pub(crate) value: f64,
}

/// Values in the order of their times.
#[derive(Debug, Clone, Default)]
pub struct TimeSeries {
    points: Vec<Point>,
    last_seen: Option<Mono>,
    /// The last time that the source was read without this series before the series appeared.
    absent_until: Option<Mono>,
}

impl TimeSeries {
    /// A series that was not there when its source was read at `at`.
    pub fn appearing_after(at: Option<Mono>) -> Self {
        Self { absent_until: at, ..Self::default() }
    }

    /// Adds the value that was read at `at`. A value that is not finite counts as absent. Times must not decrease; a value that comes
    /// with an earlier time is ignored.
    pub fn push(&mut self, at: Mono, value: f64) {
        if self.last_seen.is_some_and(|seen| at <= seen) {
            return;
        }
        let value = if value.is_finite() { value } else { f64::NAN };
        let last = self.points.last().copied();
        let is_same = last.is_some_and(|last| last.value.to_bits() == value.to_bits());
        if !is_same && (last.is_some() || !value.is_nan()) {
            // A counter is interpolated from the last time that it had its old value, not from the first.
            if let (Some(last), Some(seen)) = (last, self.last_seen)
                && seen > last.at
                && !last.value.is_nan()
            {
                self.points.push(Point { at: seen, value: last.value });
            }
            self.points.push(Point { at, value });
        }
        self.last_seen = Some(at);
    }

    /// The source was read at `at` and lacked this series.
    pub fn push_absent(&mut self, at: Mono) {
        self.push(at, f64::NAN);
    }

    /// The value that was read last, unless the series is absent.
    pub fn last(&self) -> Option<f64> {
        self.points.last().map(|point| point.value).filter(|value| !value.is_nan())
    }

    /// The last value that was ever read.
    pub fn last_present(&self) -> Option<f64> {
        self.points.iter().rev().map(|point| point.value).find(|value| !value.is_nan())
    }

    /// The value that was read last at or before `at`, if the series was present then.
    pub fn value_at(&self, at: Mono) -> Option<f64> {
        let after = self.points.partition_point(|point| point.at <= at);
        self.points[..after].last().map(|point| point.value).filter(|value| !value.is_nan())
    }

    pub fn last_seen(&self) -> Option<Mono> {
        self.last_seen
    }

    pub(crate) fn absent_until(&self) -> Option<Mono> {
        self.absent_until
    }

    pub(crate) fn points(&self) -> &[Point] {
        &self.points
    }

    /// All series added up, each value times `scale`. It is absent while all of them are.
    pub fn sum(all: &[&Self], scale: f64) -> Self {
        let mut times: Vec<Mono> = all.iter().flat_map(|series| series.points.iter().map(|point| point.at)).collect();
        times.sort_unstable();
        times.dedup();
        let mut sum = Self::default();
        for at in times {
            let value = all.iter().filter_map(|series| series.value_at(at)).reduce(|a, b| a + b);
            sum.push(at, value.map_or(f64::NAN, |value| value * scale));
        }
        sum
    }

    /// Number of stored changes, which is what a series costs.
    pub fn stored(&self) -> usize {
        self.points.len()
    }

    /// Halves the stored points between the first and the last. Totals stay exact, and averages over time lose detail.
    pub fn thin(&mut self) {
        let last = self.points.len().saturating_sub(1);
        let mut index = 0;
        self.points.retain(|point| {
            let keeps = index == 0 || index == last || index % 2 == 0 || point.value.is_nan();
            index += 1;
            keeps
        });
        self.points.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Mono {
        Mono::from_nanos(nanos)
    }

    #[test]
    fn only_changes_are_stored_with_the_last_time_of_the_old_value() {
        let mut series = TimeSeries::default();
        for (time, value) in [(1, 5.0), (2, 5.0), (3, 5.0), (4, 7.0), (5, 8.0)] {
            series.push(at(time), value);
        }
        let points: Vec<_> = series.points().iter().map(|p| (p.at.as_nanos(), p.value)).collect();
        assert_eq!(points, [(1, 5.0), (3, 5.0), (4, 7.0), (5, 8.0)]);
        assert_eq!(series.value_at(at(3)), Some(5.0));
        assert_eq!(series.value_at(at(0)), None);
        assert_eq!(series.value_at(at(99)), Some(8.0));
    }

    #[test]
    fn a_series_that_disappears_has_no_value_until_it_comes_back() {
        let mut series = TimeSeries::default();
        series.push_absent(at(1));
        series.push(at(2), 1.0);
        series.push_absent(at(4));
        series.push(at(5), f64::INFINITY);
        assert_eq!((series.last(), series.last_present()), (None, Some(1.0)));
        series.push(at(6), 3.0);
        assert_eq!(series.value_at(at(5)), None);
        assert_eq!(series.last(), Some(3.0));
    }

    #[test]
    fn thinning_keeps_the_ends() {
        let mut series = TimeSeries::default();
        (0..100).for_each(|time| series.push(at(time), time as f64));
        series.thin();
        assert_eq!(series.stored(), 51);
        assert_eq!((series.value_at(at(0)), series.last()), (Some(0.0), Some(99.0)));
    }
}
