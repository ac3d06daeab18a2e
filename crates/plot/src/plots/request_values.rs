//! Values of single requests, and what follows from all of them together at each moment.

use aiperf_metrics::Metric;
use aiperf_protocol::RequestOutcome;

use super::label::{metric_of, unit_of};
use crate::preset::DataSource;
use crate::run::DetailedRun;

/// Names of what all requests together do at each moment.
pub(super) const THROUGHPUT: &str = "throughput_tokens_per_sec";
pub(super) const ACTIVE: &str = "active_requests";

/// One number for each request, NaN if it is not known, and its unit.
pub(super) fn column(run: &DetailedRun, name: &str) -> Result<(Vec<f64>, &'static str), String> {
    if run.requests.is_empty() {
        return Err(DataSource::Requests.advice().to_owned());
    }
    let seconds = |times: &[u64]| times.iter().map(|time| run.seconds(*time)).collect();
    match name {
        "request_number" => Ok(((0..run.requests.len()).map(|number| number as f64).collect(), "")),
        "timestamp" | "timestamp_s" | "request_start_ns" => Ok((seconds(&run.requests.start_ns), "s")),
        "request_end_ns" => Ok((seconds(&run.requests.end_ns), "s")),
        _ => {
            let metric = metric_of(name).ok_or_else(|| format!("no request has {name:?}: it is not a metric"))?;
            let column = run.requests.columns.get(&metric).ok_or_else(|| missing(metric))?;
            Ok((column.clone(), unit_of(metric)))
        }
    }
}

/// All values of a metric, those of a list one after the other.
pub(super) fn all_values(run: &DetailedRun, name: &str) -> Result<(Vec<f64>, &'static str), String> {
    let list = metric_of(name).and_then(|metric| Some((metric, run.requests.lists.get(&metric)?)));
    let (mut values, unit) = match list {
        Some((metric, lists)) => (lists.iter().flatten().copied().collect(), unit_of(metric)),
        None => column(run, name)?,
    };
    values.retain(|value| value.is_finite());
    if values.is_empty() {
        return Err(format!("no request has a value of {name}"));
    }
    Ok((values, unit))
}

fn missing(metric: Metric) -> String {
    let needs: Vec<&str> = metric.definition().needs().collect();
    let needs = if needs.is_empty() { String::new() } else { format!("; it needs {}", needs.join(" and ")) };
    format!("no request has {}{needs}", metric.tag())
}

/// What all requests together do over time: each value holds until the next one. Times are seconds.
pub(super) fn step_function(run: &DetailedRun, name: &str) -> Result<Vec<(f64, f64)>, String> {
    let mut changes = match name {
        ACTIVE => active_changes(run),
        _ => throughput_changes(run)?,
    };
    if changes.is_empty() {
        return Err(format!("no request says anything about {name}"));
    }
    changes.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut points: Vec<(f64, f64)> = vec![(0.0, 0.0)];
    let mut sum = 0.0;
    for moment in changes.chunk_by(|one, other| one.0.total_cmp(&other.0).is_eq()) {
        sum += moment.iter().map(|(_, change)| change).sum::<f64>();
        // What remains of adding and taking away is not a rate.
        let value = if sum.abs() < 1e-9 { 0.0 } else { sum };
        let time = moment[0].0;
        match points.last_mut() {
            Some(last) if last.0.total_cmp(&time).is_eq() => last.1 = value,
            _ => points.push((time, value)),
        }
    }
    Ok(points)
}

fn active_changes(run: &DetailedRun) -> Vec<(f64, f64)> {
    let times = run.requests.start_ns.iter().zip(&run.requests.end_ns);
    times.flat_map(|(start, end)| [(run.seconds(*start), 1.0), (run.seconds(*end), -1.0)]).collect()
}

/// Each request adds its output tokens evenly between its first token and its end.
fn throughput_changes(run: &DetailedRun) -> Result<Vec<(f64, f64)>, String> {
    let requests = &run.requests;
    let lengths = requests.columns.get(&Metric::OutputSequenceLength);
    let lengths = lengths.ok_or_else(|| missing(Metric::OutputSequenceLength))?;
    let first_tokens = requests.columns.get(&Metric::TimeToFirstToken);
    let mut changes = Vec::new();
    for index in 0..requests.len() {
        let (start, end) = (run.seconds(requests.start_ns[index]), run.seconds(requests.end_ns[index]));
        let wait = first_tokens.map_or(0.0, |column| column[index]) / 1e3;
        let (first, tokens) = (start + wait, lengths[index]);
        if requests.outcome[index] == RequestOutcome::Success && tokens > 0.0 && end > first {
            let rate = tokens / (end - first);
            changes.extend([(first, rate), (end, -rate)]);
        }
    }
    Ok(changes)
}
