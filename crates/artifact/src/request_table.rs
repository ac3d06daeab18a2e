//! The requests of the profiling phase as columns, in the order of the records file: what charts of single requests are made
//! from.

use std::collections::BTreeMap;

use aiperf_metrics::Metric;
use aiperf_protocol::RequestOutcome;

use crate::line::RecordedValue;
use crate::requests::{RecordedRequest, read_requests};
use crate::{ArtifactError, Finding, Folder, perf_analyzer};

/// Requests, one after the other; all columns are equally long.
#[derive(Debug, Default)]
pub struct RequestTable {
    /// Epoch time.
    pub start_ns: Vec<u64>,
    /// Epoch time.
    pub end_ns: Vec<u64>,
    pub outcome: Vec<RequestOutcome>,
    /// Metrics with one value for each request, in the unit of the files; NaN for a request that lacks the metric.
    pub columns: BTreeMap<Metric, Vec<f64>>,
    /// Metrics with several values for each request, in the unit of the files.
    pub lists: BTreeMap<Metric, Vec<Vec<f64>>>,
    /// Lines of the records that were of no use.
    pub skipped: Vec<Finding>,
}

impl RequestTable {
    pub fn len(&self) -> usize {
        self.start_ns.len()
    }

    pub fn is_empty(&self) -> bool {
        self.start_ns.is_empty()
    }

    pub(crate) fn push(&mut self, start_ns: u64, end_ns: u64, outcome: RequestOutcome) {
        self.start_ns.push(start_ns);
        self.end_ns.push(end_ns);
        self.outcome.push(outcome);
        self.columns.values_mut().for_each(|column| column.push(f64::NAN));
        self.lists.values_mut().for_each(|column| column.push(Vec::new()));
    }

    fn add(&mut self, request: RecordedRequest) {
        self.push(request.start_ns, request.end_ns, request.outcome);
        for (metric, value) in request.metrics.into_known() {
            match value {
                RecordedValue::One(value) => self.set(metric, value),
                RecordedValue::Many(values) => self.set_list(metric, values),
            }
        }
    }

    /// Sets a value of the last request.
    pub(crate) fn set(&mut self, metric: Metric, value: f64) {
        let length = self.len();
        let column = self.columns.entry(metric).or_insert_with(|| vec![f64::NAN; length]);
        if let Some(last) = column.last_mut() {
            *last = value;
        }
    }

    /// Sets the values of the last request.
    pub(crate) fn set_list(&mut self, metric: Metric, values: Vec<f64>) {
        let length = self.len();
        let column = self.lists.entry(metric).or_insert_with(|| vec![Vec::new(); length]);
        if let Some(last) = column.last_mut() {
            *last = values;
        }
    }
}

/// Reads the last profiling phase of a folder: from the records of this program or of AIPerf, or from those of GenAI-Perf's
/// measuring program.
pub fn read_request_table(folder: &Folder) -> Result<RequestTable, ArtifactError> {
    if !folder.paths().records().exists() {
        let table = perf_analyzer::read(folder)?;
        return table.ok_or_else(|| folder.no_records());
    }
    let mut phases: BTreeMap<u32, RequestTable> = BTreeMap::new();
    let run = read_requests(folder, &mut |request| phases.entry(request.phase_index).or_default().add(request))?;
    let (_, table) = phases.pop_last().unwrap_or_default();
    Ok(RequestTable { skipped: run.skipped, ..table })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn requests_keep_the_order_of_the_file_and_warmup_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let line = |start: u64, phase: &str, index: u32, metrics: &str| {
            format!(
                r#"{{"metadata":{{"request_start_ns":{start},"request_end_ns":{},"benchmark_phase":"{phase}","phase_index":{index}}},"metrics":{metrics}}}"#,
                start + 5
            )
        };
        let ttft = r#"{"time_to_first_token":{"value":2.5,"unit":"ms"}}"#;
        let lines = [
            line(1, "warmup", 0, ttft),
            line(20, "profiling", 1, ttft),
            line(10, "profiling", 1, r#"{"inter_chunk_latency":{"value":[1.0,2.0],"unit":"ms"}}"#),
            line(30, "profiling", 1, ttft),
        ];
        fs::write(dir.path().join("profile_export.jsonl"), lines.join("\n")).unwrap();
        let table = read_request_table(&Folder::open(dir.path()).unwrap()).unwrap();
        assert_eq!(table.start_ns, [20, 10, 30]);
        let column = &table.columns[&Metric::TimeToFirstToken];
        let shown: Vec<String> = column.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["2.5", "NaN", "2.5"]);
        assert_eq!(table.lists[&Metric::InterChunkLatency], [vec![], vec![1.0, 2.0], vec![]]);
        assert!(table.skipped.is_empty(), "{:?}", table.skipped);
    }

    #[test]
    fn records_of_the_measuring_program_of_genai_perf_are_read_too() {
        let dir = tempfile::tempdir().unwrap();
        let records = r#"{"experiments":[{"requests":[
            {"timestamp":1000000,"response_timestamps":[3000000,5000000],"request_inputs":{}},
            {"timestamp":2000000,"response_timestamps":[],"request_inputs":{}}]}]}"#;
        fs::write(dir.path().join("profile_export.json"), records).unwrap();
        let table = read_request_table(&Folder::open(dir.path()).unwrap()).unwrap();
        assert_eq!(table.end_ns, [5_000_000, 2_000_000]);
        assert!((table.columns[&Metric::RequestLatency][0] - 4.0).abs() < 1e-9);
        assert!((table.columns[&Metric::TimeToFirstToken][0] - 2.0).abs() < 1e-9);
        assert!(table.columns[&Metric::RequestLatency][1].is_nan());
        assert!(table.outcome[1].is_failure());
    }
}
