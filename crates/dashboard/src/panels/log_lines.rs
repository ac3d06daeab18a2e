//! The log: the newest lines at the bottom.

use aiperf_live::LogLine;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{Scene, fitting, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span};

/// Columns of time and level.
const BEFORE_MESSAGE: usize = 18;

pub(crate) fn log_lines(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let inner = framed(frame, area, "Log", scene.theme);
    let height = usize::from(inner.height);
    let wanted: Vec<&LogLine> = scene.snapshot.log.iter().filter(|line| scene.state.matches(&line.message)).collect();
    let is_page = scene.state.page == crate::view_state::Page::Log;
    let scroll = if is_page { scene.state.scroll.min(wanted.len().saturating_sub(height)) } else { 0 };
    let end = wanted.len() - scroll;
    let shown = &wanted[end.saturating_sub(height)..end];
    let skipped = if is_page { scene.state.columns } else { 0 };
    lines(frame, inner, shown.iter().map(|line| row(scene, line, skipped, usize::from(inner.width))).collect());
}

fn row(scene: &Scene<'_>, line: &LogLine, skipped: usize, width: usize) -> Line {
    let style = match line.level {
        "ERROR" => scene.theme.bad(),
        "WARNING" => scene.theme.warning(),
        _ => scene.theme.quiet(),
    };
    let message: String = line.message.chars().skip(skipped).map(|c| if c.is_control() { ' ' } else { c }).collect();
    Line::from(vec![
        scene.quiet(format!(" {} ", time(line.at_ns, scene.zone))),
        Span::styled(format!("{:<8}", line.level), style),
        Span::raw(fitting(&message, width.saturating_sub(BEFORE_MESSAGE + 1))),
    ])
}

fn time(at_ns: i64, zone: &TimeZone) -> String {
    let at = Timestamp::from_nanosecond(i128::from(at_ns)).unwrap_or_default();
    at.to_zoned(zone.clone()).strftime("%H:%M:%S").to_string()
}
