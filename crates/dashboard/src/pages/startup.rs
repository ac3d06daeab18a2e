//! Before the first request: five lines of status instead of a log, which follows below.

use crate::canvas::{Frame, Rect};
use crate::panels::{self, Scene, rows};

const STAGES: u16 = 7;

pub(crate) fn startup(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let sweep_height = scene.snapshot.sweep.as_ref().map_or(0, |sweep| (sweep.cells.len() as u16 + 3).min(9));
    let [stages, sweep, log] = rows(area, [STAGES, sweep_height, u16::MAX]);
    panels::stages(frame, stages, scene);
    if let Some(progress) = &scene.snapshot.sweep {
        panels::sweep(frame, sweep, scene, progress);
    }
    if log.height >= 3 && !scene.state.hides_log {
        panels::log_lines(frame, log, scene);
    }
}
