//! A filled line over time.

use super::over_time::point_lines;
use super::scatter::{add_lines, table};
use super::{SingleContext, titled};
use crate::figure::{Axis, Bounds, Figure, Ink, Layer, Marks};
use crate::preset::{PlotStyle, Preset, StyleMode};

pub(super) fn draw(preset: &Preset, context: &SingleContext<'_>) -> Result<Figure, String> {
    let lines = point_lines(context, preset, &preset.y)?;
    let mut figure =
        titled(preset, Axis::new(&lines.x_label, Bounds::FromZero), Axis::new(&lines.y_label, Bounds::FromZero));
    let usual = if lines.is_step { PlotStyle::default().stepped() } else { PlotStyle::default() };
    let style = preset.primary_style.unwrap_or(usual);
    if !style.is_filled() {
        for (index, line) in lines.lines.iter().enumerate() {
            let marks = Marks::Area { points: line.points.clone(), shape: style.shape(), opacity: style.fill_opacity };
            figure.layers.push(Layer::new(Ink::Group(index), marks));
        }
    }
    add_lines(&mut figure, &lines, Some(style), StyleMode::Lines, 0);
    figure.points = table(&lines);
    Ok(figure)
}
