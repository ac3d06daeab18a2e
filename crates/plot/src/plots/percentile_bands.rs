//! Percentiles over time as bands around the median.

use super::label::{axis_label, tag_of};
use super::over_time::{PointLine, point_lines, source_of};
use super::server_values::matching;
use super::{SingleContext, titled};
use crate::figure::{Axis, Bounds, Figure, Ink, Layer, LineShape, Marks, PointTable};
use crate::preset::{DataSource, Preset};

const PERCENTILES: [(f64, &str); 5] = [(0.05, "p5"), (0.25, "p25"), (0.50, "p50"), (0.75, "p75"), (0.95, "p95")];
/// Values that a range of time should have, and the most ranges there are.
const VALUES_PER_RANGE: usize = 20;
const MOST_RANGES: usize = 60;

/// The percentiles at one time.
type BandPoint = (f64, [f64; 5]);

pub(super) fn draw(preset: &Preset, context: &SingleContext<'_>) -> Result<Figure, String> {
    let (points, x_label, y_label) = match source_of(context.run, preset, &preset.y) {
        DataSource::Timeslices => of_slices(preset, context)?,
        DataSource::ServerMetrics => of_histogram(preset, context)?,
        _ => {
            let lines = point_lines(context, preset, &preset.y)?;
            let values = lines.lines.into_iter().flat_map(|PointLine { points, .. }| points).collect();
            (of_values(values), lines.x_label, lines.y_label)
        }
    };
    let mut figure = titled(preset, Axis::new(x_label, Bounds::FromZero), Axis::new(y_label, Bounds::FromZero));
    for (low, high, opacity, legend) in [(0, 4, 0.18, "p5 to p95"), (1, 3, 0.32, "p25 to p75")] {
        let points = points.iter().map(|(x, values)| (*x, values[low], values[high])).collect();
        figure.layers.push(Layer::new(Ink::Group(0), Marks::Band { points, opacity }).legend(legend));
    }
    let median = points.iter().map(|(x, values)| (*x, values[2])).collect();
    let marks = Marks::Line { points: median, shape: LineShape::Straight, width: 2.5, is_dashed: false };
    figure.layers.push(Layer::new(Ink::Group(0), marks).legend("p50"));
    figure.points = PointTable::new(["x", "p5", "p25", "p50", "p75", "p95"]);
    for (x, values) in &points {
        let cells = std::iter::once(*x).chain(*values).map(Into::into).collect();
        figure.points.push(cells);
    }
    Ok(figure)
}

/// The percentiles of the values in each of some equally long ranges of x.
fn of_values(mut values: Vec<(f64, f64)>) -> Vec<BandPoint> {
    values.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (Some(first), Some(last)) = (values.first().map(|it| it.0), values.last().map(|it| it.0)) else {
        return Vec::new();
    };
    let ranges = (values.len() / VALUES_PER_RANGE).clamp(1, MOST_RANGES) as f64;
    let width = if last > first { (last - first) / ranges } else { 1.0 };
    let range = |x: f64| ((x - first) / width).floor().min(ranges - 1.0);
    let groups = values.chunk_by(|one, other| range(one.0).total_cmp(&range(other.0)).is_eq());
    groups
        .map(|group| {
            let mut sorted: Vec<f64> = group.iter().map(|(_, value)| *value).collect();
            sorted.sort_by(f64::total_cmp);
            let middle = first + (range(group[0].0) + 0.5) * width;
            (middle, PERCENTILES.map(|(share, _)| aiperf_stats::linear(&sorted, share).unwrap_or(f64::NAN)))
        })
        .collect()
}

type LabelledBands = (Vec<BandPoint>, String, String);

fn of_slices(preset: &Preset, context: &SingleContext<'_>) -> Result<LabelledBands, String> {
    let (run, tag) = (context.run, tag_of(&preset.y.name));
    let mut unit = String::new();
    let mut points = Vec::new();
    for slice in &run.slices {
        let Some(stats) = slice.metrics.get(tag) else { continue };
        unit.clone_from(&stats.unit);
        let middle = slice.start_ns + slice.end_ns.saturating_sub(slice.start_ns) / 2;
        let values = PERCENTILES.map(|(_, name)| stats.values.get(name).map_or(f64::NAN, |value| value.value));
        if values.iter().all(|value| value.is_finite()) {
            points.push((run.seconds(middle), values));
        }
    }
    if run.slices.is_empty() {
        return Err(DataSource::Timeslices.advice().to_owned());
    }
    Ok((points, axis_label("timestamp_s", None, "s"), axis_label(tag, None, &unit)))
}

/// Percentiles of what a server's histogram gained between two scrapes, by linear interpolation within buckets.
fn of_histogram(preset: &Preset, context: &SingleContext<'_>) -> Result<LabelledBands, String> {
    let run = context.run;
    let series = matching(run, &preset.y)?;
    if series.len() > 1 {
        return Err(format!("{} has {} series; choose one with NAME{{LABEL=VALUE}}", preset.y.name, series.len()));
    }
    let series = series[0];
    let mut points = Vec::new();
    for pair in series.histogram.windows(2) {
        let before = |bound: f64| {
            pair[0].buckets.iter().find(|(other, _)| other.total_cmp(&bound).is_eq()).map_or(0.0, |it| it.1)
        };
        let gained: Vec<(f64, f64)> =
            pair[1].buckets.iter().map(|(bound, count)| (*bound, count - before(*bound))).collect();
        if gained.last().is_some_and(|(_, count)| *count > 0.0) {
            let values = PERCENTILES.map(|(share, _)| within_buckets(&gained, share));
            points.push((run.seconds(pair[1].timestamp_ns), values));
        }
    }
    if points.is_empty() {
        return Err(format!("{} is not a histogram, or its buckets over time are not in the folder", preset.y.name));
    }
    points.retain(|(time, _)| *time >= 0.0);
    Ok((points, axis_label("timestamp_s", None, "s"), axis_label(&preset.y.name, None, &series.unit)))
}

/// The value that a share of the observations is below.
fn within_buckets(cumulative: &[(f64, f64)], share: f64) -> f64 {
    let total = cumulative.last().map_or(0.0, |(_, count)| *count);
    let wanted = share * total;
    let mut below = (0.0, 0.0);
    for (bound, count) in cumulative {
        if *count >= wanted {
            // Beyond the last bound nothing is known.
            if !bound.is_finite() || *count <= below.1 {
                return below.0;
            }
            return below.0 + (bound - below.0) * (wanted - below.1) / (count - below.1);
        }
        below = (*bound, *count);
    }
    below.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_lie_between_the_bounds_of_buckets() {
        let buckets = [(1.0, 50.0), (2.0, 100.0), (f64::INFINITY, 100.0)];
        assert_eq!(within_buckets(&buckets, 0.25), 0.5);
        assert_eq!(within_buckets(&buckets, 0.75), 1.5);
        let beyond = [(1.0, 50.0), (f64::INFINITY, 100.0)];
        assert_eq!(within_buckets(&beyond, 0.95), 1.0);
    }

    #[test]
    fn ranges_have_the_percentiles_of_their_values() {
        let values = (0..100).map(|index| (f64::from(index), f64::from(index % 20))).collect();
        let points = of_values(values);
        assert_eq!(points.len(), 5);
        assert_eq!(points[0].1[2], 9.5);
    }
}
