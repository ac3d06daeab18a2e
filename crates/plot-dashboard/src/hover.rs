//! What a page shows when somebody points at a mark.

use std::collections::HashSet;

use aiperf_plot::{AxisSide, ChartArea, Figure, Marks, PointCell, number_text};
use serde_json::{Value, json};

use crate::known_runs::{KnownRuns, run_id};

/// Marks of a chart that react. A chart of a million requests has more marks than places.
const MOST_POINTS: usize = 4000;

pub(crate) fn hover_points(figure: &Figure, area: &ChartArea, runs: &KnownRuns) -> Vec<Value> {
    if figure.sources.is_empty() { of_marks(figure, area) } else { of_runs(figure, area, runs) }
}

/// One point for each row of the table: everything that the row says, and which runs it stands for.
fn of_runs(figure: &Figure, area: &ChartArea, runs: &KnownRuns) -> Vec<Value> {
    let columns = &figure.points.columns;
    let number = |row: &[PointCell], name: &str| {
        let at = columns.iter().position(|column| column == name)?;
        if let PointCell::Number(value) = row.get(at)? { Some(*value) } else { None }
    };
    let rows = figure.points.rows.iter().zip(&figure.sources).filter_map(|(row, folders)| {
        let (x, y) = (number(row, "x")?, number(row, "y")?);
        let (left, top) = area.place(x, y, AxisSide::Left)?;
        let range = |low: &str, high: &str| {
            let (low, high) = (number(row, low)?, number(row, high)?);
            Some(format!(" ({} to {})", readable(low), readable(high)))
        };
        let mut lines = vec![
            (figure.x.label.clone(), readable(x) + &range("x_low", "x_high").unwrap_or_default()),
            (figure.y.label.clone(), readable(y) + &range("y_low", "y_high").unwrap_or_default()),
        ];
        for (column, cell) in columns.iter().zip(row) {
            let is_told = ["run", "x", "y", "x_low", "x_high", "y_low", "y_high", "label"].contains(&column.as_str());
            let text = match cell {
                PointCell::Text(text) => text.clone(),
                PointCell::Number(value) => readable(*value),
                PointCell::None => String::new(),
            };
            if !is_told && !text.is_empty() {
                lines.push((column.clone(), text));
            }
        }
        let ids: Vec<String> =
            folders.iter().map(|folder| run_id(folder)).filter(|id| runs.with_id(id).is_some()).collect();
        let title = match row.first() {
            Some(PointCell::Text(name)) => name.clone(),
            _ => String::new(),
        };
        Some(json!({"left": left, "top": top, "title": title, "lines": lines, "runs": ids}))
    });
    rows.take(MOST_POINTS).collect()
}

/// One point for each place that has marks.
fn of_marks(figure: &Figure, area: &ChartArea) -> Vec<Value> {
    let mut seen = HashSet::new();
    let mut points = Vec::new();
    for layer in &figure.layers {
        let y_axis = match layer.side {
            AxisSide::Left => &figure.y,
            AxisSide::Right => figure.y2.as_ref().unwrap_or(&figure.y),
        };
        let mut add = |x: f64, y: f64, lines: Vec<(String, String)>| {
            let Some((left, top)) = area.place(x, y, layer.side) else { return };
            if points.len() < MOST_POINTS && seen.insert((left.round() as i32, top.round() as i32)) {
                let title = layer.legend.clone().unwrap_or_default();
                points.push(json!({"left": left, "top": top, "title": title, "lines": lines, "runs": []}));
            }
        };
        let usual = |x: f64, y: f64| vec![(figure.x.label.clone(), readable(x)), (y_axis.label.clone(), readable(y))];
        match &layer.marks {
            Marks::Line { points, .. } | Marks::Dots { points, .. } => {
                for (x, y) in points {
                    add(*x, *y, usual(*x, *y));
                }
            }
            Marks::Bars { bars, .. } => bars.iter().for_each(|(from, to, y)| {
                let range = format!("{} to {}", readable(*from), readable(*to));
                let lines = vec![(figure.x.label.clone(), range), (y_axis.label.clone(), readable(*y))];
                add(f64::midpoint(*from, *to), *y, lines);
            }),
            Marks::Band { points, .. } => points.iter().for_each(|(x, low, high)| {
                let range = format!("{} to {}", readable(*low), readable(*high));
                add(*x, *high, vec![(figure.x.label.clone(), readable(*x)), (y_axis.label.clone(), range)]);
            }),
            Marks::Strokes { strokes, .. } => strokes.iter().for_each(|(from, to, y)| {
                let range = format!("{} to {}", readable(*from), readable(*to));
                add(
                    f64::midpoint(*from, *to),
                    *y,
                    vec![(figure.x.label.clone(), range), (y_axis.label.clone(), readable(*y))],
                );
            }),
            // The rows of the table are the cells, with their counts.
            Marks::Heat { cells } => cells.iter().zip(&figure.points.rows).for_each(|(cell, row)| {
                let range = |(from, to): (f64, f64)| format!("{} to {}", readable(from), readable(to));
                let count = row.last().map(ToString::to_string).unwrap_or_default();
                let lines = vec![
                    (figure.x.label.clone(), range(cell.x)),
                    (y_axis.label.clone(), range(cell.y)),
                    ("Requests".to_owned(), count),
                ];
                add(f64::midpoint(cell.x.0, cell.x.1), f64::midpoint(cell.y.0, cell.y.1), lines);
            }),
            Marks::Area { .. }
            | Marks::Errors { .. }
            | Marks::Ovals { .. }
            | Marks::Level { .. }
            | Marks::Range { .. }
            | Marks::Texts { .. } => {}
        }
    }
    points
}

/// A number with about five digits.
pub(crate) fn readable(value: f64) -> String {
    let magnitude = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    let text = number_text(value, (4 - magnitude).clamp(0, 6) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn numbers_have_about_five_digits() {
        assert_eq!(readable(1234.5678), "1,234.6");
        assert_eq!(readable(0.000_123), "0.000123");
        assert_eq!(readable(100.0), "100");
        assert_eq!(readable(0.0), "0");
    }
}
