//! R7 and R8: two numbers of each request against each other, as counts in a grid with the median of each column.

use aiperf_metrics::Metric;
use aiperf_stats::linear;
use serde_json::{Value, json};

use crate::number::{round_up, short, shorts};
use crate::run::requests::Requests;

const COLUMNS: f64 = 36.0;
const ROWS: usize = 32;

/// TTFT against the input tokens that were not in the server's prefix cache.
pub(crate) fn first_token_by_input(requests: &Requests) -> Value {
    let point = |row: usize| {
        let input = requests.value(Metric::InputSequenceLength, row)?;
        let cached = requests.value(Metric::UsagePromptCacheReadTokens, row).unwrap_or(0.0);
        Some(((input - cached).max(0.0), requests.value(Metric::TimeToFirstToken, row)?))
    };
    grid((0..requests.len()).filter_map(point).collect())
}

/// ITL against the mean number of streams that were decoding while the request was.
pub(crate) fn inter_token_by_streams(requests: &Requests) -> Value {
    let decoding: Vec<(usize, u64, u64)> = (0..requests.len())
        .filter_map(|row| Some((row, requests.first_token_ns(row)?, requests.spans[row].end_ns)))
        .filter(|(_, first, end)| first < end)
        .collect();
    let streams = StreamCount::of(&decoding);
    let point = |(row, first, end): &(usize, u64, u64)| {
        let itl = requests.value(Metric::InterTokenLatency, *row)?;
        Some((streams.mean_between(*first, *end), itl))
    };
    grid(decoding.iter().filter_map(point).collect())
}

/// How many streams were decoding at each time.
struct StreamCount {
    /// When the number changes, the number from then on, and the sum over time up to then.
    steps: Vec<(u64, f64, f64)>,
}

impl StreamCount {
    fn of(spans: &[(usize, u64, u64)]) -> Self {
        let mut changes: Vec<(u64, i32)> = spans.iter().flat_map(|(_, first, end)| [(*first, 1), (*end, -1)]).collect();
        changes.sort_unstable();
        let (mut level, mut sum, mut before) = (0, 0.0, 0);
        let steps = changes.into_iter().map(|(at, change)| {
            sum += f64::from(level) * (at - before) as f64;
            level += change;
            before = at;
            (at, f64::from(level), sum)
        });
        Self { steps: steps.collect() }
    }

    /// Stream nanoseconds until a time.
    fn until(&self, at: u64) -> f64 {
        match self.steps.partition_point(|(time, ..)| *time <= at) {
            0 => 0.0,
            after => {
                let (time, level, sum) = self.steps[after - 1];
                sum + level * (at - time) as f64
            }
        }
    }

    fn mean_between(&self, from: u64, until: u64) -> f64 {
        (self.until(until) - self.until(from)) / (until - from).max(1) as f64
    }
}

/// Linear columns, logarithmic rows. A row below all others holds zeros, which have no logarithm.
fn grid(points: Vec<(f64, f64)>) -> Value {
    let points: Vec<(f64, f64)> = points.into_iter().filter(|(x, y)| x.is_finite() && *y >= 0.0).collect();
    let positive = points.iter().map(|(_, y)| *y).filter(|y| *y > 0.0);
    let (y_least, y_most) = positive.fold((f64::INFINITY, 0.0), |(least, most), y| (y.min(least), y.max(most)));
    if y_most <= 0.0 {
        return Value::Null;
    }
    let below = usize::from(points.iter().any(|(_, y)| *y <= 0.0));
    let rows = ROWS + below;
    let least = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).fold(f64::INFINITY, f64::min);
    let most = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
    let (x_least, x_most) = (least(|it| it.0), most(|it| it.0));
    let step =
        if x_most > x_least { round_up((x_most - x_least) / COLUMNS) } else { round_up(x_least.max(1.0) / 10.0) };
    let x_start = (x_least / step).floor() * step;
    let columns = ((x_most - x_start) / step).floor() as usize + 1;
    // A little more than the values, so that the largest one is inside.
    let (low, high) = (y_least * 0.98, (y_most * 1.02).max(y_least * 1.2));
    let ratio = (high / low).ln() / ROWS as f64;
    let column_of = |x: f64| (((x - x_start) / step) as usize).min(columns - 1);
    let row_of = |y: f64| if y > 0.0 { (((y / low).ln() / ratio) as usize + below).min(rows - 1) } else { 0 };
    let mut counts = vec![0_u32; columns * rows];
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); columns];
    for (x, y) in &points {
        counts[column_of(*x) * rows + row_of(*y)] += 1;
        values[column_of(*x)].push(*y);
    }
    let cells = counts.iter().enumerate().filter(|(_, count)| **count > 0);
    let cells: Vec<Value> = cells.map(|(cell, count)| json!([cell / rows, cell % rows, count])).collect();
    let medians = values.iter_mut().map(|column| {
        column.sort_unstable_by(f64::total_cmp);
        linear(column, 0.5).unwrap_or(f64::NAN)
    });
    let zero = (below == 1).then_some(0.0);
    json!({
        "x_start": short(x_start),
        "x_step": short(step),
        "columns": columns,
        "y_edges": shorts(zero.into_iter().chain((0..=ROWS).map(|row| low * (ratio * row as f64).exp()))),
        "first_row_is_zero": below == 1,
        "cells": cells,
        "medians": shorts(medians.collect::<Vec<_>>()),
        "points": points.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_point_is_in_one_cell_and_medians_are_those_of_columns() {
        let points: Vec<(f64, f64)> = (0..300).map(|i| (f64::from(i), f64::from(i % 7) + 1.0)).collect();
        let shown = grid(points.clone());
        let total: u64 = shown["cells"].as_array().unwrap().iter().map(|cell| cell[2].as_u64().unwrap()).sum();
        assert_eq!(total, 300);
        let step = shown["x_step"].as_f64().unwrap();
        let mut first: Vec<f64> = points.iter().filter(|(x, _)| *x < step).map(|(_, y)| *y).collect();
        first.sort_by(f64::total_cmp);
        let median = shown["medians"][0].as_f64().unwrap();
        assert!((median - f64::midpoint(first[(first.len() - 1) / 2], first[first.len() / 2])).abs() < 1e-9);
        assert_eq!((grid(Vec::new()), grid(vec![(1.0, 0.0)])), (Value::Null, Value::Null));
        assert_eq!(grid(vec![(550.0, 40.0); 5])["columns"], 1);
    }

    #[test]
    fn zeros_have_a_row_of_their_own() {
        let shown = grid(vec![(1.0, 0.0), (1.0, 0.0), (1.0, 3.0)]);
        assert_eq!((&shown["y_edges"][0], &shown["first_row_is_zero"]), (&json!(0), &json!(true)));
        assert_eq!((&shown["cells"][0], &shown["medians"][0]), (&json!([0, 0, 2]), &json!(0)));
        assert_eq!(shown["y_edges"].as_array().unwrap().len(), ROWS + 2);
    }

    #[test]
    fn streams_are_averaged_over_the_time_of_a_request() {
        // Two streams overlap from 10 to 20.
        let count = StreamCount::of(&[(0, 0, 20), (1, 10, 30)]);
        assert!((count.mean_between(0, 20) - 1.5).abs() < 1e-12);
        assert!((count.mean_between(10, 20) - 2.0).abs() < 1e-12);
        assert!((count.mean_between(25, 35) - 0.5).abs() < 1e-12);
    }
}
