//! Every metric of the phase.

use aiperf_live::MetricRow;

use super::metric_name::metric_name;
use super::{Scene, framed, lines};
use crate::canvas::{Frame, Line, Rect};
use crate::numbers::{number, whole};

const COLUMN: usize = 10;
type Statistic = (&'static str, fn(&MetricRow) -> f64);
const STATISTICS: [Statistic; 9] = [
    ("avg", |row| row.avg),
    ("p50", |row| row.p50),
    ("p90", |row| row.p90),
    ("p99", |row| row.p99),
    ("min", |row| row.min),
    ("max", |row| row.max),
    ("std", |row| row.std),
    ("p75", |row| row.p75),
    ("p95", |row| row.p95),
];

pub(crate) fn metric_table(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let wanted: Vec<&MetricRow> = scene
        .snapshot
        .metrics
        .iter()
        .filter(|row| scene.state.matches(&format!("{} {}", row.header, row.tag)))
        .collect();
    let phase = scene.snapshot.current_phase().map_or("phase", |phase| phase.name.as_str());
    let inner = framed(frame, area, &format!("Metrics of {phase} so far (percentiles within 1 %)"), scene.theme);
    let height = usize::from(inner.height).saturating_sub(1);
    let width = usize::from(inner.width);
    let name_width = name_width(&wanted, width);
    let skipped = (scene.state.columns / 8).min(STATISTICS.len() - 1);
    let room = width.saturating_sub(name_width + 1) / COLUMN;
    let statistics = &STATISTICS[skipped..(skipped + room).min(STATISTICS.len())];
    let shows_count = width >= name_width + 1 + COLUMN * (statistics.len() + 1) && skipped == 0;
    let mut head = format!(" {:<name_width$}", "Metric");
    for (name, _) in statistics {
        head.push_str(&padded(name));
    }
    if shows_count {
        head.push_str(&padded("count"));
    }
    let mut text = vec![Line::from(scene.quiet(head))];
    let scroll = scene.state.scroll.min(wanted.len().saturating_sub(height));
    for row in wanted.iter().skip(scroll).take(height) {
        let name = metric_name(row.header, row.unit, name_width);
        let mut values = String::new();
        for (_, of) in statistics {
            values.push_str(&padded(&number(of(row))));
        }
        if shows_count {
            values.push_str(&padded(&whole(row.count)));
        }
        text.push(Line::from(vec![scene.quiet(format!(" {name:<name_width$}")), scene.value(values)]));
    }
    if wanted.is_empty() {
        text.push(Line::from(scene.quiet(" no values yet, or none that match the filter")));
    }
    lines(frame, inner, text);
}

fn padded(text: &str) -> String {
    format!("{text:>COLUMN$}")
}

/// Wide enough for the longest name, as long as four columns of numbers fit.
fn name_width(rows: &[&MetricRow], width: usize) -> usize {
    let longest = rows.iter().map(|row| row.header.len() + row.unit.len() + 3).max().unwrap_or(0);
    longest.clamp(10, width.saturating_sub(4 * COLUMN + 1).max(10))
}
