//! The distribution of request latency, or of time to first token, on a logarithmic axis.

use aiperf_live::{HistogramBin, Percentiles};

use super::{Scene, framed, indented, lines};
use crate::canvas::{Frame, Line, Rect};
use crate::chart;
use crate::numbers::milliseconds;

pub(crate) fn histogram(
    frame: &mut Frame,
    area: Rect,
    scene: &Scene<'_>,
    title: &str,
    (bins, percentiles): (&[HistogramBin], Option<Percentiles>),
) {
    let inner = framed(frame, area, title, scene.theme);
    if bins.is_empty() || inner.height < 2 {
        return lines(frame, inner, vec![Line::from(scene.quiet(" no values yet"))]);
    }
    let width = usize::from(inner.width).saturating_sub(2);
    let height = usize::from(inner.height) - 1;
    let counts: Vec<f64> = bins.iter().map(|bin| bin.count as f64).collect();
    let columns = chart::stretched(&chart::gathered(&counts, width), width);
    let mut text: Vec<Line> = chart::area(&columns, width, height, scene.theme).into_iter().map(indented).collect();
    text.push(axis(scene, bins, percentiles, width));
    lines(frame, inner, text);
}

/// The smallest value, the largest, and in the middle the percentiles.
fn axis(scene: &Scene<'_>, bins: &[HistogramBin], percentiles: Option<Percentiles>, width: usize) -> Line {
    let first = bins.first().map_or(0.0, |bin| bin.from_ms);
    let last = bins.last().map_or(0.0, |bin| bin.to_ms);
    let (left, right) = (milliseconds(first), milliseconds(last));
    let between = width.saturating_sub(left.chars().count() + right.chars().count());
    let middle = percentiles.map_or_else(String::new, |percentiles| {
        format!("p50 {}, p99 {}", milliseconds(percentiles.p50), milliseconds(percentiles.p99))
    });
    let middle = if middle.chars().count() + 2 <= between { middle } else { String::new() };
    Line::from(vec![scene.quiet(format!(" {left}")), scene.value(format!("{middle:^between$}")), scene.quiet(right)])
}
