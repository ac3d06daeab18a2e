//! What the requests of a run measured, one after the other in the order in which they were sent: what comparisons and
//! intervals are made from.

use std::collections::{BTreeMap, BTreeSet};

use aiperf_metrics::{Metric, Sending};
use aiperf_protocol::RequestOutcome;
use serde_json::Value;

use crate::line::{LineReader, RecordLine, RecordedValue};
use crate::lines::each_line;
use crate::origin::{RunOrigin, sending};
use crate::{ArtifactError, Finding, Folder, window};

#[derive(Debug)]
struct SeriesRequest {
    start_ns: u64,
    end_ns: u64,
    outcome: RequestOutcome,
    values: Vec<(Metric, RecordedValue)>,
}

/// When a request was in flight, in nanoseconds of epoch time, and how much it counts for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimedRequest {
    pub start_ns: u64,
    pub end_ns: u64,
    pub outcome: RequestOutcome,
    pub amount: f64,
}

/// The profiling phase of a run, request by request.
#[derive(Debug)]
pub struct RunSeries {
    /// In the order in which they were sent.
    requests: Vec<SeriesRequest>,
    /// What throughput is measured over, in nanoseconds of epoch time.
    pub window: (u64, u64),
    /// Metrics that some request has, also those whose values were not asked for.
    pub present: BTreeSet<Metric>,
    /// What the run was asked to do, if the folder says so.
    pub input_config: Value,
    /// What said when to send.
    pub sending: Sending,
    /// Lines of the records that were of no use.
    pub skipped: Vec<Finding>,
}

impl RunSeries {
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    pub fn outcomes(&self) -> impl Iterator<Item = RequestOutcome> + '_ {
        self.requests.iter().map(|request| request.outcome)
    }

    /// The values of a metric, in the unit of the files; those of a list follow each other.
    pub fn values(&self, metric: Metric) -> Vec<f64> {
        let mut values = Vec::new();
        for (_, value) in self.requests.iter().flat_map(|request| &request.values).filter(|(known, _)| *known == metric)
        {
            match value {
                RecordedValue::One(value) => values.push(*value),
                RecordedValue::Many(many) => values.extend(many),
            }
        }
        values
    }

    /// Each request with the sum of what it has of some metrics, or with one if none is named; with nothing if it did
    /// not succeed.
    pub fn timed(&self, metrics: &[Metric]) -> impl Iterator<Item = TimedRequest> {
        let amount = |request: &SeriesRequest| {
            let of = |metric: &Metric| {
                let value = request.values.iter().find(|(known, _)| known == metric).map(|(_, value)| value);
                if let Some(RecordedValue::One(value)) = value { *value } else { 0.0 }
            };
            match request.outcome {
                RequestOutcome::Success if metrics.is_empty() => 1.0,
                RequestOutcome::Success => metrics.iter().map(of).sum(),
                _ => 0.0,
            }
        };
        self.requests.iter().map(move |request| TimedRequest {
            start_ns: request.start_ns,
            end_ns: request.end_ns,
            outcome: request.outcome,
            amount: amount(request),
        })
    }
}

#[derive(Debug, Default)]
struct PhaseSeries {
    name: String,
    first_credit: Option<u64>,
    last_end: u64,
    requests: Vec<SeriesRequest>,
}

/// Reads the records of a folder, with the values of the metrics that are wanted.
pub fn read_series(folder: &Folder, wanted: &BTreeSet<Metric>) -> Result<RunSeries, ArtifactError> {
    let path = folder.paths().records();
    if !path.exists() {
        return Err(folder.no_records());
    }
    let file = folder.name(&path);
    let mut phases: BTreeMap<u32, PhaseSeries> = BTreeMap::new();
    let (mut present, mut skipped) = (BTreeSet::new(), Vec::new());
    let mut reader = LineReader::default();
    each_line(&path, |number, line, whole| {
        match reader.read(line) {
            Ok(record) => add(record, &mut phases, &mut present, wanted),
            Err(_) if !whole => skipped.push(Finding::of(&file, "the last line is not whole; it is left out")),
            Err(error) => skipped.push(Finding::at(&file, number, format!("cannot be read: {error}"))),
        }
        true
    })?;
    let (_, mut phase) = phases.pop_last().ok_or(ArtifactError::Empty { path })?;
    phase.requests.sort_by_key(|request| (request.start_ns, request.end_ns));
    let origin = RunOrigin::find(folder);
    let first = phase.first_credit.unwrap_or_default();
    let input_config = origin.input_config();
    let configured = input_config["phases"].as_array().into_iter().flatten().find(|phase| phase["kind"] == "profiling");
    let sending = sending(configured.unwrap_or(&Value::Null), present.contains(&Metric::ScheduleLag));
    Ok(RunSeries {
        window: window::of_records(&origin, &phase.name, first, phase.last_end),
        requests: phase.requests,
        present,
        input_config,
        sending,
        skipped,
    })
}

fn add(
    record: RecordLine,
    phases: &mut BTreeMap<u32, PhaseSeries>,
    present: &mut BTreeSet<Metric>,
    wanted: &BTreeSet<Metric>,
) {
    let metadata = record.metadata;
    if metadata.benchmark_phase.as_deref() == Some("warmup") {
        return;
    }
    let phase = phases.entry(metadata.phase_index).or_default();
    phase.name = metadata.phase_name.unwrap_or_else(|| "profiling".to_owned());
    let credit = metadata.credit_issued_ns.unwrap_or(metadata.request_start_ns);
    phase.first_credit = Some(phase.first_credit.map_or(credit, |first| first.min(credit)));
    phase.last_end = phase.last_end.max(metadata.request_end_ns);
    present.extend(record.metrics.known().iter().map(|(metric, _)| *metric));
    let outcome = match &record.error {
        Some(error) if error.is_cut_off(metadata.was_cancelled) => RequestOutcome::CutOff,
        Some(_) => RequestOutcome::Failed,
        None => RequestOutcome::Success,
    };
    let values = record.metrics.into_known().into_iter().filter(|(metric, _)| wanted.contains(metric)).collect();
    phase.requests.push(SeriesRequest {
        start_ns: metadata.request_start_ns,
        end_ns: metadata.request_end_ns,
        outcome,
        values,
    });
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const LINES: &str = r#"
{"metadata":{"x_request_id":"w","request_start_ns":1,"request_end_ns":2,"benchmark_phase":"warmup","phase_name":"warmup"},"metrics":{"time_to_first_token":{"value":99.0,"unit":"ms"}}}
{"metadata":{"x_request_id":"b","credit_issued_ns":19,"request_start_ns":20,"request_end_ns":25,"benchmark_phase":"profiling","phase_index":1,"phase_name":"profiling"},"metrics":{"time_to_first_token":{"value":2.0,"unit":"ms"},"inter_chunk_latency":{"value":[3.0,4.0],"unit":"ms"},"output_sequence_length":{"value":7,"unit":"tokens"}}}
{"metadata":{"x_request_id":"a","credit_issued_ns":9,"request_start_ns":10,"request_end_ns":30,"benchmark_phase":"profiling","phase_index":1,"phase_name":"profiling"},"metrics":{"time_to_first_token":{"value":1.0,"unit":"ms"},"inter_chunk_latency":{"value":[1.0],"unit":"ms"},"output_sequence_length":{"value":5,"unit":"tokens"}}}
{"metadata":{"x_request_id":"c","credit_issued_ns":29,"request_start_ns":30,"request_end_ns":40,"benchmark_phase":"profiling","phase_index":1,"phase_name":"profiling"},"metrics":{},"error":{"message":"no","type":"X"}}
{"metadata":{"x_re"#;

    #[test]
    fn requests_come_in_the_order_they_were_sent_without_warmup() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("profile_export.jsonl"), LINES.trim_start()).unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        let wanted = [Metric::TimeToFirstToken, Metric::InterChunkLatency, Metric::OutputSequenceLength];
        let series = read_series(&folder, &wanted.into()).unwrap();
        assert_eq!(series.len(), 3);
        assert_eq!(series.values(Metric::TimeToFirstToken), [1.0, 2.0]);
        assert_eq!(series.values(Metric::InterChunkLatency), [1.0, 3.0, 4.0]);
        let ends = |metrics: &[Metric]| series.timed(metrics).map(|it| (it.end_ns, it.amount)).collect::<Vec<_>>();
        assert_eq!(ends(&[Metric::OutputSequenceLength]), [(30, 5.0), (25, 7.0), (40, 0.0)]);
        assert_eq!(ends(&[]), [(30, 1.0), (25, 1.0), (40, 0.0)]);
        assert_eq!(series.window, (9, 40));
        assert_eq!(series.outcomes().filter(|outcome| outcome.is_failure()).count(), 1);
        assert_eq!(series.skipped.len(), 1, "{:?}", series.skipped);
    }

    #[test]
    fn a_folder_without_profiling_records_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        assert!(matches!(read_series(&folder, &BTreeSet::new()), Err(ArtifactError::NoRecords { .. })));
        fs::write(dir.path().join("profile_export.jsonl"), "").unwrap();
        assert!(matches!(read_series(&folder, &BTreeSet::new()), Err(ArtifactError::Empty { .. })));
    }
}
