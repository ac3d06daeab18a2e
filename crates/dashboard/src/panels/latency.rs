//! Time to first token, inter-token latency and request latency: the last ten seconds next to the whole phase, and goodput.

use aiperf_live::{HistoryPoint, Percentiles, Spread};

use super::{Scene, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span};
use crate::chart;
use crate::numbers::{latency, number, percent};

const NAME: usize = 7;
const COLUMN: usize = 7;
/// A trend needs at least this many columns.
const LEAST_TREND: usize = 8;

type PointPercentiles = fn(&HistoryPoint) -> Option<Percentiles>;

pub(crate) fn latency_table(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let inner = framed(frame, area, "Latency (ms)", scene.theme);
    let headline = &scene.snapshot.headline;
    let names: [(&str, Spread, PointPercentiles); 3] = [
        ("TTFT", headline.ttft, |point| point.ttft),
        ("ITL", headline.itl, |point| point.itl),
        ("Request", headline.latency, |point| point.latency),
    ];
    let room = usize::from(inner.width).saturating_sub(NAME + 4 * COLUMN + 3);
    let trends = if room >= LEAST_TREND { format!(" {:<room$}", "p99 over time") } else { String::new() };
    let mut text = vec![
        Line::from(scene.quiet(format!(" {:<NAME$}{:>14}{:>14}", "", "last 10 s", "phase"))),
        Line::from(scene.quiet(format!(
            " {:<NAME$}{:>COLUMN$}{:>COLUMN$}{:>COLUMN$}{:>COLUMN$}{trends}",
            "", "p50", "p99", "p50", "p99"
        ))),
    ];
    for (name, spread, point) in names {
        if spread != Spread::default() || name == "Request" {
            text.push(row(scene, name, spread, point, room));
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

fn row(scene: &Scene<'_>, name: &str, spread: Spread, point: PointPercentiles, room: usize) -> Line {
    let both = |of: Option<Percentiles>| match of {
        Some(of) => format!("{:>COLUMN$}{:>COLUMN$}", latency(of.p50), latency(of.p99)),
        None => format!("{:>COLUMN$}{:>COLUMN$}", "-", "-"),
    };
    let mut spans =
        vec![scene.quiet(format!(" {name:<NAME$}")), scene.value(both(spread.window)), Span::raw(both(spread.phase))];
    if room >= LEAST_TREND {
        let values = scene.over_time(|at| point(at).map_or(0.0, |percentiles| percentiles.p99));
        spans.push(Span::styled(format!(" {}", chart::trend(&values, room, scene.theme)), scene.theme.accent()));
    }
    Line::from(spans)
}
