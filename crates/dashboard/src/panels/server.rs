//! What the server's metrics page says.

use aiperf_live::ServerHeadline;

use super::{Scene, framed, lines, name_and_value};
use crate::canvas::{Frame, Line, Rect};
use crate::numbers::{number, whole};

/// Percent of the KV cache in use that deserves attention.
const FULL_CACHE: f64 = 90.0;
/// What says most, if there is not room for all rows.
const FIRST: [&str; 5] =
    ["running_requests", "waiting_requests", "kv_cache_usage", "generation_tokens", "prefix_cache_hit_rate"];
/// Narrower panels have shorter names.
const WIDE: usize = 28;

pub(crate) fn server(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let inner = framed(frame, area, "Server", scene.theme);
    if scene.snapshot.server.is_empty() {
        return lines(frame, inner, vec![Line::from(scene.quiet(" no metrics page"))]);
    }
    let mut rows: Vec<&ServerHeadline> = scene.snapshot.server.iter().collect();
    let place = |row: &&ServerHeadline| FIRST.iter().position(|tag| *tag == row.tag).unwrap_or(FIRST.len());
    if rows.len() > usize::from(inner.height) {
        rows.sort_by_key(place);
    }
    let width = usize::from(inner.width);
    let row = |row: &&ServerHeadline| {
        let is_high =
            row.tag == "kv_cache_usage" && row.value > FULL_CACHE || row.tag == "waiting_requests" && row.value > 0.0;
        let style = if is_high { scene.theme.warning() } else { scene.theme.value() };
        let name = if width < WIDE { row.title.replace(" cache hits", " hits") } else { row.title.to_owned() };
        name_and_value(scene, &name, &server_value(row), style, width)
    };
    lines(frame, inner, rows.iter().map(row).collect());
}

/// `62`, `44.5 %`, `2,451 tok/s`. What is counted has no unit.
pub(crate) fn server_value(row: &ServerHeadline) -> String {
    match row.unit {
        "requests" | "count" => whole(row.value.max(0.0).round() as u64),
        "%" => format!("{} %", number(row.value)),
        unit => format!("{} {}", number(row.value), unit.replace("tokens", "tok").replace("requests", "req")),
    }
}
