//! For terminals that are too small for panels: the most important lines first.

use aiperf_live::{Percentiles, RunState};

use crate::canvas::{Frame, Line, Rect, Span};
use crate::numbers::{clock, number, percent, whole};
use crate::panels::{Scene, fitting, lines};

pub(crate) fn compact(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let (snapshot, headline) = (scene.snapshot, &scene.snapshot.headline);
    let phase = snapshot.current_phase();
    let share = phase.and_then(|phase| phase.share).map_or_else(String::new, |share| format!(" {}", percent(share)));
    let mut text = vec![Line::from(vec![
        Span::styled(snapshot.state.title(), scene.theme.title()),
        scene.value(share),
        scene.quiet(phase.and_then(|phase| phase.eta).map_or_else(String::new, |eta| format!(" {} left", clock(eta)))),
    ])];
    if snapshot.state == RunState::Preparing {
        let working = snapshot.stages.iter().rfind(|stage| stage.seconds > 0.0);
        text.extend(working.map(|stage| Line::from(format!("{}: {}", stage.name.title(), stage.text))));
        return lines(frame, area, text);
    }
    text.extend(
        snapshot.verdicts.iter().map(|verdict| Line::from(Span::styled(verdict.sentence.clone(), scene.theme.alarm()))),
    );
    let row = |name: &str, value: String| Line::from(vec![scene.quiet(format!("{name:<10}")), scene.value(value)]);
    let times = |of: Option<Percentiles>| {
        of.map_or_else(|| "-".to_owned(), |of| format!("{} / {} ms", number(of.p50), number(of.p99)))
    };
    text.push(row("Requests", format!("{} /s", number(headline.requests_per_second))));
    if let Some(tokens) = headline.output_tokens_per_second {
        text.push(row("Output", format!("{} tok/s", number(tokens))));
    }
    text.push(row("In flight", whole(headline.in_flight)));
    text.push(row("Errors", format!("{} ({})", whole(headline.errors), percent(headline.error_share))));
    text.push(row("TTFT", times(headline.ttft.window)));
    text.push(row("ITL", times(headline.itl.window)));
    text.push(row("Latency", times(headline.latency.window)));
    if let Some(sweep) = &snapshot.sweep {
        text.push(row("Runs", format!("{} of {} done", sweep.done, sweep.total)));
    }
    if let Some(error) = snapshot.errors.first() {
        let said = format!("{} {}", error.kind, error.excerpt);
        text.push(Line::from(Span::styled(fitting(&said, usize::from(area.width)), scene.theme.bad())));
    }
    lines(frame, area, text);
}
