//! Time to first token, inter-token latency and request latency: the last ten seconds next to the whole phase, and goodput.

use aiperf_live::{Percentiles, Spread};

use super::{Scene, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span};
use crate::numbers::{number, number_or_dash, percent};

pub(crate) fn latency(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let inner = framed(frame, area, "Latency (ms)", scene.theme);
    let headline = &scene.snapshot.headline;
    let names = [("TTFT", headline.ttft), ("ITL", headline.itl), ("Request", headline.latency)];
    let mut text = vec![
        Line::from(scene.quiet(format!(" {:<8}{:>14}{:>16}", "", "last 10 s", "whole phase"))),
        Line::from(scene.quiet(format!(" {:<8}{:>7}{:>7}{:>8}{:>8}", "", "p50", "p99", "p50", "p99"))),
    ];
    for (name, spread) in names {
        if spread != Spread::default() || name == "Request" {
            text.push(row(scene, name, spread));
        }
    }
    if let Some(goodput) = &headline.goodput {
        let style = if goodput.share < 0.9 { scene.theme.warning() } else { scene.theme.value() };
        text.push(Line::from(vec![
            scene.quiet(" Goodput "),
            Span::styled(percent(goodput.share), style),
            scene.quiet(" of requests, "),
            scene.value(number(goodput.per_second)),
            scene.quiet(" /s"),
        ]));
    }
    lines(frame, inner, text);
}

fn row(scene: &Scene<'_>, name: &str, spread: Spread) -> Line {
    let pick = |of: Option<Percentiles>, value: fn(Percentiles) -> f64| number_or_dash(of.map(value));
    let window = scene.value(format!(
        "{:>7}{:>7}",
        pick(spread.window, |percentiles| percentiles.p50),
        pick(spread.window, |percentiles| percentiles.p99)
    ));
    let phase = Span::raw(format!(
        "{:>8}{:>8}",
        pick(spread.phase, |percentiles| percentiles.p50),
        pick(spread.phase, |percentiles| percentiles.p99)
    ));
    Line::from(vec![scene.quiet(format!(" {name:<8}")), window, phase])
}
