//! Phases and records, with a bar for each.

use aiperf_live::{PhaseProgress, PhaseStatus};

use super::{Scene, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span};
use crate::chart;
use crate::numbers::{clock, number, percent, whole};

const BAR: usize = 24;

pub(crate) fn phases(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let inner = framed(frame, area, "Phases", scene.theme);
    let mut text: Vec<Line> = scene.snapshot.phases.iter().flat_map(|phase| phase_lines(scene, phase)).collect();
    let records = scene.snapshot.records;
    let share = if records.expected == 0 { 0.0 } else { records.processed as f64 / records.expected as f64 };
    let (full, empty) = chart::bar(share, BAR, scene.theme);
    text.push(Line::from(vec![
        scene.value(format!(" {:<16}", "records")),
        Span::styled(full, scene.theme.accent()),
        Span::styled(empty, scene.theme.border()),
        scene.value(format!(" {:>6}", percent(share))),
        scene.quiet(format!(
            "  {} of {} processed, {} /s",
            whole(records.processed),
            whole(records.expected),
            number(records.per_second)
        )),
    ]));
    if let Some(note) = &scene.snapshot.note {
        text.push(Line::from(scene.quiet(format!(" {note}"))));
    }
    lines(frame, inner, text);
}

fn phase_lines(scene: &Scene<'_>, phase: &PhaseProgress) -> Vec<Line> {
    let share = phase.share.unwrap_or(0.0);
    let (full, empty) = chart::bar(share, BAR, scene.theme);
    let status = match phase.state {
        PhaseStatus::Waiting => "waiting".to_owned(),
        PhaseStatus::Sending => format!("sending, {} so far", clock(phase.elapsed)),
        PhaseStatus::Draining => format!("all sent, waiting for {} responses", whole(phase.in_flight)),
        PhaseStatus::Complete => format!("complete in {}", clock(phase.elapsed)),
    };
    let eta = phase.eta.map_or_else(String::new, |eta| format!(", {} left", clock(eta)));
    let goals = [
        phase.expected_requests.map(|all| format!("{} requests", whole(all))),
        phase.expected_sessions.map(|all| format!("{} sessions", whole(all))),
        phase.duration.map(clock),
    ];
    let goals: Vec<String> = goals.into_iter().flatten().collect();
    let goals = if goals.is_empty() { "the whole data set".to_owned() } else { goals.join(" or ") };
    vec![
        Line::from(vec![
            scene.value(format!(" {:<16}", phase.name)),
            Span::styled(full, scene.theme.accent()),
            Span::styled(empty, scene.theme.border()),
            scene.value(format!(" {:>6}", percent(share))),
            scene.quiet(format!("  {status}{eta}")),
        ]),
        Line::from(scene.quiet(format!(
            " {:<16}goal {goals}; sent {}, completed {}, failed {}, cancelled {}, in flight {}",
            "",
            whole(phase.sent),
            whole(phase.completed),
            whole(phase.failed),
            whole(phase.cancelled),
            whole(phase.in_flight),
        ))),
    ]
}
