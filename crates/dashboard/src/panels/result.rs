//! How the run ended: the main numbers and the files.

use super::{Scene, columns, fitting, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span};
use crate::numbers::{number, number_or_dash};

pub(crate) fn result(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let Some(end) = &scene.snapshot.result else { return };
    let [left, right] = columns(area, [3, 2]);
    let inner = framed(frame, left, "Result", scene.theme);
    let mut text = Vec::new();
    if let Some(reason) = &end.reason {
        text.push(Line::from(Span::styled(format!(" {reason}"), scene.theme.bad())));
    }
    let name_width = usize::from(inner.width).saturating_sub(29);
    text.push(Line::from(scene.quiet(format!(" {:<name_width$}{:>9}{:>9}{:>9}", "Metric", "avg", "p50", "p99"))));
    for row in &end.rows {
        let name = fitting(&format!("{} ({})", row.header, row.unit), name_width.saturating_sub(1));
        let values = format!("{:>9}{:>9}{:>9}", number(row.avg), number_or_dash(row.p50), number_or_dash(row.p99));
        text.push(Line::from(vec![scene.quiet(format!(" {name:<name_width$}")), scene.value(values)]));
    }
    lines(frame, inner, text);
    let inner = framed(frame, right, &format!("Files in {}", scene.facts.artifact_dir), scene.theme);
    let text = end.files.iter().map(|file| Line::from(format!(" {}", file.path)));
    lines(frame, inner, text.collect());
}
