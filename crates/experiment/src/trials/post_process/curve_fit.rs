//! A line through a metric over a parameter by least squares; a parabola if the line does not explain enough and the
//! parabola explains more.

use aiperf_config::MetricStat;
use aiperf_report::SweepCell;
use serde_json::{Value, json};

use super::{by_parameter, metric, nothing_to_show};

pub(super) fn process(cells: &[SweepCell], of: &MetricStat, swept: &str, floor: f64) -> Result<Value, String> {
    let points: Vec<(f64, f64)> =
        by_parameter(cells, swept).into_iter().filter_map(|point| Some((point.at, metric(point.cell, of)?))).collect();
    if points.is_empty() {
        return Err(nothing_to_show(swept, of));
    }
    let distinct = points.windows(2).filter(|pair| pair[0].0 < pair[1].0).count() + 1;
    if distinct < 2 {
        return Err(format!("a curve needs at least two values of {swept}, and {distinct} gave numbers"));
    }
    let line = Fit::of(&points, 1).ok_or_else(|| format!("no line fits the values of {}", of.metric))?;
    let parabola = if line.r_squared < floor && distinct >= 3 { Fit::of(&points, 2) } else { None };
    let (form, fit) = match parabola.filter(|parabola| parabola.r_squared > line.r_squared) {
        Some(parabola) => ("quadratic", parabola),
        None => ("linear", line),
    };
    Ok(json!({
        "fit_form": form,
        "coefficients": fit.coefficients,
        "r_squared": fit.r_squared,
        "below_floor": fit.r_squared < floor,
        "r_squared_floor": floor,
        "raw_points": points.iter().map(|(at, value)| json!({"isl": at, "ttft_ms": value})).collect::<Vec<_>>(),
        "swept_metric": of.metric,
        "stat": of.stat,
        "swept_param": swept,
    }))
}

struct Fit {
    /// The highest power first.
    coefficients: Vec<f64>,
    /// Share of the variance that the curve explains; 0 if there is no variance.
    r_squared: f64,
}

impl Fit {
    /// The polynomial of least squares. Values are centred and scaled first, so that powers of large ones stay comparable.
    fn of(points: &[(f64, f64)], degree: usize) -> Option<Self> {
        let n = points.len() as f64;
        let centre = points.iter().map(|(x, _)| x).sum::<f64>() / n;
        let scale = points.iter().map(|(x, _)| (x - centre).abs()).fold(0.0, f64::max);
        if scale == 0.0 {
            return None;
        }
        let terms = degree + 1;
        let power = |x: f64, exponent: usize| ((x - centre) / scale).powi(exponent as i32);
        let sum = |exponent: usize| points.iter().map(|(x, _)| power(*x, exponent)).sum::<f64>();
        let rows = (0..terms).map(|row| {
            let right = points.iter().map(|(x, y)| power(*x, row) * y).sum::<f64>();
            (0..terms).map(|column| sum(row + column)).chain([right]).collect::<Vec<f64>>()
        });
        let scaled = solve(rows.collect())?;
        let mean = points.iter().map(|(_, y)| y).sum::<f64>() / n;
        let total: f64 = points.iter().map(|(_, y)| (y - mean).powi(2)).sum();
        let value = |x: f64| scaled.iter().enumerate().map(|(exponent, c)| c * power(x, exponent)).sum::<f64>();
        let rest: f64 = points.iter().map(|(x, y)| (y - value(*x)).powi(2)).sum();
        let r_squared = if total > 0.0 { 1.0 - rest / total } else { 0.0 };
        let mut coefficients = expand(&scaled, centre, scale);
        coefficients.reverse();
        Some(Self { coefficients, r_squared })
    }
}

/// Solves linear equations, each with its right side last, by elimination with the largest pivot.
fn solve(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let size = rows.len();
    for column in 0..size {
        let pivot = (column..size).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        rows.swap(column, pivot);
        if rows[column][column].abs() < f64::EPSILON {
            return None;
        }
        let pivot_row = rows[column].clone();
        for row in rows.iter_mut().skip(column + 1) {
            let factor = row[column] / pivot_row[column];
            row.iter_mut().zip(&pivot_row).for_each(|(value, pivot)| *value -= factor * pivot);
        }
    }
    let mut solution = vec![0.0; size];
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| rows[row][column] * solution[column]).sum();
        solution[row] = (rows[row][size] - known) / rows[row][row];
    }
    Some(solution)
}

/// The coefficients of powers of `x` from those of powers of `(x - centre) / scale`, the lowest power first.
fn expand(scaled: &[f64], centre: f64, scale: f64) -> Vec<f64> {
    let mut plain = vec![0.0; scaled.len()];
    // ((x - centre) / scale) to the power of the term, multiplied out.
    let mut term = vec![1.0];
    for coefficient in scaled {
        plain.iter_mut().zip(&term).for_each(|(sum, factor)| *sum += coefficient * factor);
        let mut next = vec![0.0; term.len() + 1];
        for (exponent, factor) in term.iter().enumerate() {
            next[exponent + 1] += factor / scale;
            next[exponent] -= factor * centre / scale;
        }
        term = next;
    }
    plain
}
