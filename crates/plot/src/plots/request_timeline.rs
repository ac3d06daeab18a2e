//! One line for each request: when it waited for its first token and when it decoded.

use aiperf_metrics::Metric;

use super::label::axis_label;
use super::request_values::column;
use super::titled;
use crate::figure::{Axis, Bounds, Figure, Ink, Layer, Marks, PointTable};
use crate::preset::Preset;
use crate::run::DetailedRun;

/// Lines are thinner the more requests there are.
const WIDEST: f32 = 3.0;
const THINNEST: f32 = 0.8;

pub(super) fn draw(preset: &Preset, run: &DetailedRun) -> Result<Figure, String> {
    let (heights, unit) = column(run, &preset.y.name)?;
    let (waits, _) = column(run, Metric::TimeToFirstToken.tag())?;
    let (mut prefill, mut decode) = (Vec::new(), Vec::new());
    let mut table = PointTable::new(["request_number", "start_s", "first_token_s", "end_s", preset.y.name.as_str()]);
    let mut longer = 0;
    for (index, (height, wait)) in heights.iter().zip(&waits).enumerate() {
        if !height.is_finite() || !wait.is_finite() {
            continue;
        }
        let start = run.seconds(run.requests.start_ns[index]);
        let end = run.seconds(run.requests.end_ns[index]);
        let first = start + wait / 1e3;
        // A first token after the end is a contradiction, not a phase.
        if first > end {
            longer += 1;
            continue;
        }
        prefill.push((start, first, *height));
        decode.push((first, end, *height));
        table.push(vec![(index as f64).into(), start.into(), first.into(), end.into(), (*height).into()]);
    }
    let x = Axis::new("Time since the first request was sent (s)", Bounds::FromZero);
    let mut figure = titled(preset, x, Axis::new(axis_label(&preset.y.name, None, unit), Bounds::Data));
    let width = (600.0 / prefill.len().max(1) as f32).clamp(THINNEST, WIDEST);
    figure.layers = vec![
        Layer::new(Ink::Prefill, Marks::Strokes { strokes: prefill, width }).legend("prefill: until the first token"),
        Layer::new(Ink::Decode, Marks::Strokes { strokes: decode, width })
            .legend("decode: from the first token to the end"),
    ];
    figure.points = table;
    if longer > 0 {
        figure
            .notes
            .push(format!("{longer} requests are left out: their time to first token is longer than the request"));
    }
    Ok(figure)
}
