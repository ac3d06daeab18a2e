//! R3, R4, R15 and the SLO editor: the metrics that may have limits, one row for each successful request, grouped by the
//! slice in which it was sent.

use aiperf_metrics::{Flags, Metric};
use aiperf_stats::linear;
use serde_json::{Value, json};

use crate::column::Precision;
use crate::number::shorts;
use crate::payload::ColumnStore;
use crate::run::requests::Requests;
use crate::run::slo::SloLimit;
use crate::time_bins::TimeBins;

/// Up to this many requests every value is embedded as it was measured.
const EXACT_REQUESTS: usize = 32_768;
/// Compressed bytes of the columns of a larger run.
const BUDGET_BYTES: f64 = 750_000.0;
/// Sorting a slice by its first column makes that column nearly free.
const FIRST_COLUMN_BYTES_PER_ROW: f64 = 0.2;
/// Of a larger run every n-th request is kept for the editor: at this number a share is known to 0.2 percentage points, and rounding
/// the values of all requests until they fit would cost more.
const MOST_ROWS: usize = 250_000;
/// Lines of R3 and R4.
const PERCENTILES: [f64; 3] = [0.5, 0.9, 0.99];

/// What people set limits for.
const USUAL: [Metric; 3] = [Metric::TimeToFirstToken, Metric::InterTokenLatency, Metric::RequestLatency];

pub(crate) fn json(requests: &Requests, slos: &[SloLimit], bins: &TimeBins, store: &mut ColumnStore) -> Value {
    let mut metrics: Vec<Metric> = USUAL.into_iter().filter(|metric| requests.column(*metric).is_some()).collect();
    for slo in slos {
        if !metrics.contains(&slo.metric) && requests.column(slo.metric).is_some() {
            metrics.push(slo.metric);
        }
    }
    let successes: Vec<usize> = (0..requests.len()).filter(|row| requests.spans[*row].outcome.is_success()).collect();
    let every = successes.len().div_ceil(MOST_ROWS).max(1);
    let exact = successes.len() <= EXACT_REQUESTS;
    let mut all: Vec<Vec<usize>> = vec![Vec::new(); bins.len()];
    for row in &successes {
        all[bins.index(requests.spans[*row].start_ns)].push(*row);
    }
    let mut slices: Vec<Vec<usize>> = vec![Vec::new(); bins.len()];
    for row in successes.iter().copied().step_by(every) {
        slices[bins.index(requests.spans[row].start_ns)].push(row);
    }
    if let (false, Some(first)) = (exact, metrics.first().and_then(|metric| requests.column(*metric))) {
        for slice in &mut slices {
            slice.sort_by(|a, b| first[*a].total_cmp(&first[*b]));
        }
    }
    let order: Vec<usize> = slices.iter().flatten().copied().collect();
    let columns: Vec<Vec<f64>> = metrics
        .iter()
        .map(|metric| {
            let column = requests.column(*metric).unwrap_or_default();
            order.iter().map(|row| column.get(*row).copied().unwrap_or(f64::NAN)).collect()
        })
        .collect();
    let precision = if exact { Precision::Exact } else { precision(&columns) };
    let written = metrics.iter().zip(&columns).map(|(metric, values)| {
        let definition = metric.definition();
        json!({
            "tag": definition.tag,
            "label": definition.header,
            "unit": definition.shown.label(),
            "at_least": definition.flags.has(Flags::LARGER),
            "column": precision.write(*metric, values, store),
            // Of all requests, however few or rounded the values are.
            "percentiles": (!exact).then(|| percentiles(requests, *metric, &all)),
        })
    });
    json!({
        "metrics": written.collect::<Vec<_>>(),
        "slice_rows": slices.iter().map(Vec::len).collect::<Vec<_>>(),
        "slice_requests": all.iter().map(Vec::len).collect::<Vec<_>>(),
        "rows": order.len(),
        "every": every,
        "relative_error": precision.relative_error(),
        "exact": exact,
    })
}

/// One list for each percentile, with one value for each slice.
fn percentiles(requests: &Requests, metric: Metric, slices: &[Vec<usize>]) -> Value {
    let column = requests.column(metric).unwrap_or_default();
    let sorted = |slice: &Vec<usize>| {
        let mut values: Vec<f64> =
            slice.iter().filter_map(|row| column.get(*row)).copied().filter(|it| !it.is_nan()).collect();
        values.sort_unstable_by(f64::total_cmp);
        PERCENTILES.map(|q| linear(&values, q).unwrap_or(f64::NAN))
    };
    let values: Vec<[f64; 3]> = slices.iter().map(sorted).collect();
    (0..PERCENTILES.len()).map(|place| shorts(values.iter().map(|slice| slice[place]))).collect()
}

fn precision(columns: &[Vec<f64>]) -> Precision {
    let Some((first, rest)) = columns.split_first() else { return Precision::Exact };
    let rest: Vec<&[f64]> = rest.iter().map(Vec::as_slice).collect();
    Precision::within(&rest, BUDGET_BYTES - FIRST_COLUMN_BYTES_PER_ROW * first.len() as f64)
}
