//! The parts that pages are made of. Each draws itself into the area that it is given.

mod capacity;
mod client;
mod errors;
mod footer;
mod gpus;
mod header;
mod histogram;
mod latency;
mod log_lines;
mod metric_name;
mod metric_table;
mod phases;
mod result;
mod server;
mod stages;
mod sweep;
mod throughput;
mod trends;
mod verdicts;

pub(crate) use capacity::capacity;
pub(crate) use client::client;
pub(crate) use errors::errors;
pub(crate) use footer::footer;
pub(crate) use gpus::{gpu_lines, gpus};
pub(crate) use header::{HEIGHT as HEADER_HEIGHT, header};
pub(crate) use histogram::histogram;
pub(crate) use latency::latency_table;
pub(crate) use log_lines::log_lines;
pub(crate) use metric_table::metric_table;
pub(crate) use phases::phases;
pub(crate) use result::result;
pub(crate) use server::{server, server_value};
pub(crate) use stages::stages;
pub(crate) use sweep::sweep;
pub(crate) use throughput::throughput;
pub(crate) use trends::{over_time, trends};
pub(crate) use verdicts::{verdict_rows, verdicts};

use aiperf_live::{History, HistoryPoint, RunFacts, Snapshot};
use jiff::tz::TimeZone;

use crate::canvas::{Frame, Line, Rect, Span, Style};
use crate::theme::Theme;
use crate::view_state::ViewState;

/// What panels draw from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) history: &'a History,
    pub(crate) facts: &'a RunFacts,
    pub(crate) state: &'a ViewState,
    pub(crate) theme: Theme,
    /// Of the times in the log.
    pub(crate) zone: &'a TimeZone,
}

impl Scene<'_> {
    /// One value of each point of the history.
    pub(crate) fn over_time(&self, of: impl Fn(&HistoryPoint) -> f64) -> Vec<f64> {
        self.history.points.iter().map(of).collect()
    }

    pub(crate) fn quiet(&self, text: impl Into<String>) -> Span {
        Span::styled(text.into(), self.theme.quiet())
    }

    pub(crate) fn value(&self, text: impl Into<String>) -> Span {
        Span::styled(text.into(), self.theme.value())
    }
}

/// Draws a border with a title and returns the area inside.
pub(crate) fn framed(frame: &mut Frame, area: Rect, title: &str, theme: Theme) -> Rect {
    frame.border(area, theme.borders(), theme.border());
    let title = fitting(&format!(" {title} "), usize::from(area.width).saturating_sub(2));
    frame.write(
        Rect { y: area.y, height: 1.min(area.height), ..area.inner() },
        0,
        &Line::from(Span::styled(title, theme.title())),
    );
    area.inner()
}

/// A blank before a line.
pub(crate) fn indented(mut line: Line) -> Line {
    line.0.insert(0, Span::raw(" "));
    line
}

/// Draws lines from the top of an area; what does not fit is left out.
pub(crate) fn lines(frame: &mut Frame, area: Rect, lines: Vec<Line>) {
    for (line, row) in lines.into_iter().zip(0..area.height) {
        frame.write(area, row, &line);
    }
}

/// Rows of an area from top to bottom, each as high as asked for while there is room.
pub(crate) fn rows<const N: usize>(area: Rect, heights: [u16; N]) -> [Rect; N] {
    let mut top = area.y;
    heights.map(|height| {
        let height = height.min(area.bottom().saturating_sub(top));
        let row = Rect { y: top, height, ..area };
        top += height;
        row
    })
}

/// Columns of an area from left to right, by their shares of the width.
pub(crate) fn columns<const N: usize>(area: Rect, shares: [u16; N]) -> [Rect; N] {
    let all: u16 = shares.iter().sum();
    let mut passed = 0;
    shares.map(|share| {
        let edge = |passed: u16| (u32::from(area.width) * u32::from(passed) / u32::from(all.max(1))) as u16;
        let (from, to) = (edge(passed), edge(passed + share));
        passed += share;
        Rect { x: area.x + from, width: to - from, ..area }
    })
}

/// The widest line that the eye follows from a name to its value.
const WIDEST_ROW: usize = 46;

/// A name at the left and its value at the right of a line.
pub(crate) fn name_and_value(scene: &Scene<'_>, name: &str, value: &str, style: Style, width: usize) -> Line {
    let width = width.min(WIDEST_ROW).saturating_sub(2);
    let name = fitting(name, width.saturating_sub(value.chars().count() + 1));
    let room = width.saturating_sub(name.chars().count());
    Line::from(vec![scene.quiet(format!(" {name}")), Span::styled(format!("{value:>room$}"), style)])
}

/// Cuts a text to a width, with an ellipsis if something is missing.
pub(crate) fn fitting(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}
