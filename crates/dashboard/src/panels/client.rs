//! Whether this machine is the bottleneck.

use super::{Scene, framed, lines, name_and_value};
use crate::canvas::{Frame, Rect, Style};
use crate::numbers::{bytes, milliseconds, percent, whole};

/// Values above these deserve attention.
const BUSY: f64 = 0.8;
const LATE_MS: f64 = 10.0;

pub(crate) fn client(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let inner = framed(frame, area, "Client", scene.theme);
    let client = &scene.snapshot.client;
    let watched = |is_high: bool| if is_high { scene.theme.warning() } else { scene.theme.value() };
    let thread = match client.busiest_thread {
        Some("scheduler") => "Scheduler CPU",
        _ => "Worker CPU",
    };
    let backlog = client.record_backlog_bytes as f64 / client.record_backlog_budget.max(1) as f64;
    let mut rows: Vec<(&str, String, Style)> = vec![
        ("CPU", percent(client.cpu_share), watched(client.cpu_share > BUSY)),
        (thread, percent(client.busiest_thread_share), watched(client.busiest_thread_share > BUSY)),
        ("Schedule lag", milliseconds(client.schedule_lag_ms), watched(client.schedule_lag_ms > LATE_MS)),
        ("Read delay", milliseconds(client.read_delay_p99_ms), watched(client.read_delay_p99_ms > LATE_MS)),
        ("Backlog", bytes(client.record_backlog_bytes), watched(backlog > 0.5)),
    ];
    if let (Some(open), Some(limit)) = (client.descriptors_open, client.descriptors_limit) {
        rows.push(("Descriptors", whole(open), watched(open as f64 > BUSY * limit as f64)));
    }
    let width = usize::from(inner.width);
    lines(
        frame,
        inner,
        rows.into_iter().map(|(name, value, style)| name_and_value(scene, name, &value, style, width)).collect(),
    );
}
