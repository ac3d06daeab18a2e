//! A statistic of each time slice, with the spread within it and that of the whole run.

use super::label::{axis_label, larger_is_better, readable_unit, tag_of};
use super::titled;
use crate::figure::{Axis, Bounds, ErrorBar, Figure, Ink, Layer, Marks, PointCell, PointTable, TickLabels, value_text};
use crate::preset::{DataSource, Preset};
use crate::run::{DetailedRun, SliceRow};

const DOT: f32 = 10.0;

/// What a slice says of the metric.
struct SliceValue {
    x: f64,
    value: f64,
    std: Option<f64>,
    name: String,
}

pub(super) fn draw(preset: &Preset, run: &DetailedRun) -> Result<Figure, String> {
    if run.slices.is_empty() {
        return Err(DataSource::Timeslices.advice().to_owned());
    }
    let tag = tag_of(&preset.y.name);
    let stat = preset.y.stat.as_deref().or(preset.stat.as_deref()).unwrap_or("avg");
    let start = run.slices[0].start_ns;
    let mut unit = String::new();
    let mut values = Vec::new();
    for (index, slice) in run.slices.iter().enumerate() {
        let Some(stats) = slice.metrics.get(tag) else { continue };
        unit.clone_from(&stats.unit);
        let Some(value) = stats.values.get(stat) else { continue };
        let (x, name) = place(preset, slice, start, index);
        let std = stats.values.get("std").filter(|_| stat == "avg").map(|std| std.value);
        values.push(SliceValue { x, value: value.value, std, name });
    }
    if values.is_empty() {
        return Err(format!("no time slice has {stat} of {tag}"));
    }
    let x_label = if preset.use_slice_duration { "Time slice, since the start of the run (s)" } else { "Time slice" };
    let mut x = Axis::new(x_label, Bounds::FromZero);
    x.ticks = TickLabels::Named(values.iter().map(|value| (value.x, value.name.clone())).collect());
    let mut figure = titled(preset, x, Axis::new(axis_label(tag, Some(stat), &unit), Bounds::FromZero));

    let whole = run.summary.metrics.get(tag);
    let run_value = whole.and_then(|stats| stats.values.get(stat)).map(|value| value.value);
    let run_std = whole.and_then(|stats| stats.values.get("std")).filter(|_| stat == "avg").map(|std| std.value);
    let readable = readable_unit(&unit);
    if let Some((value, std)) = run_value.zip(run_std) {
        let range = Marks::Range { low: value - std, high: value + std };
        let legend = format!("whole run ± standard deviation: {} {readable}", value_text(std));
        figure.layers.push(Layer::new(Ink::Neutral, range).legend(legend));
    }
    if let Some(value) = run_value {
        let legend = format!("whole run: {} {readable}", value_text(value));
        figure.layers.push(Layer::new(Ink::Neutral, Marks::Level { y: value, is_dashed: false }).legend(legend));
    }
    let bars: Vec<ErrorBar> = values
        .iter()
        .filter_map(|value| {
            let range = value.std.map(|std| (value.value - std, value.value + std))?;
            Some(ErrorBar { x: value.x, y: value.value, x_range: None, y_range: Some(range) })
        })
        .collect();
    if !bars.is_empty() {
        figure
            .layers
            .push(Layer::new(Ink::Group(0), Marks::Errors { bars }).legend("± standard deviation in the slice"));
    }
    let is_bad = |value: &SliceValue| {
        let (Some(mean), Some(run_std)) = (run_value, run_std) else { return false };
        let room = run_std + value.std.unwrap_or(0.0);
        match larger_is_better(tag) {
            Some(true) => value.value < mean - room,
            _ => value.value > mean + room,
        }
    };
    let size = preset.primary_style.map_or(DOT, |style| style.marker_size);
    for (bad, ink, legend) in [(false, Ink::Group(0), "time slice"), (true, Ink::Alert, "time slice far from the run")]
    {
        let points: Vec<(f64, f64)> =
            values.iter().filter(|value| is_bad(value) == bad).map(|value| (value.x, value.value)).collect();
        if !points.is_empty() {
            figure.layers.push(Layer::new(ink, Marks::Dots { points, size, opacity: 1.0 }).legend(legend));
        }
    }
    figure.points = PointTable::new(["slice", "x", &format!("{tag}_{stat}"), "std", "is_far"]);
    for value in &values {
        let far = if is_bad(value) { "yes" } else { "no" };
        let std = PointCell::from(value.std);
        figure.points.push(vec![value.name.as_str().into(), value.x.into(), value.value.into(), std, far.into()]);
    }
    Ok(figure)
}

/// The middle of a slice in seconds and its name, `0–1`; or its number.
pub(super) fn place(preset: &Preset, slice: &SliceRow, start: u64, index: usize) -> (f64, String) {
    if !preset.use_slice_duration {
        return (index as f64, index.to_string());
    }
    let seconds = |time: u64| time.saturating_sub(start) as f64 / 1e9;
    let (from, to) = (seconds(slice.start_ns), seconds(slice.end_ns));
    let text = |seconds: f64| format!("{seconds:.3}").trim_end_matches('0').trim_end_matches('.').to_owned();
    (f64::midpoint(from, to), format!("{}–{}", text(from), text(to)))
}
