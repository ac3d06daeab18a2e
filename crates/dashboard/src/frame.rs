//! One picture: header, page, verdicts, footer.

use aiperf_live::RunState;

use crate::canvas::{Frame, Rect};
use crate::pages;
use crate::panels::{self, Scene, rows};
use crate::view_state::Page;

/// Smaller terminals get lines instead of panels.
const LEAST_WIDTH: u16 = 60;
const LEAST_HEIGHT: u16 = 16;
/// Rows that verdicts may take.
const MOST_VERDICT_ROWS: u16 = 4;

pub(crate) fn draw(frame: &mut Frame, scene: &Scene<'_>) {
    draw_all(frame, scene);
    if scene.theme.is_ascii() {
        frame.make_ascii();
    }
}

fn draw_all(frame: &mut Frame, scene: &Scene<'_>) {
    let area = frame.area();
    if area.width < LEAST_WIDTH || area.height < LEAST_HEIGHT {
        return pages::compact(frame, area, scene);
    }
    let verdict_rows = panels::verdict_rows(scene, area.width).min(MOST_VERDICT_ROWS);
    let page_height = area.height - panels::HEADER_HEIGHT - 1 - verdict_rows;
    let [header, verdicts, page, footer] = rows(area, [panels::HEADER_HEIGHT, verdict_rows, page_height, 1]);
    panels::header(frame, header, scene);
    if verdict_rows > 0 {
        panels::verdicts(frame, verdicts, scene);
    }
    draw_page(frame, page, scene);
    panels::footer(frame, footer, scene);
    if scene.state.shows_help {
        pages::help(frame, area, scene);
    }
}

fn draw_page(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let snapshot = scene.snapshot;
    match scene.state.page {
        Page::Overview if snapshot.result.is_some() => ended(frame, area, scene),
        Page::Overview if snapshot.state == RunState::Preparing => pages::startup(frame, area, scene),
        Page::Overview => pages::overview(frame, area, scene),
        Page::Progress => pages::progress_page(frame, area, scene),
        Page::Metrics => panels::metric_table(frame, area, scene),
        Page::Client => pages::client_page(frame, area, scene),
        Page::Server => pages::server_page(frame, area, scene),
        Page::Log => panels::log_lines(frame, area, scene),
    }
}

/// The runs of a sweep, the main numbers and the files, then the log.
fn ended(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let Some(end) = &scene.snapshot.result else { return };
    let sweep_height =
        scene.snapshot.sweep.as_ref().map_or(0, |sweep| (sweep.cells.len() as u16 + 3).min(area.height / 2));
    let messages = usize::from(end.reason.is_some()) + usize::from(!end.notes.is_empty());
    let numbers = if end.rows.is_empty() { 0 } else { end.rows.len() + 1 };
    let result_height = (numbers + messages).max(end.files.len()).max(1) as u16 + 2;
    let [sweep, result, log] = rows(area, [sweep_height, result_height, u16::MAX]);
    if let Some(progress) = &scene.snapshot.sweep {
        panels::sweep(frame, sweep, scene, progress);
    }
    panels::result(frame, result, scene);
    if log.height >= 3 {
        panels::log_lines(frame, log, scene);
    }
}

#[cfg(test)]
mod tests;
