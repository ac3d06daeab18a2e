//! The GPUs, one line each.

use super::{Scene, fitting, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span};
use crate::chart;
use crate::numbers::number_or_dash;

const BAR: usize = 8;
/// Width of everything but the model.
const NUMBERS: usize = 46;

pub(crate) fn gpus(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let inner = framed(frame, area, "GPUs", scene.theme);
    let gpus = &scene.snapshot.gpus;
    if gpus.is_empty() {
        return lines(frame, inner, vec![Line::from(scene.quiet(" no GPU telemetry"))]);
    }
    let model_room = usize::from(inner.width).saturating_sub(NUMBERS);
    let row = |gpu: &aiperf_live::GpuState| {
        let share = gpu.utilization_percent.unwrap_or(0.0) / 100.0;
        let (full, empty) = chart::bar(share, BAR, scene.theme);
        let value = |value: Option<f64>, width: usize| scene.value(format!("{:>width$}", number_or_dash(value)));
        let model = if model_room >= 8 { fitting(&gpu.model, model_room) } else { String::new() };
        Line::from(vec![
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
            scene.quiet(" °C  "),
            scene.quiet(model),
        ])
    };
    lines(frame, inner, gpus.iter().skip(scene.state.scroll.min(gpus.len().saturating_sub(1))).map(row).collect());
}
