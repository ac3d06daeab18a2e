//! R3, R4, R15 and the SLO editor: the metrics that may have limits, one row for each successful request, grouped by the
//! slice in which it was sent.

use aiperf_metrics::{Flags, Metric};
use serde_json::{Value, json};

use crate::column::Precision;
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
/// Rows that fit into the budget at the coarsest precision.
const MOST_ROWS: usize = 1_000_000;

/// What people set limits for.
const USUAL: [Metric; 3] = [Metric::TimeToFirstToken, Metric::InterTokenLatency, Metric::RequestLatency];

pub(crate) fn json(requests: &Requests, slos: &[SloLimit], bins: &TimeBins, store: &mut ColumnStore) -> Value {
    let mut metrics: Vec<Metric> = USUAL.into_iter().filter(|metric| requests.column(*metric).is_some()).collect();
    for slo in slos {
        if !metrics.contains(&slo.metric) && requests.column(slo.metric).is_some() {
            metrics.push(slo.metric);
        }
    }
    let rows: Vec<usize> = (0..requests.len()).filter(|row| requests.spans[*row].outcome.is_success()).collect();
    let every = rows.len().div_ceil(MOST_ROWS).max(1);
    let rows: Vec<usize> = rows.into_iter().step_by(every).collect();
    let exact = rows.len() <= EXACT_REQUESTS;
    let mut slices: Vec<Vec<usize>> = vec![Vec::new(); bins.len()];
    for row in rows {
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
        })
    });
    json!({
        "metrics": written.collect::<Vec<_>>(),
        "slice_rows": slices.iter().map(Vec::len).collect::<Vec<_>>(),
        "rows": order.len(),
        "every": every,
        "relative_error": precision.relative_error(),
        "exact": exact,
    })
}

fn precision(columns: &[Vec<f64>]) -> Precision {
    let Some((first, rest)) = columns.split_first() else { return Precision::Exact };
    let rest: Vec<&[f64]> = rest.iter().map(Vec::as_slice).collect();
    Precision::within(&rest, BUDGET_BYTES - FIRST_COLUMN_BYTES_PER_ROW * first.len() as f64)
}
