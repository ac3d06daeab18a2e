//! The requests of the profiling phase, as the records of a run tell them.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use aiperf_artifact::Folder;
use serde::Deserialize;
use serde_json::Value;

use crate::TimelineError;

const NANOS_PER_MS: f64 = 1e6;

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Completed,
    Failed,
    Cancelled,
}

impl Ending {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// One request. Times are nanoseconds since 1970.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PastRequest {
    /// What all requests of one session share.
    pub(crate) session: String,
    pub(crate) conversation: String,
    pub(crate) turn: u64,
    pub(crate) agent_depth: u64,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) first_token: Option<u64>,
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    pub(crate) ending: Ending,
}

#[derive(Deserialize)]
struct RecordLine {
    metadata: Metadata,
    #[serde(default)]
    metrics: Value,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    session_num: u64,
    x_correlation_id: Option<String>,
    conversation_id: Option<String>,
    #[serde(default)]
    turn_index: Option<u64>,
    #[serde(default)]
    agent_depth: Option<u64>,
    request_start_ns: u64,
    request_end_ns: u64,
    #[serde(default)]
    benchmark_phase: Option<String>,
    #[serde(default)]
    was_cancelled: bool,
}

impl RecordLine {
    fn request(self) -> PastRequest {
        let Self { metadata, metrics, error } = self;
        let number = |tag: &str| metrics[tag]["value"].as_f64();
        let count = |tag: &str| number(tag).map(|count| count as u64);
        let start = metadata.request_start_ns;
        let end = metadata.request_end_ns.max(start);
        let first = number("time_to_first_token").map(|ms| start + (ms * NANOS_PER_MS) as u64);
        let session = metadata.x_correlation_id.unwrap_or_else(|| metadata.session_num.to_string());
        PastRequest {
            conversation: metadata.conversation_id.unwrap_or_else(|| session.clone()),
            session,
            turn: metadata.turn_index.unwrap_or_default(),
            agent_depth: metadata.agent_depth.unwrap_or_default(),
            start,
            end,
            first_token: first.filter(|first| *first <= end),
            input_tokens: count("input_sequence_length"),
            output_tokens: count("output_sequence_length"),
            ending: match (metadata.was_cancelled, error) {
                (true, _) => Ending::Cancelled,
                (false, Some(error)) if !error.is_null() => Ending::Failed,
                _ => Ending::Completed,
            },
        }
    }
}

/// The requests of the profiling phase, by their starts.
pub(crate) fn read(folder: &Folder) -> Result<Vec<PastRequest>, TimelineError> {
    let path = folder.paths().records();
    let mut requests = Vec::new();
    each_line(&path, |line| {
        let record: RecordLine = serde_json::from_str(line).map_err(|error| error.to_string())?;
        if record.metadata.benchmark_phase.as_deref().is_none_or(|phase| phase == "profiling") {
            requests.push(record.request());
        }
        Ok(())
    })?;
    if requests.is_empty() {
        return Err(TimelineError::NoRequests { path });
    }
    requests.sort_by_key(|request| (request.start, request.end));
    Ok(requests)
}

/// Calls `take` with each line that is not empty. The last line may be broken off: a run that was killed ends in the middle of one.
pub(crate) fn each_line(path: &Path, mut take: impl FnMut(&str) -> Result<(), String>) -> Result<(), TimelineError> {
    let failed = |source| TimelineError::read(path, source);
    let mut lines = BufReader::new(File::open(path).map_err(failed)?);
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        if lines.read_until(b'\n', &mut text).map_err(failed)? == 0 {
            break;
        }
        let is_whole = text.ends_with(b"\n");
        let taken = match str::from_utf8(&text) {
            Ok(text) if text.trim().is_empty() => Ok(()),
            Ok(text) => take(text),
            Err(error) => Err(error.to_string()),
        };
        match taken {
            Err(why) if is_whole => return Err(TimelineError::Line { path: path.to_owned(), line, why }),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A request of a session, in milliseconds.
    pub(crate) fn request(session: &str, turn: u64, start: u64, end: u64) -> PastRequest {
        const MS: u64 = 1_000_000;
        PastRequest {
            session: session.to_owned(),
            conversation: format!("conversation of {session}"),
            turn,
            agent_depth: 0,
            start: start * MS,
            end: end * MS,
            first_token: Some((start + 1) * MS),
            input_tokens: Some(10),
            output_tokens: Some(5),
            ending: Ending::Completed,
        }
    }

    #[test]
    fn a_line_of_the_records_is_a_request() {
        let line = r#"{"metadata":{"session_num":3,"x_correlation_id":"s","conversation_id":"c","turn_index":2,"request_start_ns":1000000,
            "request_end_ns":9000000,"benchmark_phase":"profiling","was_cancelled":false},
            "metrics":{"time_to_first_token":{"value":2.5,"unit":"ms"},"input_sequence_length":{"value":32,"unit":"tokens"}},"error":null}"#;
        let found = serde_json::from_str::<RecordLine>(line).unwrap().request();
        assert_eq!((found.session.as_str(), found.turn, found.first_token), ("s", 2, Some(3_500_000)));
        assert_eq!((found.input_tokens, found.output_tokens, found.ending), (Some(32), None, Ending::Completed));
    }

    #[test]
    fn a_line_that_is_broken_off_at_the_end_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        std::fs::write(&path, "{}\n\n{\"a\":").unwrap();
        let mut taken = 0;
        let mut read = |path: &Path| {
            each_line(path, |line| {
                taken += 1;
                serde_json::from_str::<Value>(line).map(drop).map_err(|error| error.to_string())
            })
        };
        read(&path).unwrap();
        std::fs::write(&path, "{\"a\":\n{}\n").unwrap();
        assert!(matches!(read(&path), Err(TimelineError::Line { line: 1, .. })));
        assert_eq!(taken, 3);
    }
}
