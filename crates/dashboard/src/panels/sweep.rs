//! The runs of a sweep with their headline numbers.

use aiperf_live::{CellProgress, CellState, RunState, SweepProgress};

use super::{Scene, fitting, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span};
use crate::numbers::{clock, number_or_dash};

const COLUMN: usize = 9;

pub(crate) fn sweep(frame: &mut Frame, area: Rect, scene: &Scene<'_>, sweep: &SweepProgress) {
    let eta = sweep
        .eta
        .filter(|_| sweep.done < sweep.total)
        .map_or_else(String::new, |eta| format!(", about {} left", clock(eta)));
    let inner = framed(frame, area, &format!("Runs: {} of {} done{eta}", sweep.done, sweep.total), scene.theme);
    let width = usize::from(inner.width);
    let columns = columns();
    let longest = sweep.cells.iter().map(|cell| cell.name.chars().count()).max().unwrap_or(0).max(5);
    let name_width = longest.min(width.saturating_sub(4 * COLUMN + 4));
    let room = width.saturating_sub(name_width + 5) / COLUMN;
    let shown = &columns[..room.min(columns.len())];
    let mut head = format!("    {:<name_width$}", "Run");
    for (name, _) in shown {
        head.push_str(&padded(name));
    }
    let mut text = vec![Line::from(scene.quiet(head))];
    let height = usize::from(inner.height).saturating_sub(1);
    // The current run stays in view.
    let current = sweep.cells.iter().position(|cell| cell.state == CellState::Running).unwrap_or(sweep.done);
    let skipped = (current + 2).saturating_sub(height).min(sweep.cells.len().saturating_sub(height));
    for cell in sweep.cells.iter().skip(skipped).take(height) {
        text.push(row(scene, cell, name_width, shown));
    }
    lines(frame, inner, text);
}

fn padded(text: &str) -> String {
    format!("{text:>COLUMN$}")
}

type ColumnValue = fn(&CellProgress) -> Option<f64>;

fn columns() -> [(&'static str, ColumnValue); 9] {
    [
        ("req/s", |cell| cell.requests_per_second),
        ("tok/s", |cell| cell.output_tokens_per_second),
        ("TTFT p50", |cell| cell.ttft_p50),
        ("TTFT p99", |cell| cell.ttft_p99),
        ("ITL p50", |cell| cell.itl_p50),
        ("ITL p99", |cell| cell.itl_p99),
        ("lat p50", |cell| cell.latency_p50),
        ("lat p99", |cell| cell.latency_p99),
        ("errors %", |cell| cell.error_share.map(|share| share * 100.0)),
    ]
}

fn row(scene: &Scene<'_>, cell: &CellProgress, name_width: usize, shown: &[(&'static str, ColumnValue)]) -> Line {
    let (symbols, theme) = (scene.theme.symbols(), scene.theme);
    let (sign, style) = match cell.state {
        CellState::Waiting => (symbols.waiting, theme.quiet()),
        CellState::Running => (symbols.working[scene.snapshot.seq as usize % 4], theme.accent()),
        CellState::Complete => (symbols.done, theme.good()),
        CellState::Failed => (symbols.failed, theme.bad()),
        CellState::Cancelled => (symbols.skipped, theme.warning()),
    };
    let name = fitting(&cell.name, name_width);
    let mut spans = vec![Span::styled(format!(" {sign:<2} "), style), Span::raw(format!("{name:<name_width$}"))];
    let values =
        |cell: &CellProgress| -> String { shown.iter().map(|(_, of)| padded(&number_or_dash(of(cell)))).collect() };
    match cell.state {
        CellState::Waiting => {}
        CellState::Running if scene.snapshot.state == RunState::Profiling => {
            spans.push(Span::styled(values(&so_far(scene)), theme.accent()));
        }
        CellState::Running => {
            spans.push(Span::styled(format!("  {}", scene.snapshot.state.title()), theme.accent()));
        }
        CellState::Complete | CellState::Failed | CellState::Cancelled => spans.push(scene.value(values(cell))),
    }
    Line::from(spans)
}

/// The numbers of the run that goes on.
fn so_far(scene: &Scene<'_>) -> CellProgress {
    let headline = &scene.snapshot.headline;
    let (ttft, itl, latency) = (headline.ttft.phase, headline.itl.phase, headline.latency.phase);
    CellProgress {
        requests_per_second: Some(headline.phase_requests_per_second),
        output_tokens_per_second: headline.phase_output_tokens_per_second,
        ttft_p50: ttft.map(|of| of.p50),
        ttft_p99: ttft.map(|of| of.p99),
        itl_p50: itl.map(|of| of.p50),
        itl_p99: itl.map(|of| of.p99),
        latency_p50: latency.map(|of| of.p50),
        latency_p99: latency.map(|of| of.p99),
        error_share: Some(headline.error_share),
        ..CellProgress::default()
    }
}
