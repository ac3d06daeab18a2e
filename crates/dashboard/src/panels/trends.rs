//! Charts over the time of the phase, for terminals that have the room.

use aiperf_live::HistoryPoint;

use super::{Scene, columns, framed, indented, lines};
use crate::canvas::{Frame, Line, Rect, Span};
use crate::chart;
use crate::numbers::{clock, number};

type PointValue = fn(&HistoryPoint) -> f64;

pub(crate) fn trends(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let ttft: PointValue = |point| point.ttft.map_or(0.0, |percentiles| percentiles.p99);
    let latency: PointValue = |point| point.latency.map_or(0.0, |percentiles| percentiles.p99);
    let streams = scene.history.points.iter().any(|point| point.ttft.is_some());
    let last = if streams { ("TTFT p99, ms", ttft) } else { ("Latency p99, ms", latency) };
    let rate: PointValue = |point| point.requests_per_second;
    let tokens: PointValue = |point| point.output_tokens_per_second;
    let areas = columns(area, [1, 1, 1]);
    for (area, (name, of)) in areas.into_iter().zip([("Requests/s", rate), ("Output tokens/s", tokens), last]) {
        over_time(frame, area, scene, name, of);
    }
}

/// One chart. Its left edge is the start of the phase, its right edge is now.
pub(crate) fn over_time(
    frame: &mut Frame,
    area: Rect,
    scene: &Scene<'_>,
    name: &str,
    of: impl Fn(&HistoryPoint) -> f64,
) {
    let inner = framed(frame, area, name, scene.theme);
    let (width, height) = (usize::from(inner.width).saturating_sub(2), usize::from(inner.height).saturating_sub(1));
    let values = scene.over_time(of);
    if values.is_empty() {
        return lines(frame, inner, vec![Line::from(scene.quiet(" no values yet"))]);
    }
    let most = values.iter().copied().fold(0.0, f64::max);
    let columns = chart::stretched(&chart::averaged(&values, width), width);
    let mut text: Vec<Line> = chart::area(&columns, width, height, scene.theme).into_iter().map(indented).collect();
    let left = format!("{} ago", clock(values.len() as f64 * scene.history.step));
    let between = width.saturating_sub(left.chars().count() + 3);
    let highest = format!("highest {}", number(most));
    let highest = if highest.chars().count() + 2 <= between { highest } else { String::new() };
    text.push(Line::from(vec![
        scene.quiet(format!(" {left}")),
        Span::raw(format!("{highest:^between$}")),
        scene.quiet("now"),
    ]));
    lines(frame, inner, text);
}
