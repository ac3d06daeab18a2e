//! Phases, records, start-up, errors and the runs of a sweep.

use crate::canvas::{Frame, Rect};
use crate::panels::{self, Scene, rows};

pub(crate) fn progress_page(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let note = u16::from(scene.snapshot.note.is_some());
    let phases_height = scene.snapshot.phases.len() as u16 * 2 + 3 + note;
    let sweep_height =
        scene.snapshot.sweep.as_ref().map_or(0, |sweep| (sweep.cells.len() as u16 + 3).min(area.height / 3));
    let [phases, stages, sweep, errors] = rows(area, [phases_height, 7, sweep_height, u16::MAX]);
    panels::phases(frame, phases, scene);
    panels::stages(frame, stages, scene);
    if let Some(progress) = &scene.snapshot.sweep {
        panels::sweep(frame, sweep, scene, progress);
    }
    if errors.height >= 3 {
        panels::errors(frame, errors, scene);
    }
}
