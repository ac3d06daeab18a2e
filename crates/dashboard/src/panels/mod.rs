//! The parts that pages are made of. Each draws itself into the area that it is given.

mod client;
mod errors;
mod footer;
mod gpus;
mod header;
mod histogram;
mod latency;
mod log_lines;
mod metric_table;
mod phases;
mod result;
mod server;
mod stages;
mod sweep;
mod throughput;
mod trends;
mod verdicts;

pub(crate) use client::client;
pub(crate) use errors::errors;
pub(crate) use footer::footer;
pub(crate) use gpus::gpus;
pub(crate) use header::{HEIGHT as HEADER_HEIGHT, header};
pub(crate) use histogram::histogram;
pub(crate) use latency::latency;
pub(crate) use log_lines::log_lines;
pub(crate) use metric_table::metric_table;
pub(crate) use phases::phases;
pub(crate) use result::result;
pub(crate) use server::server;
pub(crate) use stages::stages;
pub(crate) use sweep::sweep;
pub(crate) use throughput::throughput;
pub(crate) use trends::trends;
pub(crate) use verdicts::{verdict_rows, verdicts};

use aiperf_live::{History, HistoryPoint, RunFacts, Snapshot};

use crate::canvas::{Frame, Line, Rect, Span};
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

/// Draws lines from the top of an area; what does not fit is left out.
pub(crate) fn lines(frame: &mut Frame, area: Rect, lines: Vec<Line>) {
    lines.iter().zip(0..area.height).for_each(|(line, row)| frame.write(area, row, line));
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

/// Cuts a text to a width, with an ellipsis if something is missing.
pub(crate) fn fitting(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}
