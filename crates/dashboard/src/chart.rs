//! Small charts of block characters: one line for a trend, several for an area or a histogram.

use crate::canvas::{Line, Span};
use crate::theme::Theme;

/// All values as one line, scaled from zero to the largest. The last one is at the right edge.
pub(crate) fn trend(values: &[f64], width: usize, theme: Theme) -> String {
    let shown = &averaged(values, width);
    // One step below the full height, so that the trends of neighbouring lines do not touch.
    let steps = theme.levels().len() - 1;
    let drawn: String = heights(shown, steps).into_iter().map(|height| cell(height, 0, theme)).collect();
    format!("{drawn:>width$}")
}

/// Lines from top to bottom, each `width` wide. The last values are at the right edge. The top of each column is bright, what is
/// below it dim, so that the eye follows the values.
pub(crate) fn area(values: &[f64], width: usize, height: usize, theme: Theme) -> Vec<Line> {
    let full = theme.levels().len();
    let heights = heights(&values[values.len().saturating_sub(width)..], height * full);
    let (bright, dim) = (theme.accent(), theme.accent().dim());
    let line = |line: usize| {
        let below = (height - 1 - line) * full;
        let mut spans = vec![Span::raw(" ".repeat(width - heights.len()))];
        for part in heights.chunk_by(|one, other| (*one > below + full) == (*other > below + full)) {
            let style = if part[0] > below + full { dim } else { bright };
            spans.push(Span::styled(part.iter().map(|height| cell(*height, below, theme)).collect::<String>(), style));
        }
        Line::from(spans)
    };
    (0..height).map(line).collect()
}

/// Heights of columns in steps, of which the largest value has `steps`.
fn heights(values: &[f64], steps: usize) -> Vec<usize> {
    let most = values.iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max);
    let height = |value: &f64| match value / most {
        share if share > 0.0 => ((share * steps as f64).round() as usize).max(1),
        _ => 0,
    };
    values.iter().map(height).collect()
}

/// The part of a column in the cell above `below` steps.
fn cell(height: usize, below: usize, theme: Theme) -> char {
    let levels = theme.levels();
    match height.saturating_sub(below) {
        0 => ' ',
        filled => levels[filled.min(levels.len()) - 1],
    }
}

/// Joins neighbours until there are at most `width` values: sums, as for counts.
pub(crate) fn gathered(values: &[f64], width: usize) -> Vec<f64> {
    let step = values.len().div_ceil(width.max(1)).max(1);
    values.chunks(step).map(|chunk| chunk.iter().sum()).collect()
}

/// Joins neighbours if there are more than `width` values: averages, as for rates.
pub(crate) fn averaged(values: &[f64], width: usize) -> Vec<f64> {
    let columns = values.len().min(width);
    let edge = |column: usize| column * values.len() / columns;
    (0..columns)
        .map(|column| {
            let part = &values[edge(column)..edge(column + 1)];
            part.iter().sum::<f64>() / part.len() as f64
        })
        .collect()
}

/// Repeats each value so that the chart fills the width.
pub(crate) fn stretched(values: &[f64], width: usize) -> Vec<f64> {
    if values.is_empty() {
        return Vec::new();
    }
    (0..width).map(|column| values[column * values.len() / width]).collect()
}

/// `━━━━━━────`: the parts that are done and that are not, `share` from 0 to 1.
pub(crate) fn bar(share: f64, width: usize, theme: Theme) -> (String, String) {
    parts(share, width, theme.bar())
}

/// `██████░░░░`, for a line of its own.
pub(crate) fn thick_bar(share: f64, width: usize, theme: Theme) -> (String, String) {
    parts(share, width, theme.thick_bar())
}

fn parts(share: f64, width: usize, (full, empty): (char, char)) -> (String, String) {
    let filled = ((share.clamp(0.0, 1.0) * width as f64).round() as usize).min(width);
    (full.to_string().repeat(filled), empty.to_string().repeat(width - filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trend_is_scaled_to_its_largest_value_and_leaves_room_above() {
        assert_eq!(trend(&[0.0, 1.0, 4.0, 8.0], 4, Theme::dark()), " ▁▄▇");
        assert_eq!(trend(&[8.0], 3, Theme::dark()), "  ▇");
        assert_eq!(trend(&[], 3, Theme::dark()), "   ");
        assert_eq!(trend(&[0.0, 2.0, 4.0, 4.0], 2, Theme::dark()), "▂▇");
        assert_eq!(trend(&[0.001, 1_000.0], 2, Theme::dark()), "▁▇");
    }

    fn text(lines: &[Line]) -> Vec<String> {
        lines.iter().map(|line| line.0.iter().map(|span| span.text.as_str()).collect()).collect()
    }

    #[test]
    fn an_area_fills_from_below_and_its_top_is_bright() {
        let drawn = area(&[4.0, 8.0, 16.0], 4, 2, Theme::dark());
        assert_eq!(text(&drawn), ["   █", " ▄██"]);
        let dim = |line: &Line| line.0.iter().filter(|span| span.style.is_dim).map(Span::width).sum::<usize>();
        assert_eq!((dim(&drawn[0]), dim(&drawn[1])), (0, 1));
        assert_eq!(text(&area(&[0.0, 0.0], 2, 2, Theme::without_unicode())), ["  ", "  "]);
    }

    #[test]
    fn bins_are_gathered_without_loss_and_stretched_to_the_width() {
        assert_eq!(gathered(&[1.0, 2.0, 3.0, 4.0, 5.0], 2), [6.0, 9.0]);
        assert_eq!(averaged(&[1.0, 2.0, 3.0, 4.0, 5.0], 2), [1.5, 4.0]);
        assert_eq!(averaged(&[1.0, 2.0, 3.0], 2).len(), 2);
        assert!(averaged(&[], 2).is_empty() && averaged(&[1.0], 0).is_empty());
        assert_eq!(stretched(&[1.0, 2.0], 4), [1.0, 1.0, 2.0, 2.0]);
        assert_eq!(bar(0.5, 4, Theme::without_unicode()), ("==".to_owned(), "--".to_owned()));
    }
}
