//! The server's own numbers, and the GPUs.

use crate::canvas::{Frame, Line, Rect, Span};
use crate::chart;
use crate::panels::{self, Scene, framed, lines, rows};

/// Width of a row before its trend.
const NUMBERS: usize = 41;

pub(crate) fn server_page(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let server_height = (scene.snapshot.server.len() as u16).max(1) + 2;
    let power = u16::from(scene.history.points.iter().any(|point| point.gpu_watts.is_some()));
    let [server, gpus, watts] =
        rows(area, [server_height, panels::gpu_lines(scene, area.width).max(1) + 2, if power > 0 { 8 } else { 0 }]);
    let inner = framed(frame, server, "Server, from its metrics page", scene.theme);
    let width = usize::from(inner.width);
    let row = |row: &aiperf_live::ServerHeadline| {
        let values = scene
            .over_time(|point| point.server.iter().find(|(tag, _)| *tag == row.tag).map_or(0.0, |(_, value)| *value));
        let mut spans = vec![
            scene.quiet(format!(" {:<22}", row.title)),
            scene.value(format!("{:>16}", panels::server_value(row))),
            Span::raw("  "),
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
        panels::over_time(frame, watts, scene, "Power of all GPUs, W", |point| point.gpu_watts.unwrap_or(0.0));
    }
}
