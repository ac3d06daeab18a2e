//! A series that moves up and down, weighted by time: each value counts from its reading until the next one.

use super::{TimeSeries, Window};

/// Percentiles that files show.
const PERCENTILES: [u8; 9] = [1, 5, 10, 25, 50, 75, 90, 95, 99];

/// What a gauge was in a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GaugeStatistics {
    pub avg: f64,
    pub min: f64,
    pub max: f64,
    pub std: f64,
    /// In the order of [`GaugeStatistics::PERCENTILES`].
    pub percentiles: [f64; 9],
}

impl GaugeStatistics {
    pub const PERCENTILES: [u8; 9] = PERCENTILES;

    /// The value that was not exceeded for this share of the time, if it is one of [`GaugeStatistics::PERCENTILES`].
    pub fn percentile(&self, percent: u8) -> Option<f64> {
        PERCENTILES.iter().position(|known| *known == percent).map(|index| self.percentiles[index])
    }

    /// `None` if the series was not present in the window.
    pub fn new(series: &TimeSeries, window: Window) -> Option<Self> {
        let mut values = weighted_values(series, window);
        if values.is_empty() {
            // A window without length, or one that ends with the first reading.
            values.push((series.value_at(window.end())?, 1.0));
        }
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = values.iter().map(|(_, weight)| weight).sum();
        let avg = values.iter().map(|(value, weight)| value * weight).sum::<f64>() / total;
        let variance = values.iter().map(|(value, weight)| (value - avg).powi(2) * weight).sum::<f64>() / total;
        let (min, max) = (values.first()?.0, values.last()?.0);
        let percentile = |percent: u8| {
            let wanted = total * f64::from(percent) / 100.0;
            let mut reached = 0.0;
            let found = values.iter().find(|(_, weight)| {
                reached += weight;
                reached >= wanted
            });
            found.map_or(max, |(value, _)| *value)
        };
        // The mean of equal values can differ from them in its last digit.
        Some(Self {
            avg: avg.clamp(min, max),
            min,
            max,
            std: variance.sqrt(),
            percentiles: PERCENTILES.map(percentile),
        })
    }
}

/// Each value in the window with the seconds that it lasted.
fn weighted_values(series: &TimeSeries, window: Window) -> Vec<(f64, f64)> {
    let points = series.points();
    let mut values: Vec<(f64, f64)> = Vec::new();
    for (index, point) in points.iter().enumerate() {
        let until = points.get(index + 1).map_or(window.end(), |next| next.at.min(window.end()));
        let lasted = until.since(point.at.max(window.start())).as_secs_f64();
        if lasted > 0.0 && !point.value.is_nan() {
            values.push((point.value, lasted));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use aiperf_clock::Mono;

    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn series(values: &[(u64, f64)]) -> TimeSeries {
        let mut series = TimeSeries::default();
        for (time, value) in values {
            series.push(Mono::from_nanos(time * SECOND), *value);
        }
        series
    }

    fn statistics(series: &TimeSeries, start: u64, end: u64) -> Option<GaugeStatistics> {
        let window = Window::new(Mono::from_nanos(start * SECOND), Mono::from_nanos(end * SECOND));
        GaugeStatistics::new(series, window)
    }

    #[test]
    fn values_count_for_as_long_as_they_lasted() {
        let series = series(&[(0, 0.0), (10, 4.0), (19, 8.0), (20, 0.0)]);
        let all = statistics(&series, 10, 20).unwrap();
        assert!((all.avg - 4.4).abs() < 1e-12, "{all:?}");
        assert!((all.min, all.max) == (4.0, 8.0) && (all.std - 1.2).abs() < 1e-12, "{all:?}");
        assert_eq!(all.percentiles, [4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 8.0, 8.0]);
        assert!(statistics(&series, 5, 15).is_some_and(|half| (half.avg - 2.0).abs() < 1e-12));
    }

    #[test]
    fn time_without_the_series_does_not_count() {
        let mut gone = series(&[(0, 2.0)]);
        gone.push_absent(Mono::from_nanos(10 * SECOND));
        assert!(statistics(&gone, 0, 100).is_some_and(|all| all.avg == 2.0 && all.std == 0.0));
        assert_eq!(statistics(&gone, 20, 30), None);
        assert_eq!(statistics(&series(&[(50, 1.0)]), 0, 40), None);
    }

    #[test]
    fn a_constant_is_its_own_mean() {
        let all = statistics(&series(&[(0, 0.1), (3, 0.1), (7, 0.1)]), 0, 7).unwrap();
        assert_eq!((all.avg, all.std), (0.1, 0.0));
    }
}
