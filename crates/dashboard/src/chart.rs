//! Small charts of block characters: one line for a trend, several for an area or a histogram.

use crate::theme::Theme;

/// The last values as one line, scaled from zero to the largest.
pub(crate) fn trend(values: &[f64], width: usize, theme: Theme) -> String {
    area(values, width, 1, theme).pop().unwrap_or_default()
}

/// Lines from top to bottom, each `width` wide. The last values are at the right edge.
pub(crate) fn area(values: &[f64], width: usize, height: usize, theme: Theme) -> Vec<String> {
    let shown = &values[values.len().saturating_sub(width)..];
    let most = shown.iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max);
    let levels = theme.levels();
    let steps = (height * levels.len()) as f64;
    let heights: Vec<usize> = shown
        .iter()
        .map(|value| match value / most {
            share if share > 0.0 => ((share * steps).round() as usize).max(1),
            _ => 0,
        })
        .collect();
    (0..height)
        .map(|line| {
            let below = (height - 1 - line) * levels.len();
            let cell = |height: &usize| match height.saturating_sub(below) {
                0 => ' ',
                filled => levels[filled.min(levels.len()) - 1],
            };
            let drawn: String = heights.iter().map(cell).collect();
            format!("{drawn:>width$}")
        })
        .collect()
}

/// Joins neighbours until there are at most `width` values: sums, as for counts.
pub(crate) fn gathered(values: &[f64], width: usize) -> Vec<f64> {
    let step = values.len().div_ceil(width.max(1)).max(1);
    values.chunks(step).map(|chunk| chunk.iter().sum()).collect()
}

/// Repeats each value so that the chart fills the width.
pub(crate) fn stretched(values: &[f64], width: usize) -> Vec<f64> {
    if values.is_empty() {
        return Vec::new();
    }
    (0..width).map(|column| values[column * values.len() / width]).collect()
}

/// `██████░░░░`, `share` from 0 to 1.
pub(crate) fn bar(share: f64, width: usize, theme: Theme) -> (String, String) {
    let filled = ((share.clamp(0.0, 1.0) * width as f64).round() as usize).min(width);
    let (full, empty) = theme.bar();
    (full.to_string().repeat(filled), empty.to_string().repeat(width - filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trend_is_scaled_to_its_largest_value() {
        assert_eq!(trend(&[0.0, 1.0, 4.0, 8.0], 4, Theme::dark()), " ▁▄█");
        assert_eq!(trend(&[8.0], 3, Theme::dark()), "  █");
        assert_eq!(trend(&[], 3, Theme::dark()), "   ");
        assert_eq!(trend(&[1.0, 8.0], 1, Theme::dark()), "█");
        assert_eq!(trend(&[0.001, 1_000.0], 2, Theme::dark()), "▁█");
    }

    #[test]
    fn an_area_fills_from_below() {
        assert_eq!(area(&[4.0, 8.0, 16.0], 3, 2, Theme::dark()), ["  █", "▄██"]);
        assert_eq!(area(&[0.0, 0.0], 2, 2, Theme::without_unicode()), ["  ", "  "]);
    }

    #[test]
    fn bins_are_gathered_without_loss_and_stretched_to_the_width() {
        assert_eq!(gathered(&[1.0, 2.0, 3.0, 4.0, 5.0], 2), [6.0, 9.0]);
        assert_eq!(stretched(&[1.0, 2.0], 4), [1.0, 1.0, 2.0, 2.0]);
        assert_eq!(bar(0.5, 4, Theme::without_unicode()), ("##".to_owned(), "--".to_owned()));
    }
}
