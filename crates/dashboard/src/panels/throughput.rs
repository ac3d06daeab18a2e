//! Rates and counts: the last ten seconds next to the whole phase, each with its trend.

use aiperf_live::HistoryPoint;

use super::{Scene, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span, Style};
use crate::chart;
use crate::numbers::{number, number_or_dash, percent, whole};

const NAME: usize = 12;
const WINDOW: usize = 9;
const PHASE: usize = 11;
/// A trend needs at least this many columns.
const LEAST_TREND: usize = 4;

/// One row before its trend.
struct ThroughputRow {
    name: &'static str,
    window: String,
    phase: String,
    style: Style,
    trend: Option<fn(&HistoryPoint) -> f64>,
}

pub(crate) fn throughput(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let inner = framed(frame, area, "Throughput", scene.theme);
    let head = format!(" {:<NAME$}{:>WINDOW$}{:>PHASE$}", "", "last 10 s", "phase");
    let mut text = vec![Line::from(scene.quiet(head))];
    let room = usize::from(inner.width).saturating_sub(NAME + WINDOW + PHASE + 3);
    text.extend(rows(scene).into_iter().map(|row| drawn(scene, row, room)));
    lines(frame, inner, text);
}

fn rows(scene: &Scene<'_>) -> Vec<ThroughputRow> {
    let headline = &scene.snapshot.headline;
    let style = scene.theme.value();
    let mut rows = vec![ThroughputRow {
        name: "Requests/s",
        window: number(headline.requests_per_second),
        phase: number(headline.phase_requests_per_second),
        style,
        trend: Some(|point| point.requests_per_second),
    }];
    if let Some(rate) = headline.output_tokens_per_second {
        rows.push(ThroughputRow {
            name: "Output tok/s",
            window: number(rate),
            phase: number_or_dash(headline.phase_output_tokens_per_second),
            style,
            trend: Some(|point| point.output_tokens_per_second),
        });
    }
    if let Some(rate) = headline.input_tokens_per_second {
        let phase = number_or_dash(headline.phase_input_tokens_per_second);
        rows.push(ThroughputRow { name: "Input tok/s", window: number(rate), phase, style, trend: None });
    }
    let (count, share) = (whole(headline.errors), percent(headline.error_share));
    let both = if headline.errors > 0 { format!("{count} ({share})") } else { count };
    rows.push(ThroughputRow {
        name: "Errors",
        window: percent(headline.window_error_share),
        phase: if both.len() < PHASE { both } else { share },
        style: if headline.errors > 0 { scene.theme.bad() } else { style },
        trend: (headline.errors > 0).then_some(|point| point.errors_per_second),
    });
    rows.push(ThroughputRow {
        name: "In flight",
        window: whole(headline.in_flight),
        phase: String::new(),
        style,
        trend: Some(|point| point.in_flight),
    });
    rows
}

fn drawn(scene: &Scene<'_>, row: ThroughputRow, room: usize) -> Line {
    let ThroughputRow { name, window, phase, style, trend } = row;
    let mut spans = vec![
        scene.quiet(format!(" {name:<NAME$}")),
        Span::styled(format!("{window:>WINDOW$}"), style),
        Span::styled(format!("{phase:>PHASE$}"), Style { is_bold: false, ..style }),
    ];
    if let Some(of) = trend.filter(|_| room >= LEAST_TREND) {
        let values = scene.over_time(of);
        spans.push(Span::styled(format!(" {}", chart::trend(&values, room, scene.theme)), scene.theme.accent()));
    }
    Line::from(spans)
}
