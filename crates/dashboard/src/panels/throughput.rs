//! Rates and counts, each with its trend.

use aiperf_live::HistoryPoint;

use super::{Scene, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span, Style};
use crate::chart;
use crate::numbers::{number, percent, whole};

/// Width of a row before its trend.
const NUMBERS: usize = 30;

pub(crate) fn throughput(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let inner = framed(frame, area, "Throughput, last 10 s", scene.theme);
    let headline = &scene.snapshot.headline;
    let width = usize::from(inner.width);
    let row = |name: &str, value: String, unit: &str, style: Style, trend: Option<fn(&HistoryPoint) -> f64>| {
        let mut spans = vec![
            scene.quiet(format!(" {name:<10}")),
            Span::styled(format!("{value:>9}"), style),
            scene.quiet(format!(" {unit:<9}")),
        ];
        if let Some(of) = trend.filter(|_| width > NUMBERS + 4) {
            let values = scene.over_time(of);
            spans.push(Span::styled(chart::trend(&values, width - NUMBERS - 1, scene.theme), scene.theme.accent()));
        }
        Line::from(spans)
    };
    let value = scene.theme.value();
    let errors = if headline.errors > 0 { scene.theme.bad() } else { value };
    let mut text = vec![row(
        "Requests",
        number(headline.requests_per_second),
        "/s",
        value,
        Some(|point| point.requests_per_second),
    )];
    if let Some(rate) = headline.output_tokens_per_second {
        text.push(row("Output", number(rate), "tokens/s", value, Some(|point| point.output_tokens_per_second)));
    }
    text.push(row("In flight", whole(headline.in_flight), "requests", value, Some(|point| point.in_flight)));
    text.push(row(
        "Errors",
        whole(headline.errors),
        &percent(headline.error_share),
        errors,
        Some(|point| point.errors_per_second),
    ));
    let mut last = vec![
        scene.quiet(" Completed "),
        Span::styled(format!("{:>9}", whole(headline.completed)), value),
        scene.quiet(" requests"),
    ];
    if let Some(rate) = headline.input_tokens_per_second {
        last.push(scene.quiet("  Input "));
        last.push(Span::styled(number(rate), value));
        last.push(scene.quiet(" tok/s"));
    }
    text.push(Line::from(last));
    lines(frame, inner, text);
}
