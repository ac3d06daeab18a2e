//! Draws the marks of one layer.

use std::collections::HashSet;

use super::canvas::{Canvas, Pen, Shape, Step, ellipse, rectangle};
use super::chart::PlotArea;
use super::point_labels;
use super::scale::AxisMap;
use super::theme::{Theme, group_index};
use crate::figure::{ErrorBar, Layer, LineShape, Marks, Oval};

/// Half of the bar at the end of an error bar.
const CAP: f32 = 5.0;
/// Distinct places in a unit of length: marks at the same place are drawn once.
const PLACES: f32 = 2.0;

pub(super) fn draw_layer(layer: &Layer, area: &PlotArea, theme: Theme, canvas: &mut dyn Canvas) {
    let paint = theme.ink(layer.ink);
    let (x, y) = (&area.x, area.y(layer.side));
    let (left, right) = x.ends();
    match &layer.marks {
        Marks::Line { points, shape, width, is_dashed } => {
            let path = line(&thinned(placed(points, x, y)), *shape);
            canvas.stroke(&path, Pen { paint, width: *width, is_dashed: *is_dashed });
        }
        Marks::Dots { points, size, opacity } => {
            let centres = distinct(placed(points, x, y));
            canvas.dots(&centres, size / 2.0, Shape::of_group(group_index(layer.ink)), paint.faded(*opacity));
        }
        Marks::Area { points, shape, opacity } => {
            let mut path = line(&thinned(placed(points, x, y)), *shape);
            close(&mut path, y.zero());
            canvas.fill(&path, paint.faded(*opacity));
        }
        Marks::Band { points, opacity } => {
            let shown =
                points.iter().filter(|(at, low, high)| x.can_show(*at) && y.can_show(*low) && y.can_show(*high));
            let (mut upper, mut lower) = (Vec::new(), Vec::new());
            for (at, low, high) in shown {
                upper.push((x.place(*at), y.place(*high)));
                lower.push((x.place(*at), y.place(*low)));
            }
            lower.reverse();
            upper.extend(lower);
            let mut path = line(&upper, LineShape::Straight);
            path.push(Step::Close);
            canvas.fill(&path, paint.faded(*opacity));
        }
        Marks::Bars { bars, opacity } => {
            let shown = bars.iter().filter(|(_, _, high)| y.can_show(*high));
            let path: Vec<Step> = shown
                .flat_map(|(from, to, high)| {
                    let (from, to) = (x.place(*from), x.place(*to));
                    let gap = ((to - from) * 0.06).min(2.0);
                    rectangle(from + gap, y.place(*high), to - gap, y.zero())
                })
                .collect();
            canvas.fill(&path, paint.faded(*opacity));
        }
        Marks::Errors { bars } => {
            let path: Vec<Step> = bars.iter().flat_map(|bar| error_bar(bar, x, y)).collect();
            canvas.stroke(&path, Pen::solid(paint, 1.8));
        }
        Marks::Ovals { ovals, is_dashed } => {
            for Oval { centre, radii } in ovals {
                let (across, up) = (x.place(centre.0), y.place(centre.1));
                let wide = (x.place(centre.0 + radii.0) - across).abs();
                let high = (y.place(centre.1 + radii.1) - up).abs();
                let path = ellipse((across, up), (wide, high));
                let (fill, edge) = if *is_dashed { (0.07, 0.55) } else { (0.15, 0.9) };
                canvas.fill(&path, paint.faded(fill));
                canvas.stroke(&path, Pen { paint: paint.faded(edge), width: 1.5, is_dashed: *is_dashed });
            }
        }
        Marks::Strokes { strokes, width } => {
            let mut seen = HashSet::new();
            let path: Vec<Step> = strokes
                .iter()
                .map(|(from, to, high)| (x.place(*from), x.place(*to), y.place(*high)))
                .filter(|(from, to, high)| seen.insert([place(*from), place(*to), place(*high)]))
                .flat_map(|(from, to, high)| [Step::Move(from, high), Step::Line(to, high)])
                .collect();
            canvas.stroke(&path, Pen::solid(paint, *width));
        }
        Marks::Level { y: level, is_dashed } => {
            let at = y.place(*level);
            let path = [Step::Move(left, at), Step::Line(right, at)];
            canvas.stroke(&path, Pen { paint, width: 2.0, is_dashed: *is_dashed });
        }
        Marks::Range { low, high } => {
            canvas.fill(&rectangle(left, y.place(*high), right, y.place(*low)), paint.faded(0.16));
        }
        Marks::Heat { cells } => {
            for cell in cells {
                let (from, to) = (x.place(cell.x.0), x.place(cell.x.1));
                let path = rectangle(from, y.place(cell.y.1), to + 0.5, y.place(cell.y.0) + 0.5);
                canvas.fill(&path, theme.heat(cell.share));
            }
        }
        Marks::Texts { texts } => {
            let shown = texts.iter().filter(|(at, high, _)| x.can_show(*at) && y.can_show(*high));
            let placed: Vec<(f32, f32, &str)> =
                shown.map(|(at, high, text)| (x.place(*at), y.place(*high), text.as_str())).collect();
            point_labels::draw(&placed, area, theme, canvas);
        }
    }
}

fn placed(points: &[(f64, f64)], x: &AxisMap, y: &AxisMap) -> Vec<(f32, f32)> {
    let shown = points.iter().filter(|(at, high)| x.can_show(*at) && y.can_show(*high));
    shown.map(|(at, high)| (x.place(*at), y.place(*high))).collect()
}

fn place(value: f32) -> i32 {
    (value * PLACES).round() as i32
}

/// One dot for each place of the picture: a run of a million requests has more dots than the picture has places.
fn distinct(mut centres: Vec<(f32, f32)>) -> Vec<(f32, f32)> {
    let mut seen = HashSet::new();
    centres.retain(|(x, y)| seen.insert((place(*x), place(*y))));
    centres
}

/// A line with more points than this is thinned.
const DENSE: usize = 4000;

/// Of the points of a dense line that lie above each other, only the first, the lowest, the highest and the last: the line looks the
/// same. A line that goes back and forth is left as it is.
fn thinned(points: Vec<(f32, f32)>) -> Vec<(f32, f32)> {
    if points.len() <= DENSE || points.windows(2).any(|pair| pair[1].0 < pair[0].0) {
        return points;
    }
    let mut kept = Vec::new();
    for column in points.chunk_by(|one, other| one.0.floor().total_cmp(&other.0.floor()).is_eq()) {
        let by_height = |one: &usize, other: &usize| column[*one].1.total_cmp(&column[*other].1);
        let lowest = (0..column.len()).min_by(by_height).unwrap_or_default();
        let highest = (0..column.len()).max_by(by_height).unwrap_or_default();
        let mut places = [0, lowest, highest, column.len() - 1];
        places.sort_unstable();
        let mut before = None;
        for place in places {
            if before != Some(place) {
                kept.push(column[place]);
            }
            before = Some(place);
        }
    }
    kept
}

/// A line through the points.
fn line(points: &[(f32, f32)], shape: LineShape) -> Vec<Step> {
    let Some(((x, y), rest)) = points.split_first() else { return Vec::new() };
    let mut path = vec![Step::Move(*x, *y)];
    let (mut before, mut slope) = ((*x, *y), 0.0);
    for (index, (x, y)) in rest.iter().copied().enumerate() {
        match shape {
            LineShape::Straight => path.push(Step::Line(x, y)),
            LineShape::Step => path.extend([Step::Line(x, before.1), Step::Line(x, y)]),
            LineShape::StepBefore => path.extend([Step::Line(before.0, y), Step::Line(x, y)]),
            LineShape::Smooth => {
                let after = rest.get(index + 1).copied().unwrap_or((x, y));
                let wide = after.0 - before.0;
                // The curve does not rise above or fall below the points at its ends.
                let is_peak = (y - before.1) * (after.1 - y) <= 0.0;
                let next = if is_peak || wide == 0.0 { 0.0 } else { (after.1 - before.1) / wide };
                let third = (x - before.0) / 3.0;
                let control = [(before.0 + third, before.1 + slope * third), (x - third, y - next * third), (x, y)];
                path.push(Step::Curve(control));
                slope = next;
            }
        }
        before = (x, y);
    }
    path
}

/// Closes the path of a line down to a height.
fn close(path: &mut Vec<Step>, down_to: f32) {
    let end = |step: &Step| match step {
        Step::Move(x, _) | Step::Line(x, _) | Step::Curve([_, _, (x, _)]) => Some(*x),
        Step::Close => None,
    };
    if let (Some(first), Some(last)) = (path.first().and_then(end), path.last().and_then(end)) {
        path.extend([Step::Line(last, down_to), Step::Line(first, down_to), Step::Close]);
    }
}

fn error_bar(bar: &ErrorBar, x: &AxisMap, y: &AxisMap) -> Vec<Step> {
    let mut path = Vec::new();
    let (across, up) = (x.place(bar.x), y.place(bar.y));
    if let Some((low, high)) = bar.y_range {
        let (low, high) = (y.place(low), y.place(high));
        path.extend([Step::Move(across, low), Step::Line(across, high)]);
        for end in [low, high] {
            path.extend([Step::Move(across - CAP, end), Step::Line(across + CAP, end)]);
        }
    }
    if let Some((low, high)) = bar.x_range {
        let (low, high) = (x.place(low), x.place(high));
        path.extend([Step::Move(low, up), Step::Line(high, up)]);
        for end in [low, high] {
            path.extend([Step::Move(end, up - CAP), Step::Line(end, up + CAP)]);
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dense_line_keeps_its_ends_and_its_peaks() {
        let mut points: Vec<(f32, f32)> = (0..50_000).map(|index| (index as f32 / 100.0, (index % 7) as f32)).collect();
        points[12_345].1 = 99.0;
        let kept = thinned(points.clone());
        assert!(kept.len() <= 4 * 500, "{}", kept.len());
        assert_eq!((kept.first(), kept.last()), (points.first(), points.last()));
        assert!(kept.contains(&points[12_345]));
        assert!(kept.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        points.swap(0, 40_000);
        assert_eq!(thinned(points.clone()).len(), points.len(), "a line that goes back stays as it is");
    }
}
