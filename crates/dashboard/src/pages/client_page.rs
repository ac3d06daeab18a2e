//! The load of this machine, and where the time of the client goes.

use crate::canvas::{Frame, Line, Rect};
use crate::numbers::{bytes, milliseconds, number, percent, whole};
use crate::panels::{self, Scene, framed, lines, rows};

pub(crate) fn client_page(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let [now, since_start, explained] = rows(area, [8, 6, u16::MAX]);
    panels::client(frame, now, scene);
    let client = &scene.snapshot.client;
    let inner = framed(frame, since_start, "Since the run began", scene.theme);
    let limit = client.descriptors_limit.map_or_else(|| "unknown".to_owned(), whole);
    let row = |name: &str, value: String| Line::from(vec![scene.quiet(format!(" {name:<28}")), scene.value(value)]);
    lines(
        frame,
        inner,
        vec![
            row("Highest CPU use", percent(client.cpu_share_max)),
            row("Longest schedule lag", milliseconds(client.schedule_lag_max_ms)),
            row(
                "Memory for records",
                format!("{} of {}", bytes(client.record_backlog_bytes), bytes(client.record_backlog_budget)),
            ),
            row("Limit of descriptors", limit),
        ],
    );
    let inner = framed(frame, explained, "What these mean", scene.theme);
    let words = [
        "CPU: of all processors that this program may use.",
        "Busiest: the scheduler or worker thread that ran most; at 100 % requests are late.",
        "Schedule lag: the most that a request was sent after its due time in the last 10 s.",
        "Read delay: how long received bytes waited to be read. Times are those of their arrival.",
        "Record backlog: responses that wait to be parsed.",
    ];
    let mut text: Vec<Line> = words.into_iter().map(|words| Line::from(scene.quiet(format!(" {words}")))).collect();
    let records = scene.snapshot.records;
    text.push(row("Records", format!("{} processed, {} /s", whole(records.processed), number(records.per_second))));
    if scene.snapshot.dropped_samples > 0 {
        let dropped = whole(scene.snapshot.dropped_samples);
        text.push(row("Not in this view", format!("{dropped} requests (the report has them all)")));
    }
    lines(frame, inner, text);
}
