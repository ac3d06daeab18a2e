//! The requests of a run one after the other, as its records have them: what pictures of a run are drawn from.

use aiperf_metrics::Metric;
use aiperf_protocol::RequestOutcome;
use serde_json::Value;

use crate::line::{LineMetrics, LineReader, RecordLine};
use crate::lines::each_line;
use crate::origin::RunOrigin;
use crate::{ArtifactError, Finding, Folder, window};

/// One request of a profiling phase.
#[derive(Debug)]
pub struct RecordedRequest {
    /// The place of its phase among all phases.
    pub phase_index: u32,
    /// When permission to send was given, in nanoseconds of epoch time.
    pub credit_ns: u64,
    pub start_ns: u64,
    /// Response headers, if they came.
    pub headers_ns: Option<u64>,
    pub end_ns: u64,
    pub outcome: RequestOutcome,
    /// What a failed request said.
    pub failure: Option<RecordedFailure>,
    pub(crate) metrics: LineMetrics,
}

/// Why a request failed, as its record says.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordedFailure {
    pub code: Option<u16>,
    pub kind: String,
    pub message: String,
}

impl RecordedRequest {
    /// A metric in the unit of the files; `None` if the record does not have it or has a list.
    pub fn number(&self, metric: Metric) -> Option<f64> {
        self.metrics.number(metric)
    }

    /// The values of a metric that has several for each request.
    pub fn list(&self, metric: Metric) -> &[f64] {
        self.metrics.list(metric)
    }
}

/// What surrounds the requests of a run.
#[derive(Debug)]
pub struct RecordedRun {
    /// What throughput is measured over, in nanoseconds of epoch time.
    pub window: (u64, u64),
    /// What the run was asked to do, if the folder says so.
    pub input_config: Value,
    /// The summary that the run left.
    pub summary: Option<Value>,
    /// Lines of the records that were of no use.
    pub skipped: Vec<Finding>,
}

/// Calls `visit` with each request of the profiling phases, in the order of the file. The window is that of the last of these
/// phases, which is the one that a summary is about.
pub fn read_requests(folder: &Folder, visit: &mut dyn FnMut(RecordedRequest)) -> Result<RecordedRun, ArtifactError> {
    let path = folder.paths().records();
    if !path.exists() {
        return Err(folder.no_records());
    }
    let file = folder.name(&path);
    let mut skipped = Vec::new();
    let mut last: Option<PhaseExtent> = None;
    let mut reader = LineReader::default();
    each_line(&path, |number, line, whole| {
        match reader.read(line) {
            Ok(record) if record.metadata.benchmark_phase.as_deref() == Some("warmup") => {}
            Ok(record) => {
                let extent = last.get_or_insert_with(|| PhaseExtent::of(&record));
                if record.metadata.phase_index > extent.index {
                    *extent = PhaseExtent::of(&record);
                }
                extent.add(&record);
                visit(request(record));
            }
            Err(_) if !whole => skipped.push(Finding::of(&file, "the last line is not whole; it is left out")),
            Err(error) => skipped.push(Finding::at(&file, number, format!("cannot be read: {error}"))),
        }
        true
    })?;
    let extent = last.ok_or(ArtifactError::Empty { path })?;
    let origin = RunOrigin::find(folder);
    Ok(RecordedRun {
        window: window::of_records(&origin, &extent.name, extent.first_credit, extent.last_end),
        input_config: origin.input_config(),
        summary: origin.summary,
        skipped,
    })
}

/// From the first permission to send until the last end.
struct PhaseExtent {
    index: u32,
    name: String,
    first_credit: u64,
    last_end: u64,
}

impl PhaseExtent {
    fn of(record: &RecordLine) -> Self {
        let metadata = &record.metadata;
        let name = metadata.phase_name.clone().unwrap_or_else(|| "profiling".to_owned());
        Self { index: metadata.phase_index, name, first_credit: u64::MAX, last_end: 0 }
    }

    fn add(&mut self, record: &RecordLine) {
        let metadata = &record.metadata;
        if metadata.phase_index == self.index {
            self.first_credit = self.first_credit.min(metadata.credit_issued_ns.unwrap_or(metadata.request_start_ns));
            self.last_end = self.last_end.max(metadata.request_end_ns);
        }
    }
}

fn request(record: RecordLine) -> RecordedRequest {
    let RecordLine { metadata, metrics, error, .. } = record;
    let outcome = match &error {
        None => RequestOutcome::Success,
        Some(error) if error.is_cut_off(metadata.was_cancelled) => RequestOutcome::CutOff,
        Some(_) if metadata.was_cancelled => RequestOutcome::CancelledOnPurpose,
        Some(_) => RequestOutcome::Failed,
    };
    let failure = error.map(|error| RecordedFailure {
        code: error.code,
        kind: error.kind.unwrap_or_default(),
        message: error.message,
    });
    RecordedRequest {
        phase_index: metadata.phase_index,
        credit_ns: metadata.credit_issued_ns.unwrap_or(metadata.request_start_ns),
        start_ns: metadata.request_start_ns,
        headers_ns: metadata.request_ack_ns,
        end_ns: metadata.request_end_ns,
        outcome,
        failure,
        metrics,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const LINES: &str = r#"
{"metadata":{"request_start_ns":1,"request_end_ns":2,"benchmark_phase":"warmup"},"metrics":{}}
{"metadata":{"credit_issued_ns":9,"request_start_ns":10,"request_ack_ns":12,"request_end_ns":30,"benchmark_phase":"profiling","phase_index":1},"metrics":{"time_to_first_token":{"value":1.5,"unit":"ms"},"inter_chunk_latency":{"value":[1.0,2.0],"unit":"ms"}}}
{"metadata":{"request_start_ns":40,"request_end_ns":50,"benchmark_phase":"profiling","phase_index":1},"metrics":{},"error":{"code":500,"type":"X","message":"no"}}
"#;

    #[test]
    fn requests_come_with_their_metrics_and_failures_and_without_warmup() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("profile_export.jsonl"), LINES.trim_start()).unwrap();
        let mut seen = Vec::new();
        let run = read_requests(&Folder::open(dir.path()).unwrap(), &mut |request| seen.push(request)).unwrap();
        assert_eq!(run.window, (9, 50));
        let [first, second] = &seen[..] else { panic!("{seen:?}") };
        assert_eq!((first.credit_ns, first.start_ns, first.headers_ns, first.end_ns), (9, 10, Some(12), 30));
        assert_eq!(first.number(Metric::TimeToFirstToken), Some(1.5));
        assert_eq!(first.list(Metric::InterChunkLatency), [1.0, 2.0]);
        assert_eq!(second.outcome, RequestOutcome::Failed);
        let failure = second.failure.as_ref().unwrap();
        assert_eq!((failure.code, failure.kind.as_str(), failure.message.as_str()), (Some(500), "X", "no"));
    }
}
