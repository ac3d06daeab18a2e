//! From data and a preset to a figure: one file for each type of plot.

mod area;
mod dual_axis;
mod heat_map;
mod histogram;
mod label;
mod operating_point;
mod over_time;
mod pareto;
mod percentile_bands;
mod request_timeline;
mod request_values;
mod scatter;
mod scatter_line;
mod server_values;
mod survival;
mod timeslice;
mod uncertainty;

pub(crate) use label::{gpu_unit, readable_unit, title_of as metric_title};

use crate::figure::{Axis, AxisScale, Bounds, Figure};
use crate::preset::{Classification, Downsampling, PlotType, Preset};
use crate::run::{DetailedRun, SummarisedRun};

/// What all plots of one run are made from.
#[derive(Debug)]
pub(crate) struct SingleContext<'a> {
    pub(crate) run: &'a DetailedRun,
    pub(crate) downsampling: Downsampling,
}

/// A plot of one run. The error is the reason why it cannot be drawn.
pub(crate) fn single(preset: &Preset, context: &SingleContext<'_>) -> Result<Figure, String> {
    let mut figure = match preset.kind {
        PlotType::Scatter => scatter::draw(preset, context)?,
        PlotType::ScatterWithPercentiles => scatter::draw_with_percentiles(preset, context)?,
        PlotType::Area => area::draw(preset, context)?,
        PlotType::DualAxis => dual_axis::draw(preset, context)?,
        PlotType::Timeslice => timeslice::draw(preset, context.run)?,
        PlotType::Histogram => histogram::draw(preset, context)?,
        PlotType::PercentileBands => percentile_bands::draw(preset, context)?,
        PlotType::RequestTimeline => request_timeline::draw(preset, context.run)?,
        PlotType::Survival => survival::draw(preset, context.run)?,
        PlotType::HeatMap => heat_map::draw(preset, context.run)?,
        PlotType::Pareto | PlotType::ScatterLine | PlotType::Uncertainty => {
            return Err(format!("plots of type {} show several runs", preset.kind.name()));
        }
    };
    figure.subtitle = subtitle(preset, &run_line(context.run));
    finish(figure, preset)
}

/// A plot of several runs. The error is the reason why it cannot be drawn.
pub(crate) fn multi(
    preset: &Preset,
    runs: &[&SummarisedRun],
    classes: Option<&Classification>,
) -> Result<Figure, String> {
    let points = operating_point::collect(preset, runs, classes)?;
    let mut figure = match preset.kind {
        PlotType::Pareto => pareto::draw(preset, &points)?,
        PlotType::ScatterLine => scatter_line::draw(preset, &points, scatter_line::Joined::Yes),
        PlotType::Scatter => scatter_line::draw(preset, &points, scatter_line::Joined::No),
        PlotType::Uncertainty => uncertainty::draw(preset, &points),
        _ => return Err(format!("plots of type {} show one run", preset.kind.name())),
    };
    let folders = match runs {
        [one] => one.name.clone(),
        _ => match runs.iter().map(|run| run.runs).sum::<u64>() {
            count if count > runs.len() as u64 => format!("{} points from {count} runs", runs.len()),
            count => format!("{count} runs"),
        },
    };
    figure.subtitle = subtitle(preset, &folders);
    figure.notes.extend(points.notes);
    finish(figure, preset)
}

/// The labels and bounds that a preset asks for come last, and an empty figure is a reason to skip the plot.
fn finish(mut figure: Figure, preset: &Preset) -> Result<Figure, String> {
    if figure.is_empty() {
        return Err("there is nothing to draw: no value is known".to_owned());
    }
    if let Some(label) = &preset.x_label {
        figure.x.label.clone_from(label);
    }
    if let Some(label) = &preset.y_label {
        figure.y.label.clone_from(label);
    }
    for (axis, asked) in [(&mut figure.x, preset.autoscale.0), (&mut figure.y, preset.autoscale.1)] {
        if asked {
            axis.bounds = Bounds::Data;
        }
    }
    for (axis, asked) in [(&mut figure.x, preset.log_scale.0), (&mut figure.y, preset.log_scale.1)] {
        if asked {
            axis.scale = AxisScale::Log;
        }
    }
    Ok(figure)
}

fn subtitle(preset: &Preset, what: &str) -> String {
    match &preset.description {
        Some(description) => format!("{what} · {description}"),
        None => what.to_owned(),
    }
}

/// The run in one line: its name, model, load and number of requests.
fn run_line(run: &DetailedRun) -> String {
    let mut parts = vec![run.name().to_owned()];
    let column = |name: &str| run.summary.parameter(name).map(ToString::to_string);
    parts.extend(column("model").filter(|model| !run.name().contains(model.as_str())));
    parts.extend(column("concurrency").map(|number| format!("concurrency {number}")));
    parts.extend(column("request_rate").map(|number| format!("{number} requests/s")));
    if !run.requests.is_empty() {
        let failed = run.requests.outcome.iter().filter(|outcome| outcome.is_failure()).count();
        let failed = if failed > 0 { format!(", {failed} of them failed") } else { String::new() };
        parts.push(format!("{} requests{failed}", crate::figure::number_text(run.requests.len() as f64, 0)));
    }
    parts.join(" · ")
}

/// A figure with the title of the preset, or with one made of the labels of its axes.
fn titled(preset: &Preset, x: Axis, y: Axis) -> Figure {
    let title = preset.title.clone().unwrap_or_else(|| format!("{} against {}", y.label, x.label));
    Figure::new(title, x, y)
}
