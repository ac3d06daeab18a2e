//! The GPUs, in as many columns as there is room for.

use aiperf_live::GpuState;

use super::{Scene, fitting, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span};
use crate::chart;
use crate::numbers::number_or_dash;

const BAR: usize = 6;
/// Width of everything but the model.
const NUMBERS: usize = 43;
/// A GPU with enough of its model's name.
const COLUMN: usize = 58;

pub(crate) fn gpus(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let inner = framed(frame, area, "GPUs", scene.theme);
    let gpus = &scene.snapshot.gpus;
    if gpus.is_empty() {
        return lines(frame, inner, vec![Line::from(scene.quiet(" no GPU telemetry"))]);
    }
    let columns = gpu_columns(inner.width).min(gpus.len());
    let width = usize::from(inner.width) / columns;
    let shown: Vec<&GpuState> = gpus.iter().skip(scene.state.scroll.min(gpus.len().saturating_sub(1))).collect();
    let line = |row: &[&GpuState]| Line::from(row.iter().flat_map(|gpu| cell(scene, gpu, width)).collect::<Vec<_>>());
    lines(frame, inner, shown.chunks(columns).map(line).collect());
}

/// How many GPUs stand in one line of this width.
fn gpu_columns(width: u16) -> usize {
    (usize::from(width) / COLUMN).max(1)
}

/// Lines for all GPUs in a panel of this width.
pub(crate) fn gpu_lines(scene: &Scene<'_>, width: u16) -> u16 {
    scene.snapshot.gpus.len().div_ceil(gpu_columns(width.saturating_sub(2))) as u16
}

fn cell(scene: &Scene<'_>, gpu: &GpuState, width: usize) -> Vec<Span> {
    let share = gpu.utilization_percent.unwrap_or(0.0) / 100.0;
    let (full, empty) = chart::bar(share, BAR, scene.theme);
    let value = |value: Option<f64>, width: usize| scene.value(format!("{:>width$}", number_or_dash(value)));
    let room = width.saturating_sub(NUMBERS);
    let model = if room >= 8 { fitting(gpu.model.trim_start_matches("NVIDIA "), room - 1) } else { String::new() };
    // The locale that has no degree sign has none of the other signs either.
    let degrees = if scene.theme.is_ascii() { " C  " } else { " °C " };
    vec![
        scene.quiet(format!(" {:>2} ", gpu.index)),
        Span::styled(full, scene.theme.accent()),
        Span::styled(empty, scene.theme.border()),
        value(gpu.utilization_percent, 5),
        scene.quiet(" %"),
        value(gpu.power_watts, 6),
        scene.quiet(" W"),
        value(gpu.memory_used_gb, 6),
        scene.quiet(" GB"),
        value(gpu.temperature_celsius, 5),
        scene.quiet(degrees),
        scene.quiet(format!("{model:<room$}")),
    ]
}
