//! The page that answers most questions: as much of it as the terminal has room for.

use crate::canvas::{Frame, Rect};
use crate::panels::{self, Scene, columns, rows};

const HEADLINE: u16 = 8;
const SECOND_ROW: u16 = 7;
/// On a large terminal.
const TRENDS: u16 = 10;
const LOG: u16 = 8;
/// The least height that a log or a list of errors is worth.
const LEAST: u16 = 3;

pub(crate) fn overview(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    match (area.width, area.height) {
        (160.., 45..) => large(frame, area, scene),
        (100.., 30..) => medium(frame, area, scene),
        _ => small(frame, area, scene),
    }
}

/// 80 by 24.
fn small(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let [headline, second, rest] = rows(area, [HEADLINE, SECOND_ROW, u16::MAX]);
    headlines(frame, headline, scene);
    if let Some(sweep) = &scene.snapshot.sweep {
        panels::sweep(frame, second, scene, sweep);
    } else if let Some(search) = &scene.snapshot.capacity {
        panels::capacity(frame, second, scene, search);
    } else {
        let [left, middle, right] = columns(second, [32, 24, 24]);
        latency_histogram(frame, left, scene);
        panels::server(frame, middle, scene);
        panels::client(frame, right, scene);
    }
    lists(frame, rest, scene);
}

/// 120 by 40.
fn medium(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let gpu_height = gpu_height(scene, area.width, 6);
    let sweep_height = sweep_height(scene, 9);
    let [headline, second, trends, sweep, gpus, rest] =
        rows(area, [HEADLINE, SECOND_ROW + 1, 8, sweep_height, gpu_height, u16::MAX]);
    headlines(frame, headline, scene);
    let [left, middle, right] = columns(second, [60, 30, 30]);
    latency_histogram(frame, left, scene);
    panels::server(frame, middle, scene);
    panels::client(frame, right, scene);
    panels::trends(frame, trends, scene);
    several_loads(frame, sweep, scene);
    if gpu_height > 0 {
        panels::gpus(frame, gpus, scene);
    }
    lists(frame, rest, scene);
}

/// 200 by 60.
fn large(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let sweep_height = sweep_height(scene, 12);
    let gpu_height = gpu_height(scene, area.width / 3, 10).max(10);
    let errors_height = scene.snapshot.errors.len() as u16 + 2;
    let above = HEADLINE + TRENDS + gpu_height + sweep_height;
    let room = area.height.saturating_sub(above + errors_height + LOG);
    let metrics_height = (scene.snapshot.metrics.len() as u16 + 3).min(room).max(8);
    let [headline, trends, second, sweep, metrics, rest] =
        rows(area, [HEADLINE, TRENDS, gpu_height, sweep_height, metrics_height, u16::MAX]);
    let [throughput, latency, server, client] = columns(headline, [60, 64, 38, 38]);
    panels::throughput(frame, throughput, scene);
    panels::latency_table(frame, latency, scene);
    panels::server(frame, server, scene);
    panels::client(frame, client, scene);
    panels::trends(frame, trends, scene);
    let [left, middle, right] = columns(second, [1, 1, 1]);
    latency_histogram(frame, left, scene);
    let (bins, percentiles) = (&scene.snapshot.latency_histogram.ttft, scene.snapshot.headline.ttft.phase);
    panels::histogram(frame, middle, scene, "Time to first token, whole phase", (bins, percentiles));
    panels::gpus(frame, right, scene);
    several_loads(frame, sweep, scene);
    panels::metric_table(frame, metrics, scene);
    lists(frame, rest, scene);
}

/// The runs of a sweep, or the steps of a search.
fn several_loads(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    if let Some(progress) = &scene.snapshot.sweep {
        panels::sweep(frame, area, scene, progress);
    } else if let Some(search) = &scene.snapshot.capacity {
        panels::capacity(frame, area, scene, search);
    }
}

fn headlines(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let [left, right] = columns(area, [41, 39]);
    panels::throughput(frame, left, scene);
    panels::latency_table(frame, right, scene);
}

fn latency_histogram(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let (bins, percentiles) = (&scene.snapshot.latency_histogram.latency, scene.snapshot.headline.latency.phase);
    panels::histogram(frame, area, scene, "Request latency, whole phase", (bins, percentiles));
}

/// Errors as far as there are some, and the log.
fn lists(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let count = scene.snapshot.errors.len() as u16;
    let wanted = if count > 0 { count + 2 } else { 0 };
    let errors = match (scene.state.hides_log, area.height.saturating_sub(wanted) >= LEAST) {
        (true, _) => area.height,
        (false, true) => wanted,
        // Errors say more than the log if there is no room for both.
        (false, false) if wanted > 0 => area.height,
        (false, false) => 0,
    };
    let [errors, log] = rows(area, [errors, u16::MAX]);
    if errors.height >= LEAST {
        panels::errors(frame, errors, scene);
    }
    if log.height >= LEAST && !scene.state.hides_log {
        panels::log_lines(frame, log, scene);
    }
}

fn gpu_height(scene: &Scene<'_>, width: u16, most: u16) -> u16 {
    match panels::gpu_lines(scene, width) {
        0 => 0,
        gpus => (gpus + 2).min(most),
    }
}

fn sweep_height(scene: &Scene<'_>, most: u16) -> u16 {
    let of_search = scene.snapshot.capacity.as_ref().map_or(0, |_| most);
    scene.snapshot.sweep.as_ref().map_or(of_search, |sweep| (sweep.cells.len() as u16 + 3).min(most))
}
