//! All points by two metrics, with those that no other point beats. Little of the first metric is good, and much of the
//! second.

use aiperf_config::MetricStat;
use aiperf_report::SweepCell;
use serde_json::{Value, json};

use super::metric;

struct ParetoPoint {
    x: Option<f64>,
    y: Option<f64>,
}

impl ParetoPoint {
    fn both(&self) -> Option<(f64, f64)> {
        self.x.zip(self.y)
    }

    fn is_beaten_by(&self, other: &Self) -> bool {
        let (Some((x, y)), Some((other_x, other_y))) = (self.both(), other.both()) else { return false };
        other_x <= x && other_y >= y && (other_x < x || other_y > y)
    }
}

pub(super) fn process(cells: &[SweepCell], [x, y]: [&MetricStat; 2], keys: [&String; 3]) -> Result<Value, String> {
    let swept = cells.iter().filter_map(|cell| {
        let [isl, osl, concurrency] = keys.map(|key| cell.parameter(key));
        Some((isl?, osl?, concurrency?, cell))
    });
    let swept: Vec<(&Value, &Value, &Value, &SweepCell)> = swept.collect();
    let points: Vec<ParetoPoint> =
        swept.iter().map(|(.., cell)| ParetoPoint { x: metric(cell, x), y: metric(cell, y) }).collect();
    if points.iter().all(|point| point.both().is_none()) {
        let [isl, osl, concurrency] = keys;
        return Err(format!(
            "no point has {isl}, {osl} and {concurrency} together with {} {} and {} {}; check the names, and use \
             --streaming for metrics of tokens",
            x.metric, x.stat, y.metric, y.stat
        ));
    }
    let is_best = |point: &ParetoPoint| point.both().is_some() && !points.iter().any(|other| point.is_beaten_by(other));
    let row = |((isl, osl, concurrency, _), point): (&(&Value, &Value, &Value, &SweepCell), &ParetoPoint)| {
        json!({
            "isl": isl,
            "osl": osl,
            "concurrency": concurrency,
            "x": point.x,
            "y": point.y,
            "pareto_optimal": is_best(point),
        })
    };
    Ok(json!({
        "x_metric": x.metric,
        "x_stat": x.stat,
        "y_metric": y.metric,
        "y_stat": y.stat,
        "cells": swept.iter().zip(&points).map(row).collect::<Vec<_>>(),
    }))
}
