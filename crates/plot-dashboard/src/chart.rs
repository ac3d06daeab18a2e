//! One chart as a page asks for it: a preset, some runs, a size and a part of the axes.

use aiperf_plot::{AxisScale, Bounds, Figure, PictureSize, RunMode, Theme, WrittenPreset, sized_svg};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::board::Board;
use crate::hover::hover_points;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChartRequest {
    pub(crate) name: String,
    pub(crate) preset: WrittenPreset,
    /// Runs that are shown; all of them if missing.
    #[serde(default)]
    pub(crate) runs: Option<Vec<String>>,
    /// The run whose requests are shown, instead of several runs.
    #[serde(default)]
    pub(crate) run: Option<String>,
    #[serde(default)]
    pub(crate) is_dark: bool,
    #[serde(default)]
    pub(crate) width: f32,
    #[serde(default)]
    pub(crate) height: f32,
    /// The part of the axes that is shown.
    #[serde(default)]
    pub(crate) view: Option<ChartView>,
    /// Series that are not shown.
    #[serde(default)]
    pub(crate) hidden: Vec<String>,
}

/// From where to where the axes go.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChartView {
    pub(crate) x: (f64, f64),
    pub(crate) y: (f64, f64),
}

impl ChartRequest {
    pub(crate) fn theme(&self) -> Theme {
        if self.is_dark { Theme::Dark } else { Theme::Light }
    }

    /// The figure. The error is the reason why there is none.
    pub(crate) fn figure(&self, board: &Board) -> Result<Figure, String> {
        let (runs, presets) = (board.runs(), board.presets());
        let mode = if self.run.is_some() { RunMode::Single } else { RunMode::Multi };
        let preset = self.preset.clone().check(&self.name, mode, &mut Vec::new())?;
        let mut figure = if let Some(id) = &self.run {
            let run = runs.with_id(id).ok_or("this run is not there any more")?;
            presets.file.figure_of_run(&preset, &*board.detailed(run)?)?
        } else {
            let is_chosen = |id: &String| self.runs.as_ref().is_none_or(|chosen| chosen.contains(id));
            let chosen = runs.runs.iter().filter(|run| is_chosen(&run.id));
            let summaries: Vec<_> = chosen.filter_map(|run| run.summary.as_deref().ok()).collect();
            if summaries.is_empty() {
                return Err("no run is selected".to_owned());
            }
            presets.file.figure_of_runs(&preset, &summaries)?
        };
        figure.layers.retain(|layer| !self.hidden.contains(&layer.ink.series()));
        if let Some(view) = &self.view {
            for (axis, (from, to)) in [(&mut figure.x, view.x), (&mut figure.y, view.y)] {
                let is_possible = from.is_finite() && to.is_finite() && from < to;
                if is_possible && (axis.scale == AxisScale::Linear || from > 0.0) {
                    axis.bounds = Bounds::Part(from, to);
                }
            }
        }
        Ok(figure)
    }

    /// The picture, and what a page needs to react to the pointer.
    pub(crate) fn answer(&self, board: &Board) -> Result<Value, String> {
        let figure = self.figure(board)?;
        let (svg, area) = sized_svg(&figure, self.theme(), PictureSize::new(self.width, self.height));
        let [x, y] = area.limits();
        let [x_log, y_log] = area.is_log();
        let points = hover_points(&figure, &area, &board.runs());
        Ok(json!({
            "svg": svg,
            "title": figure.title,
            "frame": area.frame(),
            "x": {"from": x.0, "to": x.1, "is_log": x_log},
            "y": {"from": y.0, "to": y.1, "is_log": y_log},
            "points": points,
            "rows": figure.points.rows.len(),
        }))
    }
}
