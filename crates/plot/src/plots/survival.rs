//! Which share of the values is larger: the tail of a distribution, on a logarithmic axis.

use super::label::axis_label;
use super::request_values::all_values;
use super::titled;
use crate::figure::{
    Axis, AxisScale, Bounds, Figure, Ink, Layer, LineShape, Marks, PointTable, TickLabels, number_text,
};
use crate::preset::Preset;
use crate::run::DetailedRun;

/// Most points of the line.
const MOST_POINTS: usize = 2000;

pub(super) fn draw(preset: &Preset, run: &DetailedRun) -> Result<Figure, String> {
    let (mut values, unit) = all_values(run, &preset.y.name)?;
    values.sort_by(f64::total_cmp);
    let count = values.len() as f64;
    let every = values.len().div_ceil(MOST_POINTS);
    // The tail is what the chart is for: its points are all drawn.
    let tail = values.len().saturating_sub(MOST_POINTS / 2);
    let indices = (0..values.len()).filter(|index| index.is_multiple_of(every) || *index >= tail);
    let points: Vec<(f64, f64)> = indices.map(|index| (values[index], (count - index as f64) / count)).collect();
    let mut y = Axis::new("Requests that take at least this long (%)", Bounds::Fixed(0.7 / count, 1.2));
    y.scale = AxisScale::Log;
    let powers = (0..=count.log10().ceil() as i32).map(|power| {
        let share = 10f64.powi(-power);
        (share, format!("{} %", number_text(share * 100.0, (power - 2).max(0) as usize)))
    });
    y.ticks = TickLabels::Named(powers.collect());
    let mut figure = titled(preset, Axis::new(axis_label(&preset.y.name, None, unit), Bounds::Data), y);
    figure.points = PointTable::new([preset.y.name.as_str(), "share_at_least"]);
    for (value, share) in &points {
        figure.points.push(vec![(*value).into(), (*share).into()]);
    }
    let marks = Marks::Line { points, shape: LineShape::StepBefore, width: 2.2, is_dashed: false };
    figure.layers.push(Layer::new(Ink::Group(0), marks));
    Ok(figure)
}
