//! The statistics of the fields of one GPU in a window.

use aiperf_clock::Mono;
use aiperf_metrics::Stats;

use crate::energy::{PowerRange, from_counter};
use crate::gpu::field::{FieldId, FieldKind, FieldTable, power_and_energy};
use crate::gpu::series::{FieldSeries, GpuSeries};
use crate::gpu::throttle;
use crate::series::Window;

const MEGAJOULE: f64 = 1e6;

/// One field of a GPU in a window.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuMetric {
    pub key: String,
    pub title: String,
    pub unit: String,
    /// Of a counter only `avg`: what it gained.
    pub stats: Stats,
    /// Of a field that has the code of the last error: this code, if it is not 0.
    pub last_code: Option<u64>,
}

/// All fields that have a reading, in the order of the table.
pub fn metrics(series: &GpuSeries, fields: &FieldTable, window: Window) -> Vec<GpuMetric> {
    let mut found = Vec::new();
    for id in fields.ids() {
        let (field, values) = (fields.get(id), series.field(id));
        if values.is_empty() {
            continue;
        }
        let (stats, last_code) = match field.kind {
            FieldKind::Gauge => (gauge(values, window), None),
            FieldKind::Counter => (Some(Stats::single(counter_growth(series, id, window))), None),
            FieldKind::LastCode => {
                let (changes, last) = new_codes(values, window);
                (Some(Stats::single(changes)), last)
            }
            FieldKind::ThrottleReasons => {
                found.extend(throttling(values, window));
                continue;
            }
        };
        let Some(stats) = stats else { continue };
        found.push(GpuMetric {
            key: field.key.clone().into_owned(),
            title: field.title.clone().into_owned(),
            unit: field.unit.clone().into_owned(),
            stats,
            last_code,
        });
    }
    found
}

/// Statistics of the readings in the window; of the last one before its end if none is in it.
fn gauge(values: FieldSeries<'_>, window: Window) -> Option<Stats> {
    let mut inside: Vec<f64> = values
        .points()
        .filter(|(at, _)| (window.start()..=window.end()).contains(at))
        .map(|(_, value)| value)
        .collect();
    if inside.is_empty() {
        inside.extend(values.points().take_while(|(at, _)| *at <= window.end()).last().map(|(_, value)| value));
    }
    let count = inside.len() as f64;
    let stats = Stats::of(inside)?;
    // The reference has the standard deviation of a sample here.
    let of_sample = if count > 1.0 { (count / (count - 1.0)).sqrt() } else { 0.0 };
    Some(Stats { std: stats.std.map(|std| std * of_sample), ..stats })
}

fn counter_growth(series: &GpuSeries, id: FieldId, window: Window) -> f64 {
    let (power, energy) = power_and_energy(series.gpu.platform);
    let values = series.field(id);
    if id == energy {
        let seen = PowerRange::of(series.field(power).points().map(|(_, watts)| watts));
        let joules = values.points().map(|(at, megajoules)| (at, megajoules * MEGAJOULE));
        if let Ok(estimate) = from_counter(joules, window, seen) {
            return estimate.joules / MEGAJOULE;
        }
    }
    growth(values, window)
}

/// What a counter gained in the window, in straight lines between readings. After a reset it counts from 0.
fn growth(values: FieldSeries<'_>, window: Window) -> f64 {
    let mut gained = 0.0;
    let mut before: Option<(Mono, f64)> = None;
    for (at, value) in values.points() {
        if let Some((from, old)) = before {
            let step = if value >= old { value - old } else { value };
            let overlap = at.min(window.end()).since(from.max(window.start())).0 as f64;
            let length = at.since(from).0 as f64;
            if overlap > 0.0 && length > 0.0 {
                gained += step * overlap / length;
            }
        }
        before = Some((at, value));
    }
    gained
}

/// How often the code of the last error changed in the window, at least that many errors, and the code at its end.
fn new_codes(values: FieldSeries<'_>, window: Window) -> (f64, Option<u64>) {
    let mut changes = 0.0;
    let mut code: Option<f64> = None;
    for (at, value) in values.points().take_while(|(at, _)| *at <= window.end()) {
        if at >= window.start() && code.is_some_and(|old| old.to_bits() != value.to_bits()) && value != 0.0 {
            changes += 1.0;
        }
        code = Some(value);
    }
    (changes, code.map(|code| code as u64).filter(|code| *code != 0))
}

fn throttling(values: FieldSeries<'_>, window: Window) -> Vec<GpuMetric> {
    let shares = throttle::shares(values, window.start(), window.end()).unwrap_or_default();
    let metric = |(reason, share): (throttle::ThrottleReason, f64)| GpuMetric {
        key: reason.key.to_owned(),
        title: reason.title.to_owned(),
        unit: "%".to_owned(),
        stats: Stats::single(share),
        last_code: None,
    };
    // A reason that never was one needs no row.
    shares.into_iter().filter(|(_, share)| *share > 0.0).map(metric).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gpu::field::Platform;
    use crate::gpu::reading::{GpuIdentity, GpuReading};

    fn series(field: FieldId, points: &[(u64, f64)]) -> GpuSeries {
        let gpu = Arc::new(GpuIdentity::new(Platform::Nvidia, 0, "GPU-a", "H200"));
        let mut series = GpuSeries::new(Arc::clone(&gpu), &FieldTable::default());
        for (at, value) in points {
            let reading =
                GpuReading { gpu: Arc::clone(&gpu), at: Mono::from_nanos(*at), values: vec![(field, *value)] };
            series.push(&reading);
        }
        series
    }

    fn only(field: FieldId, points: &[(u64, f64)]) -> GpuMetric {
        let window = Window::new(Mono::from_nanos(100), Mono::from_nanos(200));
        let mut found = metrics(&series(field, points), &FieldTable::default(), window);
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    #[test]
    fn a_gauge_is_about_the_window_only() {
        let found = only(FieldId::GPU_UTILIZATION, &[(50, 0.0), (100, 80.0), (150, 100.0), (250, 0.0)]);
        assert_eq!((found.stats.avg, found.stats.count), (Some(90.0), Some(2)));
        assert!((found.stats.std.unwrap() - 200.0_f64.sqrt()).abs() < 1e-9);
        let short = only(FieldId::GPU_UTILIZATION, &[(50, 7.0), (90, 9.0), (250, 0.0)]);
        assert_eq!((short.stats.avg, short.stats.std), (Some(9.0), Some(0.0)));
    }

    #[test]
    fn a_counter_is_interpolated_at_both_ends_and_survives_a_reset() {
        let found = only(FieldId::POWER_VIOLATION, &[(50, 0.0), (150, 10.0), (250, 30.0)]);
        assert_eq!((found.stats.avg, found.stats.count), (Some(5.0 + 10.0), None));
        let reset = only(FieldId::POWER_VIOLATION, &[(100, 50.0), (150, 60.0), (200, 4.0)]);
        assert_eq!(reset.stats.avg, Some(14.0));
    }

    #[test]
    fn the_code_of_an_error_is_not_a_count() {
        let before = only(FieldId::XID_ERRORS, &[(50, 79.0), (150, 79.0), (250, 79.0)]);
        assert_eq!((before.stats.avg, before.last_code), (Some(0.0), Some(79)));
        let during = only(FieldId::XID_ERRORS, &[(50, 0.0), (150, 48.0), (180, 79.0)]);
        assert_eq!((during.stats.avg, during.last_code), (Some(2.0), Some(79)));
        let none = only(FieldId::XID_ERRORS, &[(50, 0.0), (150, 0.0)]);
        assert_eq!((none.stats.avg, none.last_code), (Some(0.0), None));
    }
}
