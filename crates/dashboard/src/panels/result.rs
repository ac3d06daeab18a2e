//! How the run ended: the main numbers and the files.

use aiperf_live::RunEnd;

use super::metric_name::metric_name;
use super::{Scene, columns, fitting, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span};
use crate::numbers::{clock, number, number_or_dash};

const COLUMN: usize = 8;
/// The widest name of a metric, so that the eye finds its value.
const WIDEST_NAME: usize = 52;

pub(crate) fn result(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let Some(end) = &scene.snapshot.result else { return };
    // A sweep has its numbers in the table of its runs.
    if end.rows.is_empty() && end.reason.is_none() && end.notes.is_empty() {
        return files(frame, area, scene, end);
    }
    let [left, right] = columns(area, [5, 3]);
    let took = end.duration.map_or_else(String::new, |seconds| format!(" after {}", clock(seconds)));
    let inner = framed(frame, left, &format!("Result{took}"), scene.theme);
    let mut text = Vec::new();
    if let Some(reason) = &end.reason {
        let reason = fitting(&format!(" {reason}"), usize::from(inner.width));
        text.push(Line::from(Span::styled(reason, scene.theme.bad())));
    }
    if !end.notes.is_empty() {
        let notes = fitting(&format!(" Validity notes: {}", end.notes.join(", ")), usize::from(inner.width));
        text.push(Line::from(Span::styled(notes, scene.theme.warning())));
    }
    if !end.rows.is_empty() {
        let name_width = usize::from(inner.width).saturating_sub(3 * COLUMN + 2).min(WIDEST_NAME);
        let head = format!(" {:<name_width$}{:>COLUMN$}{:>COLUMN$}{:>COLUMN$}", "Metric", "avg", "p50", "p99");
        text.push(Line::from(scene.quiet(head)));
        for row in &end.rows {
            let name = metric_name(row.header, row.unit, name_width);
            let (avg, p50, p99) = (number(row.avg), number_or_dash(row.p50), number_or_dash(row.p99));
            let values = format!("{avg:>COLUMN$}{p50:>COLUMN$}{p99:>COLUMN$}");
            text.push(Line::from(vec![scene.quiet(format!(" {name:<name_width$}")), scene.value(values)]));
        }
    }
    lines(frame, inner, text);
    files(frame, right, scene, end);
}

fn files(frame: &mut Frame, area: Rect, scene: &Scene<'_>, end: &RunEnd) {
    let title = match &scene.snapshot.sweep {
        // The folder of the last run is not theirs.
        Some(_) => "Files of all runs".to_owned(),
        None => format!("Files in {}", scene.facts.artifact_dir),
    };
    let inner = framed(frame, area, &title, scene.theme);
    let shown = usize::from(inner.height);
    let path = |path: &str| Line::from(format!(" {}", fitting(path, usize::from(inner.width).saturating_sub(2))));
    let mut text: Vec<Line> = end.files.iter().map(|file| path(&file.path)).collect();
    if text.len() > shown && shown > 0 {
        let hidden = text.len() - shown + 1;
        text.truncate(shown - 1);
        text.push(Line::from(scene.quiet(format!(" and {hidden} more"))));
    }
    lines(frame, inner, text);
}
