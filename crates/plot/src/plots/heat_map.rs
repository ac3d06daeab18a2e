//! How often values occur over time: a column for each range of time, a row for each range of values.

use super::label::axis_label;
use super::request_values::column;
use super::titled;
use crate::figure::{Axis, Bounds, Figure, HeatCell, Ink, Layer, Marks, PointTable};
use crate::preset::Preset;
use crate::run::DetailedRun;

const COLUMNS: f64 = 60.0;
const ROWS: f64 = 30.0;

pub(super) fn draw(preset: &Preset, run: &DetailedRun) -> Result<Figure, String> {
    let x_name = preset.x.as_ref().map_or("timestamp_s", |x| x.name.as_str());
    let ((xs, x_unit), (ys, y_unit)) = (column(run, x_name)?, column(run, &preset.y.name)?);
    let points: Vec<(f64, f64)> = xs.into_iter().zip(ys).filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
    if points.is_empty() {
        return Err(format!("no request has a value of {}", preset.y.name));
    }
    let grid = |values: &mut dyn Iterator<Item = f64>, count: f64| {
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        (low, if high > low { (high - low) / count } else { 1.0 })
    };
    let (left, wide) = grid(&mut points.iter().map(|it| it.0), COLUMNS);
    let (bottom, tall) = grid(&mut points.iter().map(|it| it.1), ROWS);
    let mut counts = vec![0u64; (COLUMNS * ROWS) as usize];
    for (x, y) in &points {
        let across = (((x - left) / wide) as usize).min(COLUMNS as usize - 1);
        let up = (((y - bottom) / tall) as usize).min(ROWS as usize - 1);
        counts[up * COLUMNS as usize + across] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let mut figure = titled(
        preset,
        Axis::new(axis_label(x_name, None, x_unit), Bounds::Fixed(left, left + wide * COLUMNS)),
        Axis::new(axis_label(&preset.y.name, None, y_unit), Bounds::Fixed(bottom, bottom + tall * ROWS)),
    );
    figure.points = PointTable::new(["x_from", "x_to", "y_from", "y_to", "count"]);
    let mut cells = Vec::new();
    for (index, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (across, up) = ((index % COLUMNS as usize) as f64, (index / COLUMNS as usize) as f64);
        let x = (left + across * wide, left + (across + 1.0) * wide);
        let y = (bottom + up * tall, bottom + (up + 1.0) * tall);
        // The root keeps the difference between few requests visible next to full cells.
        let share = (*count - 1) as f64 / (most - 1).max(1) as f64;
        cells.push(HeatCell { x, y, share: share.sqrt() });
        figure.points.push(vec![x.0.into(), x.1.into(), y.0.into(), y.1.into(), (*count as f64).into()]);
    }
    let legend = format!("requests in a cell: 1 to {most}");
    figure.layers.push(Layer::new(Ink::Neutral, Marks::Heat { cells }).legend(legend));
    Ok(figure)
}
