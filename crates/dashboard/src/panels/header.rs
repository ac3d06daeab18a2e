//! What runs, how far it is, and what it was asked for.

use aiperf_live::{PhaseStatus, RunState};

use super::{Scene, fitting, lines};
use crate::canvas::{Frame, Line, Rect, Span};
use crate::chart;
use crate::numbers::{clock, percent, whole};

pub(crate) const HEIGHT: u16 = 2;

pub(crate) fn header(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let width = usize::from(area.width);
    lines(frame, area, vec![progress(scene, width), facts(scene, width)]);
}

fn state_style(scene: &Scene<'_>) -> crate::canvas::Style {
    match scene.snapshot.state {
        RunState::Failed => scene.theme.bad(),
        RunState::Cancelled => scene.theme.warning(),
        RunState::Complete => scene.theme.good(),
        _ => scene.theme.value(),
    }
}

/// `aiperf Profiling ███████░░░░░  39 %  0:47 of 2:00, 1,001 done, 1:13 left`
fn progress(scene: &Scene<'_>, width: usize) -> Line {
    let snapshot = scene.snapshot;
    let mut spans =
        vec![Span::styled(" aiperf ", scene.theme.title()), Span::styled(snapshot.state.title(), state_style(scene))];
    if scene.state.paused.is_some() && !snapshot.state.is_over() {
        spans.push(Span::styled(" view paused ", scene.theme.alarm()));
    }
    let mut share = None;
    let mut words = String::new();
    match snapshot.state {
        RunState::Processing | RunState::Exporting => {
            let records = snapshot.records;
            share = (records.expected > 0).then(|| records.processed as f64 / records.expected as f64);
            words = format!("{} of {} records", whole(records.processed), whole(records.expected));
        }
        _ => {
            if let Some(phase) = snapshot.current_phase() {
                share = phase.share;
                words = match (phase.expected_requests, phase.expected_sessions, phase.duration) {
                    (_, _, Some(duration)) => {
                        let (elapsed, duration) = (clock(phase.elapsed), clock(duration));
                        format!("{elapsed} of {duration}, {} done", whole(phase.returned))
                    }
                    (Some(all), _, None) => format!("{} of {} requests", whole(phase.returned), whole(all)),
                    (None, Some(all), None) => {
                        format!("{} of {} sessions", whole(phase.sessions_completed), whole(all))
                    }
                    (None, None, None) => format!("{}, {} done", clock(phase.elapsed), whole(phase.returned)),
                };
                if let Some(eta) = phase.eta.filter(|_| phase.state != PhaseStatus::Complete) {
                    words.push_str(&format!(", {} left", clock(eta)));
                }
            }
        }
    }
    let share_text = share.map_or_else(String::new, |share| format!(" {:>5}", percent(share)));
    let right = format!("{share_text}  {words} ");
    let taken: usize = spans.iter().map(Span::width).sum::<usize>() + right.chars().count() + 2;
    let room = width.saturating_sub(taken);
    spans.push(Span::raw(" "));
    match share {
        Some(share) if room >= 6 => {
            let (full, empty) = chart::thick_bar(share, room, scene.theme);
            spans.push(Span::styled(full, scene.theme.accent()));
            spans.push(Span::styled(empty, scene.theme.border()));
        }
        _ => spans.push(Span::raw(" ".repeat(room))),
    }
    spans.push(scene.value(share_text));
    spans.push(scene.quiet(format!("  {words} ")));
    Line::from(spans)
}

fn facts(scene: &Scene<'_>, width: usize) -> Line {
    let facts = scene.facts;
    let dot = format!(" {} ", scene.theme.symbols().dot);
    let streaming = if facts.streaming { ", streaming" } else { "" };
    let url = facts.urls.first().map_or("", |url| url.trim_start_matches("http://"));
    let more = if facts.urls.len() > 1 { format!(" and {} more", facts.urls.len() - 1) } else { String::new() };
    // The name of a run of a sweep has its load already.
    let is_swept = facts.cell.as_ref().is_some_and(|cell| cell.contains(&facts.load));
    let parts = [
        facts.models.join(", "),
        facts.cell.clone().unwrap_or_default(),
        if is_swept { String::new() } else { facts.load.clone() },
        format!("{url}{more}"),
        format!("{}{streaming}", facts.endpoint_type),
    ];
    let text: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Line::from(scene.quiet(fitting(&format!(" {}", text.join(&dot)), width)))
}
