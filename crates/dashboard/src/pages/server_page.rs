//! The server's own numbers, and the GPUs.

use crate::canvas::{Frame, Line, Rect, Span};
use crate::chart;
use crate::numbers::number;
use crate::panels::{self, Scene, framed, lines, rows};

/// Width of a row before its trend.
const NUMBERS: usize = 46;

pub(crate) fn server_page(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let server_height = (scene.snapshot.server.len() as u16).max(1) + 2;
    let power = u16::from(scene.history.points.iter().any(|point| point.gpu_watts.is_some()));
    let [server, gpus, watts] =
        rows(area, [server_height, (scene.snapshot.gpus.len() as u16).max(1) + 2, if power > 0 { 8 } else { 0 }]);
    let inner = framed(frame, server, "Server, from its metrics page", scene.theme);
    let width = usize::from(inner.width);
    let row = |row: &aiperf_live::ServerHeadline| {
        let values = scene
            .over_time(|point| point.server.iter().find(|(tag, _)| *tag == row.tag).map_or(0.0, |(_, value)| *value));
        let mut spans = vec![
            scene.quiet(format!(" {:<22}", row.title)),
            scene.value(format!("{:>12}", number(row.value))),
            scene.quiet(format!(" {:<10}", row.unit)),
        ];
        if width > NUMBERS + 8 {
            let trend = chart::trend(&values, width - NUMBERS - 1, scene.theme);
            spans.push(Span::styled(trend, scene.theme.accent()));
        }
        Line::from(spans)
    };
    let mut text: Vec<Line> = scene.snapshot.server.iter().map(row).collect();
    if text.is_empty() {
        text.push(Line::from(
            scene.quiet(" The server has no metrics page, or it was switched off with --no-server-metrics."),
        ));
    }
    lines(frame, inner, text);
    panels::gpus(frame, gpus, scene);
    if power > 0 {
        let inner = framed(frame, watts, "Power of all GPUs (W) over time", scene.theme);
        let values = scene.over_time(|point| point.gpu_watts.unwrap_or(0.0));
        let (width, height) = (usize::from(inner.width).saturating_sub(2), usize::from(inner.height));
        let text = chart::area(&values, width, height, scene.theme)
            .into_iter()
            .map(|line| Line::from(vec![Span::raw(" "), Span::styled(line, scene.theme.accent())]));
        lines(frame, inner, text.collect());
    }
}
