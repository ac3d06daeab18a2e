//! The five lines of start-up.

use aiperf_live::{Stage, StageState};

use super::{Scene, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span, Style};
use crate::chart;

const BAR: usize = 16;

pub(crate) fn stages(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let inner = framed(frame, area, "Start-up", scene.theme);
    lines(frame, inner, scene.snapshot.stages.iter().map(|stage| row(scene, stage)).collect());
}

fn row(scene: &Scene<'_>, stage: &Stage) -> Line {
    let (sign, style) = sign(scene, stage);
    let mut spans =
        vec![Span::styled(format!(" {sign:<2} "), style), scene.value(format!("{:<11}", stage.name.title()))];
    if let StageState::Working { done, of } = stage.state
        && of > 0
    {
        let (full, empty) = chart::bar(done as f64 / of as f64, BAR, scene.theme);
        spans.push(Span::styled(full, scene.theme.accent()));
        spans.push(Span::styled(format!("{empty} "), scene.theme.border()));
    }
    let text = match (stage.state, stage.text.as_str()) {
        (StageState::Waiting, _) => "waiting".to_owned(),
        (StageState::Skipped, "") => "not needed".to_owned(),
        (_, text) => text.to_owned(),
    };
    let text_style = if matches!(stage.state, StageState::Waiting | StageState::Skipped) {
        scene.theme.quiet()
    } else {
        Style::new()
    };
    spans.push(Span::styled(text, text_style));
    if stage.seconds >= 0.05 {
        spans.push(scene.quiet(format!("  {:.1} s", stage.seconds)));
    }
    Line::from(spans)
}

fn sign(scene: &Scene<'_>, stage: &Stage) -> (&'static str, Style) {
    let (symbols, theme) = (scene.theme.symbols(), scene.theme);
    match stage.state {
        StageState::Waiting => (symbols.waiting, theme.quiet()),
        StageState::Working { .. } => {
            let step = scene.snapshot.seq as usize % symbols.working.len();
            (symbols.working[step], theme.accent())
        }
        StageState::Done => (symbols.done, theme.good()),
        StageState::Failed => (symbols.failed, theme.bad()),
        StageState::Skipped => (symbols.skipped, theme.quiet()),
    }
}
