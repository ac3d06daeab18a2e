//! Bars: how often values occur, a statistic of each time slice, or the buckets of a server's histogram.

use super::label::{axis_label, readable_unit, tag_of, title_of};
use super::over_time::source_of;
use super::request_values::all_values;
use super::server_values::matching;
use super::timeslice::place;
use super::{SingleContext, titled};
use crate::figure::{Axis, Bounds, Figure, Ink, Layer, Marks, PointTable, TickLabels, number_text};
use crate::preset::{DataSource, Preset};

const LEAST_BINS: f64 = 10.0;
const MOST_BINS: f64 = 80.0;
const OPACITY: f32 = 0.85;

pub(super) fn draw(preset: &Preset, context: &SingleContext<'_>) -> Result<Figure, String> {
    match source_of(context.run, preset, &preset.y) {
        DataSource::Timeslices => slices(preset, context),
        DataSource::ServerMetrics => buckets(preset, context),
        DataSource::Requests => values(preset, context),
        source => {
            Err(format!("source {} has no distribution; use requests, timeslices or server_metrics", source.name()))
        }
    }
}

/// How many requests have values in each range.
fn values(preset: &Preset, context: &SingleContext<'_>) -> Result<Figure, String> {
    let (mut values, unit) = all_values(context.run, &preset.y.name)?;
    values.sort_by(f64::total_cmp);
    let bins = bins(&values);
    let label = axis_label(&preset.y.name, None, unit);
    let mut figure = titled(preset, Axis::new(label, Bounds::Data), Axis::new("Requests", Bounds::FromZero));
    figure.points = PointTable::new(["from", "to", "count"]);
    for (from, to, count) in &bins {
        figure.points.push(vec![(*from).into(), (*to).into(), (*count).into()]);
    }
    figure.layers.push(Layer::new(Ink::Group(0), Marks::Bars { bars: bins, opacity: OPACITY }));
    Ok(figure)
}

/// Ranges of equal width after Freedman and Diaconis: twice the interquartile range over the cube root of the count.
pub(super) fn bins(sorted: &[f64]) -> Vec<(f64, f64, f64)> {
    let (Some(low), Some(high)) = (sorted.first().copied(), sorted.last().copied()) else { return Vec::new() };
    let quartile = |share: f64| aiperf_stats::linear(sorted, share).unwrap_or(low);
    let width = 2.0 * (quartile(0.75) - quartile(0.25)) / (sorted.len() as f64).cbrt();
    let spread = if high > low { high - low } else { low.abs().max(1.0) * 0.01 };
    let count = if width > 0.0 { (spread / width).ceil().clamp(LEAST_BINS, MOST_BINS) } else { LEAST_BINS };
    let width = spread / count;
    let mut bins: Vec<(f64, f64, f64)> =
        (0..count as usize).map(|index| (low + index as f64 * width, low + (index + 1) as f64 * width, 0.0)).collect();
    for value in sorted {
        let index = (((value - low) / width) as usize).min(bins.len() - 1);
        bins[index].2 += 1.0;
    }
    bins
}

fn slices(preset: &Preset, context: &SingleContext<'_>) -> Result<Figure, String> {
    let run = context.run;
    let stat = preset.y.stat.as_deref().or(preset.stat.as_deref()).unwrap_or("avg");
    let tag = tag_of(&preset.y.name);
    let Some(first) = run.slices.first() else { return Err(DataSource::Timeslices.advice().to_owned()) };
    let (mut bars, mut names, mut unit) = (Vec::new(), Vec::new(), String::new());
    let mut table = PointTable::new(["slice", "x", &format!("{tag}_{stat}")]);
    for (index, slice) in run.slices.iter().enumerate() {
        let Some((stats, value)) = slice.metrics.get(tag).and_then(|stats| Some((stats, stats.values.get(stat)?)))
        else {
            continue;
        };
        unit.clone_from(&stats.unit);
        let (x, name) = place(preset, slice, first.start_ns, index);
        let half =
            if preset.use_slice_duration { slice.end_ns.saturating_sub(slice.start_ns) as f64 / 2e9 } else { 0.5 };
        bars.push((x - half, x + half, value.value));
        table.push(vec![name.as_str().into(), x.into(), value.value.into()]);
        names.push((x, name));
    }
    let x_label = if preset.use_slice_duration { "Time slice, since the start of the run (s)" } else { "Time slice" };
    let mut x = Axis::new(x_label, Bounds::Data);
    x.ticks = TickLabels::Named(names);
    let mut figure = titled(preset, x, Axis::new(axis_label(tag, Some(stat), &unit), Bounds::FromZero));
    figure.layers.push(Layer::new(Ink::Group(0), Marks::Bars { bars, opacity: OPACITY }));
    figure.points = table;
    Ok(figure)
}

/// What each bucket of a server's histogram gained during the run, over all series that fit.
fn buckets(preset: &Preset, context: &SingleContext<'_>) -> Result<Figure, String> {
    let series = matching(context.run, &preset.y)?;
    let unit = readable_unit(&series[0].unit);
    let mut gained: Vec<(f64, f64)> = Vec::new();
    for one in &series {
        let (Some(first), Some(last)) = (one.histogram.first(), one.histogram.last()) else { continue };
        for (bound, count) in &last.buckets {
            let before =
                first.buckets.iter().find(|(other, _)| is_same(*other, *bound)).map_or(0.0, |(_, count)| *count);
            match gained.iter_mut().find(|(other, _)| is_same(*other, *bound)) {
                Some((_, sum)) => *sum += count - before,
                None => gained.push((*bound, count - before)),
            }
        }
    }
    if gained.is_empty() {
        return Err(format!("{} is not a histogram, or its buckets are not in the folder", preset.y.name));
    }
    gained.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut table = PointTable::new(["from", "to", "count"]);
    let (mut bars, mut names, mut below) = (Vec::new(), Vec::new(), (0.0, 0.0));
    for (index, (bound, cumulative)) in gained.iter().enumerate() {
        let count = cumulative - below.1;
        table.push(vec![below.0.into(), (*bound).into(), count.into()]);
        bars.push((index as f64 - 0.5, index as f64 + 0.5, count));
        let name = if bound.is_finite() { format!("≤ {}", short(*bound)) } else { format!("> {}", short(below.0)) };
        names.push((index as f64, name));
        below = (*bound, *cumulative);
    }
    let mut x = Axis::new(format!("{} ({unit}), by bucket", title_of(&preset.y.name)), Bounds::Data);
    x.ticks = TickLabels::Named(names);
    let mut figure = titled(preset, x, Axis::new("Observations during the run", Bounds::FromZero));
    figure.layers.push(Layer::new(Ink::Group(0), Marks::Bars { bars, opacity: OPACITY }));
    figure.points = table;
    Ok(figure)
}

/// Bounds of buckets are written numbers: the same text gives the same bits.
fn is_same(one: f64, other: f64) -> bool {
    one.total_cmp(&other).is_eq()
}

fn short(value: f64) -> String {
    let text = number_text(value, 4);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::bins;

    #[test]
    fn every_value_is_in_one_bin() {
        let values: Vec<f64> = (0..1000).map(f64::from).collect();
        let bins = bins(&values);
        assert_eq!(bins.iter().map(|bin| bin.2).sum::<f64>(), 1000.0);
        assert!((10..=80).contains(&bins.len()));
        assert_eq!(super::bins(&[5.0, 5.0]).iter().map(|bin| bin.2).sum::<f64>(), 2.0);
        assert!(super::bins(&[]).is_empty());
    }
}
