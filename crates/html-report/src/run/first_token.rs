//! R6: where the time to first token goes, for requests at the median, at the 90th and at the 99th percentile of it.

use aiperf_metrics::Metric;
use serde_json::{Value, json};

use crate::number::short;
use crate::run::requests::Requests;

const PERCENTILES: [(&str, f64); 3] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)];
/// Share of all requests whose mean stands for a percentile: half of it on each side.
const NEIGHBOURHOOD: f64 = 0.01;
/// Requests that stand for a percentile at least.
const FEWEST: usize = 3;

/// A part of the time, and how long it was for one request, in milliseconds.
type Part = (&'static str, fn(&Requests, usize) -> Option<f64>);

/// With the stages of the HTTP exchange in the records.
const STAGES: [Part; 6] = [
    ("Client, before TTFT starts", client),
    ("Connect", |requests, row| Some(connect(requests, row))),
    ("Upload", |requests, row| requests.value(Metric::HttpReqSending, row)),
    ("Server queue", |requests, row| requests.value(Metric::ServerQueueTime, row)),
    ("Prefill and other server time", server),
    ("First chunk", first_chunk),
];
/// Without them only the response headers divide the time.
const HEADERS: [Part; 3] = [
    ("Client, before TTFT starts", client),
    ("Until the response headers", until_headers),
    ("From the headers to the first token", after_headers),
];

pub(crate) fn json(requests: &Requests) -> Value {
    let Some(column) = requests.column(Metric::TimeToFirstToken) else { return Value::Null };
    let is_known = |row: &u32| !column[*row as usize].is_nan() && requests.spans[*row as usize].outcome.is_success();
    let mut rows: Vec<u32> = (0..requests.len() as u32).filter(is_known).collect();
    if rows.is_empty() {
        return Value::Null;
    }
    rows.sort_by(|a, b| column[*a as usize].total_cmp(&column[*b as usize]));
    let staged = requests.column(Metric::HttpReqWaiting).is_some();
    let parts: &[Part] = if staged { &STAGES } else { &HEADERS };
    let bars = PERCENTILES.map(|(name, q)| {
        let near = neighbours(&rows, q);
        let mean = |part: fn(&Requests, usize) -> Option<f64>| {
            let values: Vec<f64> = near.iter().filter_map(|row| part(requests, *row as usize)).collect();
            if values.is_empty() { f64::NAN } else { values.iter().sum::<f64>() / near.len() as f64 }
        };
        let first = near.iter().map(|row| column[*row as usize]).sum::<f64>() / near.len() as f64;
        json!({
            "name": name,
            "requests": near.len(),
            "ttft": short(first),
            "parts": parts.iter().map(|(_, part)| short(mean(*part))).collect::<Vec<_>>(),
        })
    });
    json!({"parts": parts.iter().map(|(name, _)| *name).collect::<Vec<_>>(), "bars": bars})
}

/// The rows around a percentile, of rows in the order of their time to first token.
fn neighbours(rows: &[u32], q: f64) -> &[u32] {
    let wanted = ((rows.len() as f64 * NEIGHBOURHOOD).round() as usize).max(FEWEST).min(rows.len());
    let middle = (q * (rows.len() - 1) as f64).round() as usize;
    let from = middle.saturating_sub(wanted / 2).min(rows.len() - wanted);
    &rows[from..from + wanted]
}

fn client(requests: &Requests, row: usize) -> Option<f64> {
    requests.value(Metric::ClientSendDelay, row).or_else(|| requests.value(Metric::ScheduleLag, row))
}

fn connect(requests: &Requests, row: usize) -> f64 {
    let stages = [Metric::HttpReqBlocked, Metric::HttpReqLost, Metric::HttpReqDnsLookup, Metric::HttpReqConnecting];
    stages.iter().filter_map(|stage| requests.value(*stage, row)).sum()
}

/// From the last byte of the request to the first byte of the answer, less the queue if the server reports it.
fn server(requests: &Requests, row: usize) -> Option<f64> {
    let waiting = requests.value(Metric::HttpReqWaiting, row)?;
    Some((waiting - requests.value(Metric::ServerQueueTime, row).unwrap_or(0.0)).max(0.0))
}

/// From the first byte of the body to the first content in it.
fn first_chunk(requests: &Requests, row: usize) -> Option<f64> {
    let before = connect(requests, row) + requests.value(Metric::HttpReqSending, row)?;
    let waited = requests.value(Metric::HttpReqWaiting, row)?;
    Some((requests.value(Metric::TimeToFirstToken, row)? - before - waited).max(0.0))
}

fn until_headers(requests: &Requests, row: usize) -> Option<f64> {
    let span = &requests.spans[row];
    let headers = span.headers_ns?.saturating_sub(span.start_ns) as f64 / 1e6;
    Some(headers.min(requests.value(Metric::TimeToFirstToken, row)?))
}

fn after_headers(requests: &Requests, row: usize) -> Option<f64> {
    Some(requests.value(Metric::TimeToFirstToken, row)? - until_headers(requests, row)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_surround_the_percentile() {
        let rows: Vec<u32> = (0..1000).collect();
        assert_eq!(neighbours(&rows, 0.5), (495..505).collect::<Vec<u32>>());
        assert_eq!(neighbours(&rows, 0.99).len(), 10);
        assert_eq!(neighbours(&rows[..4], 0.99), [1, 2, 3]);
        assert_eq!(neighbours(&rows[..1], 0.5), [0]);
    }
}
