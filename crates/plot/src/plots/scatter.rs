//! One dot for each value, and rolling percentiles over them.

use std::collections::VecDeque;

use super::over_time::{PointLines, point_lines};
use super::{SingleContext, titled};
use crate::figure::{Axis, Bounds, Figure, Ink, Layer, Marks, PointTable};
use crate::preset::{PlotStyle, Preset, StyleMode};

/// Requests that a rolling percentile is taken over.
const WINDOW: usize = 10;
const PERCENTILES: [(f64, &str); 3] = [(0.50, "p50"), (0.95, "p95"), (0.99, "p99")];
/// Size of a dot if the preset says nothing.
const DOT: f32 = 7.0;

pub(super) fn draw(preset: &Preset, context: &SingleContext<'_>) -> Result<Figure, String> {
    let lines = point_lines(context, preset, &preset.y)?;
    let mut figure =
        titled(preset, Axis::new(&lines.x_label, Bounds::FromZero), Axis::new(&lines.y_label, Bounds::FromZero));
    add_lines(&mut figure, &lines, preset.primary_style, StyleMode::Markers, 0);
    figure.points = table(&lines);
    Ok(figure)
}

/// The marks of some lines, each in its own colour, as a style asks for.
pub(super) fn add_lines(
    figure: &mut Figure,
    lines: &PointLines,
    style: Option<PlotStyle>,
    usual: StyleMode,
    first_group: usize,
) {
    let usual_style = PlotStyle { marker_size: DOT, marker_opacity: 0.75, ..PlotStyle::default() };
    let style = style.unwrap_or(if lines.is_step { usual_style.stepped() } else { usual_style });
    let mode = style.mode.unwrap_or(usual);
    let has_names = lines.lines.len() > 1;
    for (index, line) in lines.lines.iter().enumerate() {
        let ink = Ink::Group(first_group + index);
        let mut layers = Vec::new();
        if style.is_filled() {
            let (points, shape) = (line.points.clone(), style.shape());
            layers.push(Layer::new(ink, Marks::Area { points, shape, opacity: style.fill_opacity }));
        }
        if mode.has_lines() {
            let (points, shape, width) = (line.points.clone(), style.shape(), style.line_width);
            layers.push(Layer::new(ink, Marks::Line { points, shape, width, is_dashed: false }));
        }
        if mode.has_markers() {
            let points = line.points.clone();
            let (size, opacity) = (style.marker_size, style.marker_opacity);
            layers.push(Layer::new(ink, Marks::Dots { points, size, opacity }));
        }
        if let Some(last) = layers.pop() {
            let last = if has_names { last.legend(&line.name) } else { last };
            figure.layers.extend(layers);
            figure.layers.push(last);
        }
    }
}

/// The points of all lines; the name of a line stands before them if there are several.
pub(super) fn table(lines: &PointLines) -> PointTable {
    let (x, y) = (lines.columns.0.clone(), lines.columns.1.clone());
    let has_names = lines.lines.len() > 1;
    let mut table = if has_names { PointTable::new(["series".to_owned(), x, y]) } else { PointTable::new([x, y]) };
    for line in &lines.lines {
        for (x, y) in &line.points {
            let mut row = vec![(*x).into(), (*y).into()];
            if has_names {
                row.insert(0, line.name.as_str().into());
            }
            table.push(row);
        }
    }
    table
}

pub(super) fn draw_with_percentiles(preset: &Preset, context: &SingleContext<'_>) -> Result<Figure, String> {
    let mut lines = point_lines(context, preset, &preset.y)?;
    // Percentiles roll along x.
    lines.lines.iter_mut().for_each(|line| line.points.sort_by(|one, other| one.0.total_cmp(&other.0)));
    let mut figure =
        titled(preset, Axis::new(&lines.x_label, Bounds::FromZero), Axis::new(&lines.y_label, Bounds::FromZero));
    let style =
        preset.primary_style.unwrap_or(PlotStyle { marker_size: DOT, marker_opacity: 0.35, ..PlotStyle::default() });
    add_lines(&mut figure, &lines, Some(style), StyleMode::Markers, 0);
    if let Some(dots) = figure.layers.last_mut().filter(|layer| layer.legend.is_none()) {
        dots.legend = Some("each request".to_owned());
    }
    figure.points = PointTable::new([lines.columns.0.as_str(), lines.columns.1.as_str(), "p50", "p95", "p99"]);
    for line in &lines.lines {
        let rolled = rolling(&line.points);
        for (index, (_, name)) in PERCENTILES.iter().enumerate() {
            let points = line.points.iter().zip(&rolled).map(|((x, _), values)| (*x, values[index])).collect();
            let marks = Marks::Line { points, shape: crate::LineShape::Straight, width: 2.0, is_dashed: false };
            let layer = Layer::new(Ink::Group(index + 1), marks);
            figure.layers.push(layer.legend(format!("rolling {name} of {WINDOW} values")));
        }
        for ((x, y), [p50, p95, p99]) in line.points.iter().zip(&rolled) {
            figure.points.push(vec![(*x).into(), (*y).into(), (*p50).into(), (*p95).into(), (*p99).into()]);
        }
    }
    Ok(figure)
}

/// The percentiles of each value and those before it, up to the window.
fn rolling(points: &[(f64, f64)]) -> Vec<[f64; 3]> {
    let mut window: VecDeque<f64> = VecDeque::with_capacity(WINDOW);
    let values = points.iter().map(|(_, value)| {
        if window.len() == WINDOW {
            window.pop_front();
        }
        window.push_back(*value);
        let mut sorted: Vec<f64> = window.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        PERCENTILES.map(|(share, _)| aiperf_stats::linear(&sorted, share).unwrap_or(f64::NAN))
    });
    values.collect()
}

#[cfg(test)]
mod tests {
    use super::rolling;

    #[test]
    fn percentiles_roll_over_ten_values() {
        let points: Vec<(f64, f64)> = (0..20).map(|index| (f64::from(index), f64::from(index))).collect();
        let rolled = rolling(&points);
        assert_eq!(rolled[0], [0.0, 0.0, 0.0]);
        assert_eq!(rolled[19][0], 14.5);
        assert!((rolled[19][1] - 18.55).abs() < 1e-9);
    }
}
