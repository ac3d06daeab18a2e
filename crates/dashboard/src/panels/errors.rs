//! The last distinct errors, with their status and what the server said.

use aiperf_live::DistinctError;

use super::{Scene, fitting, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span};
use crate::numbers::whole;

pub(crate) fn errors(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let shown: Vec<&DistinctError> = scene.snapshot.errors.iter().filter(|error| is_wanted(scene, error)).collect();
    let title = match shown.len() {
        0 => "Errors".to_owned(),
        count => format!("Errors ({count} distinct, the last first)"),
    };
    let inner = framed(frame, area, &title, scene.theme);
    if shown.is_empty() {
        return lines(frame, inner, vec![Line::from(scene.quiet(" none"))]);
    }
    let width = usize::from(inner.width);
    let row = |error: &&DistinctError| {
        let status = error.status.map_or_else(|| "-".to_owned(), |status| status.to_string());
        let count = format!("{:>7}", format!("{}x", whole(error.count)));
        let head = format!("{status:>4} {}", error.kind);
        let room = width.saturating_sub(count.chars().count() + head.chars().count() + 4);
        Line::from(vec![
            scene.value(count),
            Span::styled(head, scene.theme.bad()),
            Span::raw(format!("  {}", fitting(&error.excerpt, room))),
        ])
    };
    lines(frame, inner, shown.iter().map(row).collect());
}

fn is_wanted(scene: &Scene<'_>, error: &DistinctError) -> bool {
    scene.state.matches(&format!("{} {} {}", error.status.unwrap_or(0), error.kind, error.excerpt))
}
