//! The records of GenAI-Perf's measuring program: when each request was sent and when its responses came.

use aiperf_metrics::Metric;
use aiperf_protocol::RequestOutcome;
use serde::Deserialize;

use crate::request_table::RequestTable;
use crate::{ArtifactError, Folder};

const NANOS_PER_MS: f64 = 1e6;

#[derive(Deserialize)]
struct PerfAnalyzerFile {
    experiments: Vec<PerfAnalyzerExperiment>,
}

#[derive(Deserialize)]
struct PerfAnalyzerExperiment {
    requests: Vec<PerfAnalyzerRequest>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct PerfAnalyzerRequest {
    pub(crate) timestamp: u64,
    #[serde(default)]
    pub(crate) response_timestamps: Vec<u64>,
}

/// All requests of the file; `None` if the folder has no such file.
pub(crate) fn requests(folder: &Folder) -> Result<Option<Vec<PerfAnalyzerRequest>>, ArtifactError> {
    // With `--profile-export-file NAME.json` the file has the name that a summary with a prefix has.
    let names = [folder.paths().perf_analyzer_records(), folder.paths().summary_json()];
    let Some(path) = names.into_iter().find(|path| path.is_file()) else { return Ok(None) };
    let text = std::fs::read(&path).map_err(ArtifactError::read(&path))?;
    let Ok(PerfAnalyzerFile { experiments }) = serde_json::from_slice(&text) else { return Ok(None) };
    Ok(Some(experiments.into_iter().flat_map(|it| it.requests).collect()))
}

/// `None` if the folder has no such file. Token counts are not in it, so that only times are known.
pub(crate) fn read(folder: &Folder) -> Result<Option<RequestTable>, ArtifactError> {
    let Some(requests) = requests(folder)? else { return Ok(None) };
    let mut table = RequestTable::default();
    for PerfAnalyzerRequest { timestamp, response_timestamps } in requests {
        let after = |time: u64| time.saturating_sub(timestamp) as f64 / NANOS_PER_MS;
        match (response_timestamps.first(), response_timestamps.last()) {
            (Some(first), Some(last)) => {
                table.push(timestamp, *last, RequestOutcome::Success);
                table.set(Metric::RequestLatency, after(*last));
                if response_timestamps.len() > 1 {
                    table.set(Metric::TimeToFirstToken, after(*first));
                }
            }
            _ => table.push(timestamp, timestamp, RequestOutcome::Failed),
        }
    }
    Ok(Some(table))
}
