//! Several runs as points, with a line through those that no other run of their group beats in both metrics.

use super::label::larger_is_better;
use super::operating_point::GroupedPoints;
use super::scatter_line::{add_dots, add_intervals, add_line, add_texts, position, start};
use crate::figure::{Figure, PointCell};
use crate::preset::{PlotStyle, Preset};

const DOT: f32 = 11.0;

pub(super) fn draw(preset: &Preset, points: &GroupedPoints) -> Result<Figure, String> {
    let direction = |name: &str| {
        larger_is_better(name)
            .ok_or_else(|| format!("nobody knows whether more or less of {name} is better; use scatter_line"))
    };
    let x_metric = preset.x.as_ref().ok_or("x is missing")?;
    let (more_x, more_y) = (direction(&x_metric.name)?, direction(&preset.y.name)?);
    let mut figure = start(preset, points);
    figure.points.columns.push("on_frontier".to_owned());
    let style = preset.primary_style.unwrap_or(PlotStyle { marker_size: DOT, line_width: 2.5, ..PlotStyle::default() });
    let mut rows = figure.points.rows.iter_mut();
    let mut frontiers = Vec::new();
    for group in &points.groups {
        let places: Vec<(f64, f64)> = group.points.iter().map(position).collect();
        let is_best: Vec<bool> = places.iter().map(|place| !is_beaten(*place, &places, more_x, more_y)).collect();
        for (row, best) in rows.by_ref().zip(&is_best) {
            row.push(PointCell::from(if *best { "yes" } else { "no" }));
        }
        let mut frontier: Vec<(f64, f64)> =
            places.iter().zip(&is_best).filter(|(_, best)| **best).map(|(place, _)| *place).collect();
        frontier.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
        frontiers.push(frontier);
    }
    for (group, frontier) in points.groups.iter().zip(frontiers) {
        add_intervals(&mut figure, group);
        add_line(&mut figure, group.ink, frontier, &style);
        add_dots(&mut figure, group, &style, points.groups.len());
    }
    add_texts(&mut figure, points);
    figure.notes.push("The line joins the points that no other point of the group beats in both metrics.".to_owned());
    Ok(figure)
}

/// Whether another point is at least as good in both metrics and better in one.
fn is_beaten(place: (f64, f64), others: &[(f64, f64)], more_x: bool, more_y: bool) -> bool {
    let gain = |other: f64, own: f64, more: bool| if more { other - own } else { own - other };
    others.iter().any(|other| {
        let (x, y) = (gain(other.0, place.0, more_x), gain(other.1, place.1, more_y));
        x >= 0.0 && y >= 0.0 && (x > 0.0 || y > 0.0)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_point_that_ties_on_one_metric_and_loses_on_the_other_is_beaten() {
        let places = [(1.0, 5.0), (2.0, 5.0), (2.0, 7.0), (3.0, 7.0)];
        let best = |more_x: bool| {
            places.iter().filter(|place| !is_beaten(**place, &places, more_x, true)).copied().collect::<Vec<_>>()
        };
        assert_eq!(best(false), [(1.0, 5.0), (2.0, 7.0)]);
        assert_eq!(best(true), [(3.0, 7.0)]);
    }

    proptest! {
        #[test]
        fn the_frontier_rises_with_what_it_costs(places in prop::collection::vec((0u8..20, 0u8..20), 1..30)) {
            let places: Vec<(f64, f64)> = places.into_iter().map(|(x, y)| (f64::from(x), f64::from(y))).collect();
            let mut best: Vec<(f64, f64)> = places.iter().filter(|place| !is_beaten(**place, &places, false, true)).copied().collect();
            prop_assert!(!best.is_empty());
            best.sort_by(|one, other| one.0.total_cmp(&other.0));
            for pair in best.windows(2) {
                prop_assert!(pair[0] == pair[1] || (pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
            }
        }
    }
}
