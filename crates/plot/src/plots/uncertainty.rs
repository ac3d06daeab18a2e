//! Operating points with their joint confidence region: repeated runs of a point are put together.

use aiperf_stats::distribution::student_t_quantile;

use super::operating_point::{GroupedPoints, OperatingPoint, PointGroup};
use super::scatter_line::{add_dots, add_line, add_texts, position, start};
use crate::figure::{ErrorBar, Figure, Layer, Marks, Oval, number_text};
use crate::preset::{PlotStyle, Preset};
use crate::run::StatValue;

const DOT: f32 = 11.0;
/// Below this many runs an interval says little: it is drawn paler.
const FEW_RUNS: u64 = 3;

pub(super) fn draw(preset: &Preset, points: &GroupedPoints) -> Figure {
    let merged = GroupedPoints {
        groups: points.groups.iter().map(|group| merge(group, preset.ci_level)).collect(),
        x_label: points.x_label.clone(),
        y_label: points.y_label.clone(),
        label_name: points.label_name.clone(),
        notes: Vec::new(),
    };
    let mut figure = start(preset, &merged);
    let style = preset.primary_style.unwrap_or(PlotStyle { marker_size: DOT, ..PlotStyle::default() });
    for group in &merged.groups {
        let known = |point: &&OperatingPoint| point.x.interval.is_some() && point.y.interval.is_some();
        for is_few in [true, false] {
            let ovals: Vec<Oval> = group
                .points
                .iter()
                .filter(known)
                .filter(|point| (point.runs < FEW_RUNS) == is_few)
                .map(|point| Oval { centre: centre(point), radii: (half(point.x), half(point.y)) })
                .collect();
            if !ovals.is_empty() {
                figure.layers.push(Layer::new(group.ink, Marks::Ovals { ovals, is_dashed: is_few }));
            }
        }
        let bars: Vec<ErrorBar> = group
            .points
            .iter()
            .filter(known)
            .map(|point| ErrorBar {
                x: point.x.value,
                y: point.y.value,
                x_range: point.x.interval,
                y_range: point.y.interval,
            })
            .collect();
        if !bars.is_empty() {
            figure.layers.push(Layer::new(group.ink, Marks::Errors { bars }));
        }
        add_line(&mut figure, group.ink, group.points.iter().map(position).collect(), &style);
        add_dots(&mut figure, group, &style, merged.groups.len());
    }
    add_texts(&mut figure, &merged);
    let level = number_text(preset.ci_level * 100.0, 0);
    let all = || merged.groups.iter().flat_map(|group| &group.points);
    let has_interval = |point: &&OperatingPoint| point.x.interval.is_some();
    if all().filter(has_interval).any(|point| point.runs > 1) {
        figure.notes.push(format!(
            "Bars and ellipses are {level} % confidence intervals over repeated runs; dashed: fewer than {FEW_RUNS} runs."
        ));
    } else if all().any(|point| has_interval(&point)) {
        figure.notes.push(format!(
            "Bars and ellipses are {level} % confidence intervals within single runs, dashed because no run was repeated."
        ));
    }
    let alone = all().filter(|point| point.x.interval.is_none()).count();
    if alone > 0 {
        figure.notes.push(format!("{alone} points have no interval: each is one run."));
    }
    figure
}

/// The middle of the intervals: a stored one need not be symmetric.
fn centre(point: &OperatingPoint) -> (f64, f64) {
    let middle = |stat: StatValue| stat.interval.map_or(stat.value, |(low, high)| f64::midpoint(low, high));
    (middle(point.x), middle(point.y))
}

fn half(stat: StatValue) -> f64 {
    stat.interval.map_or(0.0, |(low, high)| (high - low) / 2.0)
}

/// Runs at the same operating point become one with the mean of their values.
fn merge(group: &PointGroup, level: f64) -> PointGroup {
    let mut places: Vec<Vec<&OperatingPoint>> = Vec::new();
    for point in &group.points {
        let same = places.iter_mut().find(|runs| !point.label.is_empty() && runs[0].label == point.label);
        match same {
            Some(runs) => runs.push(point),
            None => places.push(vec![point]),
        }
    }
    let merged = places.iter().map(|runs| {
        let first = runs[0];
        if let [one] = &runs[..] {
            let (x, y) = (at_level(one.x, one.level, level), at_level(one.y, one.level, level));
            return OperatingPoint { x, y, ..(*one).clone() };
        }
        let values = |pick: fn(&OperatingPoint) -> f64| runs.iter().map(|run| pick(run)).collect::<Vec<f64>>();
        OperatingPoint {
            run: format!("{} runs", runs.len()),
            folders: runs.iter().flat_map(|run| run.folders.clone()).collect(),
            x: mean(&values(|point| point.x.value), level),
            y: mean(&values(|point| point.y.value), level),
            runs: runs.len() as u64,
            ..first.clone()
        }
    });
    PointGroup { name: group.name.clone(), ink: group.ink, points: merged.collect() }
}

/// Mean of some runs and its interval by Student's t.
fn mean(values: &[f64], level: f64) -> StatValue {
    let count = values.len() as f64;
    let value = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|one| (one - value).powi(2)).sum::<f64>() / (count - 1.0);
    spread(value, variance.sqrt(), values.len() as u64, level)
}

fn spread(value: f64, std: f64, count: u64, level: f64) -> StatValue {
    let half = student_t_quantile(0.5 + level / 2.0, (count - 1) as f64) * std / (count as f64).sqrt();
    StatValue { value, interval: Some((value - half, value + half)), repeats: Some((std, count)) }
}

/// A stored interval as it is if its level is the wanted one; otherwise it is computed from the spread over the runs.
fn at_level(stat: StatValue, stored: Option<f64>, wanted: f64) -> StatValue {
    let is_wanted = stored.is_some_and(|stored| (stored - wanted).abs() < 1e-9);
    match (stat.interval, stat.repeats) {
        (Some(_), _) if is_wanted => stat,
        (_, Some((std, count))) if count > 1 => spread(stat.value, std, count, wanted),
        _ => StatValue { interval: None, ..stat },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Ink;

    #[test]
    fn runs_with_the_same_label_are_one_point_wherever_they_are() {
        let alone = |value: f64| StatValue { value, interval: None, repeats: None };
        let point = |label: &str, x: f64| OperatingPoint {
            run: format!("{label} {x}"),
            folders: vec![x.to_string().into()],
            label: label.to_owned(),
            x: alone(x),
            y: alone(2.0 * x),
            runs: 1,
            level: None,
            order: None,
        };
        let points = vec![point("2", 1.0), point("4", 2.0), point("2", 3.0), point("", 4.0), point("", 5.0)];
        let merged = merge(&PointGroup { name: "m".to_owned(), ink: Ink::Group(0), points }, 0.95);
        let places: Vec<(f64, usize)> =
            merged.points.iter().map(|point| (point.x.value, point.folders.len())).collect();
        assert_eq!(places, [(2.0, 2), (2.0, 1), (4.0, 1), (5.0, 1)]);
    }

    #[test]
    fn the_mean_of_runs_has_an_interval_of_students_t() {
        let found = mean(&[1.0, 2.0, 3.0], 0.95);
        let (low, high) = found.interval.unwrap();
        // 4.302652729749 is the 97.5 % quantile with 2 degrees of freedom.
        let half = 4.302_652_729_749 / 3f64.sqrt();
        assert!((low - (2.0 - half)).abs() < 1e-9 && (high - (2.0 + half)).abs() < 1e-9);
    }

    #[test]
    fn a_stored_interval_is_used_at_its_own_level_only() {
        let stored = StatValue { value: 2.0, interval: Some((1.0, 4.0)), repeats: Some((1.0, 3)) };
        assert_eq!(at_level(stored, Some(0.95), 0.95).interval, Some((1.0, 4.0)));
        let (low, high) = at_level(stored, Some(0.95), 0.9).interval.unwrap();
        assert!((high - 2.0 - (2.0 - low)).abs() < 1e-9 && high < 4.0);
        let alone = StatValue { repeats: None, ..stored };
        assert_eq!(at_level(alone, Some(0.9), 0.95).interval, None);
    }
}
