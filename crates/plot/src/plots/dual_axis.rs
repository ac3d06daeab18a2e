//! Two metrics over time, each with its own axis.

use super::label::title_of;
use super::over_time::{PointLines, point_lines};
use super::request_values::{ACTIVE, step_function};
use super::scatter::add_lines;
use super::{SingleContext, titled};
use crate::figure::{Axis, AxisSide, Bounds, Figure, Ink, Layer, LineShape, Marks, PointCell, PointTable};
use crate::preset::{MetricRef, PlotStyle, Preset, StyleMode};

pub(super) fn draw(preset: &Preset, context: &SingleContext<'_>) -> Result<Figure, String> {
    let second = preset.y2.as_ref().ok_or("y2 is missing: a dual_axis plot has two metrics")?;
    // What the preset says of its source is meant for y.
    let right_preset = Preset { source: second.source, ..preset.clone() };
    let right = point_lines(context, &right_preset, second)?;
    let left = point_lines(context, preset, &preset.y)?;
    let mut figure =
        titled(preset, Axis::new(&left.x_label, Bounds::FromZero), Axis::new(&left.y_label, Bounds::FromZero));
    figure.y2 = Some(Axis::new(&right.y_label, Bounds::FromZero));
    if right.unit == "%" {
        figure.y2 = Some(Axis::new(&right.y_label, Bounds::Fixed(0.0, 104.0)));
    }

    // What is filled lies below what is drawn as a line.
    add_side(&mut figure, &right, preset.secondary_style, AxisSide::Right, left.lines.len());
    add_side(&mut figure, &left, preset.primary_style, AxisSide::Left, 0);
    figure.points = PointTable::new(["series", &left.columns.0, "value"]);
    for lines in [&left, &right] {
        for line in &lines.lines {
            let name = if line.name.is_empty() { lines.columns.1.clone() } else { line.name.clone() };
            let rows = line.points.iter().map(|(x, y)| vec![name.as_str().into(), (*x).into(), (*y).into()]);
            figure.points.rows.extend(rows);
        }
    }
    if let Some(name) = &preset.supplementary_col {
        supplement(&mut figure, name, preset, context)?;
    }
    Ok(figure)
}

fn add_side(figure: &mut Figure, lines: &PointLines, style: Option<PlotStyle>, side: AxisSide, first_group: usize) {
    let from = figure.layers.len();
    let style = style.map(|style| if lines.is_step { style.stepped() } else { style });
    add_lines(figure, lines, style, StyleMode::Lines, first_group);
    let place = if side == AxisSide::Right { " (right axis)" } else { " (left axis)" };
    for layer in &mut figure.layers[from..] {
        layer.side = side;
    }
    let last = figure.layers.last_mut().filter(|layer| layer.legend.is_none());
    if let Some(layer) = last {
        layer.legend = Some(format!("{}{place}", lines.title));
    }
    for layer in &mut figure.layers[from..] {
        if let Some(legend) = layer.legend.as_mut().filter(|legend| !legend.ends_with(place)) {
            legend.push_str(place);
        }
    }
}

/// A third series, thin and dashed: its largest value is as high as the largest of the left axis, and the legend says how much
/// that is.
fn supplement(figure: &mut Figure, name: &str, preset: &Preset, context: &SingleContext<'_>) -> Result<(), String> {
    let points = if name == ACTIVE {
        step_function(context.run, name)?
    } else {
        let free = Preset { source: None, ..preset.clone() };
        let lines = point_lines(context, &free, &MetricRef::named(name))?;
        lines.lines.into_iter().flat_map(|line| line.points).collect()
    };
    let most = points.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let (_, left) = figure.extents(AxisSide::Left);
    let scale = left.map_or(1.0, |(_, high)| high) / if most > 0.0 { most } else { 1.0 };
    for (x, value) in &points {
        figure.points.push(vec![PointCell::from(name), (*x).into(), (*value).into()]);
    }
    let points = points.into_iter().map(|(x, value)| (x, value * scale)).collect();
    let marks = Marks::Line { points, shape: LineShape::Step, width: 1.2, is_dashed: true };
    let most = crate::figure::value_text(most);
    let most = most.trim_end_matches('0').trim_end_matches('.');
    figure.layers.push(Layer::new(Ink::Neutral, marks).legend(format!("{}, at most {most}", title_of(name))));
    Ok(())
}
