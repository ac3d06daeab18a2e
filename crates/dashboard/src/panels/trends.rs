//! Charts over the time of the phase, for terminals that have the room.

use aiperf_live::{HistoryPoint, Percentiles};

use super::{Scene, columns, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span};
use crate::chart;
use crate::numbers::{clock, number};

type PointValue = fn(&HistoryPoint) -> f64;

pub(crate) fn trends(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let p99 = |of: Option<Percentiles>| of.map_or(0.0, |percentiles| percentiles.p99);
    let ttft: PointValue = |point| point.ttft.map_or(0.0, |percentiles| percentiles.p99);
    let latency: PointValue = |point| point.latency.map_or(0.0, |percentiles| percentiles.p99);
    let streams = scene.history.points.iter().any(|point| p99(point.ttft) > 0.0);
    let last = if streams { ("TTFT p99", "ms", ttft) } else { ("Latency p99", "ms", latency) };
    let rate: PointValue = |point| point.requests_per_second;
    let tokens: PointValue = |point| point.output_tokens_per_second;
    let areas = columns(area, [1, 1, 1]);
    for (area, (name, unit, of)) in
        areas.into_iter().zip([("Requests", "/s", rate), ("Output", "tokens/s", tokens), last])
    {
        one(frame, area, scene, (name, unit, of));
    }
}

fn one(frame: &mut Frame, area: Rect, scene: &Scene<'_>, (name, unit, of): (&str, &str, PointValue)) {
    let inner = framed(frame, area, &format!("{name} ({unit}) over time"), scene.theme);
    let (width, height) = (usize::from(inner.width).saturating_sub(2), usize::from(inner.height).saturating_sub(1));
    let values = scene.over_time(of);
    let shown = &values[values.len().saturating_sub(width)..];
    let most = shown.iter().copied().fold(0.0, f64::max);
    let mut text: Vec<Line> = chart::area(shown, width, height, scene.theme)
        .into_iter()
        .map(|line| Line::from(vec![Span::raw(" "), Span::styled(line, scene.theme.accent())]))
        .collect();
    let since = clock(shown.len() as f64 * scene.history.step);
    let left = format!("{since} ago");
    let right = format!("max {}, now", number(most));
    let room = width.saturating_sub(left.chars().count());
    text.push(Line::from(vec![scene.quiet(format!(" {left}{right:>room$}"))]));
    lines(frame, inner, text);
}
