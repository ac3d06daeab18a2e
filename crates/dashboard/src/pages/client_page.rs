//! The load of this machine, and where the time of the client goes.

use crate::canvas::{Frame, Line, Rect, Span};
use crate::numbers::{bytes, milliseconds, number, percent, whole};
use crate::panels::{self, Scene, columns, framed, lines, rows};

pub(crate) fn client_page(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let [numbers, explained] = rows(area, [8, u16::MAX]);
    let [now, since_start] = columns(numbers, [1, 1]);
    panels::client(frame, now, scene);
    let client = &scene.snapshot.client;
    let inner = framed(frame, since_start, "Client since the run began", scene.theme);
    let limit = client.descriptors_limit.map_or_else(|| "unknown".to_owned(), whole);
    let width = usize::from(inner.width);
    let row = |name: &str, value: String| panels::name_and_value(scene, name, &value, scene.theme.value(), width);
    let records = scene.snapshot.records;
    let mut since = vec![
        row("Highest CPU", percent(client.cpu_share_max)),
        row("Longest schedule lag", milliseconds(client.schedule_lag_max_ms)),
        row("Records made", whole(records.processed)),
        row("Records made per second", number(records.per_second)),
        row("Memory for the backlog", bytes(client.record_backlog_budget)),
        row("Limit of descriptors", limit),
    ];
    if scene.snapshot.dropped_samples > 0 {
        // The report has them all.
        since.insert(4, row("Requests not in this view", whole(scene.snapshot.dropped_samples)));
    }
    lines(frame, inner, since);
    let inner = framed(frame, explained, "What these mean", scene.theme);
    let words = [
        ("CPU", "of all processors that this program may use"),
        ("Worker CPU", "of the busiest worker or scheduler thread; at 100 % requests are late"),
        ("Schedule lag", "the most that a request was sent after its due time, in 10 s"),
        ("Read delay", "time that received bytes waited to be read, p99; latencies do not include it"),
        ("Backlog", "responses that wait to be parsed"),
        ("Descriptors", "open files and connections of this program"),
    ];
    let line = |(name, text): (&str, &str)| Line::from(vec![scene.quiet(format!(" {name:<14}")), Span::raw(text)]);
    lines(frame, inner, words.into_iter().map(line).collect());
}
