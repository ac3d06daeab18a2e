//! Sentences that say when a run is not worth finishing.

use super::{Scene, lines};
use crate::canvas::{Frame, Line, Rect, Span};

/// One sentence after the other, wrapped into the area.
pub(crate) fn verdicts(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let text = wrapped(scene, usize::from(area.width));
    lines(frame, area, text.into_iter().map(|line| Line::from(Span::styled(line, scene.theme.alarm()))).collect());
}

/// Rows that the sentences need.
pub(crate) fn verdict_rows(scene: &Scene<'_>, width: u16) -> u16 {
    wrapped(scene, usize::from(width)).len() as u16
}

fn wrapped(scene: &Scene<'_>, width: usize) -> Vec<String> {
    let sign = scene.theme.symbols().warning;
    let mut text = Vec::new();
    for verdict in &scene.snapshot.verdicts {
        let mut line = format!(" {sign}");
        for word in verdict.sentence.split(' ') {
            if line.chars().count() + word.chars().count() + 2 > width {
                text.push(format!("{line:<width$}"));
                line = String::from("  ");
            }
            line.push(' ');
            line.push_str(word);
        }
        text.push(format!("{line:<width$}"));
    }
    text
}
