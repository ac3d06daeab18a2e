//! What the server's metrics page says.

use super::{Scene, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span};
use crate::numbers::number;

/// Percent of the KV cache in use that deserves attention.
const FULL_CACHE: f64 = 90.0;

pub(crate) fn server(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let inner = framed(frame, area, "Server", scene.theme);
    let rows = &scene.snapshot.server;
    if rows.is_empty() {
        return lines(frame, inner, vec![Line::from(scene.quiet(" no metrics page"))]);
    }
    let width = usize::from(inner.width).saturating_sub(2);
    let row = |row: &aiperf_live::ServerHeadline| {
        let is_high =
            row.tag == "kv_cache_usage" && row.value > FULL_CACHE || row.tag == "waiting_requests" && row.value > 0.0;
        let style = if is_high { scene.theme.warning() } else { scene.theme.value() };
        let unit = row.unit.replace("tokens", "tok").replace("requests", "req").replace("count", "");
        let room = width.saturating_sub(row.title.chars().count() + 1 + UNIT);
        let value = number(row.value);
        Line::from(vec![
            scene.quiet(format!(" {}", row.title)),
            Span::styled(format!("{value:>room$}"), style),
            scene.quiet(format!(" {unit:<UNIT$}")),
        ])
    };
    lines(frame, inner, rows.iter().map(row).collect());
}

/// Width of the longest unit.
const UNIT: usize = 5;
