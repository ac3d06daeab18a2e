//! Several runs as points, joined in the order of the swept parameter.

use super::operating_point::{GroupedPoints, OperatingPoint, PointGroup};
use super::titled;
use crate::figure::{Axis, Bounds, ErrorBar, Figure, Ink, Layer, LineShape, Marks, PointCell, PointTable};
use crate::preset::{PlotStyle, Preset};

const DOT: f32 = 11.0;
/// An extent that is smaller than this share of the largest value is shown alone.
const NARROW: f64 = 0.25;

/// Whether the points of a group are joined by a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joined {
    Yes,
    No,
}

pub(super) fn draw(preset: &Preset, points: &GroupedPoints, joined: Joined) -> Figure {
    let mut figure = start(preset, points);
    let style = preset.primary_style.unwrap_or(PlotStyle { marker_size: DOT, ..PlotStyle::default() });
    for group in &points.groups {
        add_intervals(&mut figure, group);
        if joined == Joined::Yes {
            add_line(&mut figure, group.ink, group.points.iter().map(position).collect(), &style);
        }
        add_dots(&mut figure, group, &style, points.groups.len());
    }
    add_texts(&mut figure, points);
    figure
}

/// A figure with axes, and with all points in its table.
pub(super) fn start(preset: &Preset, points: &GroupedPoints) -> Figure {
    let y = Axis::new(&points.y_label, Bounds::FromZero);
    let mut figure = titled(preset, Axis::new(&points.x_label, x_bounds(points)), y);
    let label = points.label_name.as_deref().unwrap_or("label");
    let columns =
        ["run", "group", label, "x", "x_low", "x_high", "y", "y_low", "y_high", "runs"].map(ToOwned::to_owned);
    figure.points = PointTable::new(columns);
    for group in &points.groups {
        for point in &group.points {
            figure.sources.push(point.folders.clone());
            let ends = |interval: Option<(f64, f64)>| {
                let ends = interval.unzip();
                [PointCell::from(ends.0), PointCell::from(ends.1)]
            };
            let ([x_low, x_high], [y_low, y_high]) = (ends(point.x.interval), ends(point.y.interval));
            figure.points.push(vec![
                point.run.as_str().into(),
                group.name.as_str().into(),
                point.label.as_str().into(),
                point.x.value.into(),
                x_low,
                x_high,
                point.y.value.into(),
                y_low,
                y_high,
                (point.runs as f64).into(),
            ]);
        }
    }
    figure
}

/// Values of x that lie close together would be one point on an axis from zero.
fn x_bounds(points: &GroupedPoints) -> Bounds {
    let all = points.groups.iter().flat_map(|group| &group.points).map(|point| point.x.value);
    let (low, high) = all.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
    if low > 0.0 && high - low < high * NARROW && high > low { Bounds::Data } else { Bounds::FromZero }
}

pub(super) fn position(point: &OperatingPoint) -> (f64, f64) {
    (point.x.value, point.y.value)
}

pub(super) fn add_line(figure: &mut Figure, ink: Ink, points: Vec<(f64, f64)>, style: &PlotStyle) {
    let is_shown = style.mode.is_none_or(crate::preset::StyleMode::has_lines);
    if points.len() > 1 && is_shown {
        let (shape, width) = (style.shape(), style.line_width);
        let shape = if shape == LineShape::Smooth { LineShape::Straight } else { shape };
        figure.layers.push(Layer::new(ink, Marks::Line { points, shape, width, is_dashed: false }));
    }
}

pub(super) fn add_dots(figure: &mut Figure, group: &PointGroup, style: &PlotStyle, groups: usize) {
    let points = group.points.iter().map(position).collect();
    let marks = Marks::Dots { points, size: style.marker_size.max(4.0), opacity: style.marker_opacity };
    let layer = Layer::new(group.ink, marks);
    // One group alone needs a legend only if it has a name worth reading.
    let is_named = groups > 1 || !group.name.starts_with("no ");
    figure.layers.push(if is_named { layer.legend(&group.name) } else { layer });
}

/// The stored confidence intervals.
pub(super) fn add_intervals(figure: &mut Figure, group: &PointGroup) {
    let bars: Vec<ErrorBar> = group
        .points
        .iter()
        .filter(|point| point.x.interval.is_some() || point.y.interval.is_some())
        .map(|point| {
            let (x, y) = position(point);
            ErrorBar { x, y, x_range: point.x.interval, y_range: point.y.interval }
        })
        .collect();
    if bars.is_empty() {
        return;
    }
    let level = group.points.iter().find_map(|point| point.level).unwrap_or(0.95);
    let note =
        format!("Bars are the stored confidence intervals ({} %).", crate::figure::number_text(level * 100.0, 0));
    if !figure.notes.contains(&note) {
        figure.notes.push(note);
    }
    figure.layers.push(Layer::new(group.ink, Marks::Errors { bars }));
}

/// The texts next to the points, and what they are.
pub(super) fn add_texts(figure: &mut Figure, points: &GroupedPoints) {
    let all = points.groups.iter().flat_map(|group| &group.points);
    let texts: Vec<(f64, f64, String)> = all
        .filter(|point| !point.label.is_empty())
        .map(|point| (point.x.value, point.y.value, point.label.clone()))
        .collect();
    if let (Some(name), false) = (&points.label_name, texts.is_empty()) {
        figure.notes.push(format!("Numbers next to points: {name}."));
        figure.layers.push(Layer::new(Ink::Neutral, Marks::Texts { texts }));
    }
}
