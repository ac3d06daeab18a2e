//! Requests of a node that is lost whose records have not arrived: each gets a record that says so, so that no request is missing from
//! the results.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use aiperf_config::SentShare;
use serde::Deserialize;
use serde_json::json;

use super::NodeInRun;
use crate::ClusterError;

/// The file of records, as a run without an export prefix names it.
pub(super) const RECORDS: &str = "profile_export.jsonl";
/// The error type of these records.
const LOST_WORKER: &str = "lost_worker";

/// Appends a record for each request that the node had sent and that has none; returns how many. What a replaced node has sent after its
/// replacement began is left out: the replacement sends it.
pub(super) fn write_lost_requests(node: &NodeInRun) -> Result<u64, ClusterError> {
    let path = node.replica.folder().join(RECORDS);
    if let Some(replacement) = &node.replacement {
        drop_records_after(&path, &replacement.after)?;
    }
    let recorded = recorded(node)?;
    let last = node.last_word();
    let (sent, phase) = match &node.replacement {
        Some(replacement) => (replacement.after.total(), &replacement.after.phase),
        None => (last.sent_in_all(), &last.phase),
    };
    let lost = sent.saturating_sub(recorded);
    let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(ClusterError::file(&path))?;
    let phase = if phase.is_empty() { "profiling" } else { phase };
    let kind = if phase.starts_with("warmup") { "warmup" } else { "profiling" };
    let at = node.replica.clock.last().map_or(0, |reading| reading.at_ns).max(last.at_ns);
    for place in 0..lost {
        let line = json!({
            "metadata": {
                "x_request_id": format!("lost-{}-{place}", node.view.index),
                "request_start_ns": at,
                "request_end_ns": at,
                "benchmark_phase": kind,
                "phase_name": phase,
                "was_cancelled": false,
            },
            "metrics": {},
            "error": {
                "type": LOST_WORKER,
                "message": format!("{} was lost before the record of this request arrived", node.view.title()),
            },
        });
        writeln!(file, "{line}").map_err(ClusterError::file(&path))?;
    }
    Ok(lost)
}

/// How many records of a node are here.
pub(super) fn recorded(node: &NodeInRun) -> Result<u64, ClusterError> {
    let path = node.replica.folder().join(RECORDS);
    if !path.exists() {
        return Ok(0);
    }
    let mut reader = open(&path)?;
    let mut count = 0;
    loop {
        let length = {
            let buffer = reader.fill_buf().map_err(ClusterError::file(&path))?;
            count += memchr::memchr_iter(b'\n', buffer).count() as u64;
            buffer.len()
        };
        if length == 0 {
            return Ok(count);
        }
        reader.consume(length);
    }
}

#[derive(Deserialize)]
struct RecordPlace {
    metadata: PlaceMetadata,
}

#[derive(Deserialize)]
struct PlaceMetadata {
    /// Requests of a phase are numbered in the order of sending.
    session_num: u64,
    phase_name: String,
}

/// Keeps the records of requests that were sent before the replacement began.
fn drop_records_after(path: &Path, after: &SentShare) -> Result<(), ClusterError> {
    if !path.exists() {
        return Ok(());
    }
    let is_later = |line: &[u8]| {
        let place = serde_json::from_slice::<RecordPlace>(line).ok();
        place.is_some_and(|RecordPlace { metadata }| {
            metadata.phase_name == after.phase && metadata.session_num >= after.sent
        })
    };
    let kept = path.with_extension("kept");
    let mut out = BufWriter::new(File::create(&kept).map_err(ClusterError::file(&kept))?);
    for line in open(path)?.split(b'\n') {
        let line = line.map_err(ClusterError::file(path))?;
        if !is_later(&line) {
            out.write_all(&line).and_then(|()| out.write_all(b"\n")).map_err(ClusterError::file(&kept))?;
        }
    }
    out.flush().map_err(ClusterError::file(&kept))?;
    fs::rename(&kept, path).map_err(ClusterError::file(path))
}

fn open(path: &Path) -> Result<BufReader<File>, ClusterError> {
    Ok(BufReader::with_capacity(1 << 20, File::open(path).map_err(ClusterError::file(path))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_requests_that_the_replacement_sends_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(RECORDS);
        let line = |phase: &str, number: u64| {
            format!("{{\"metadata\":{{\"session_num\":{number},\"phase_name\":\"{phase}\"}}}}\n")
        };
        fs::write(
            &path,
            [line("warmup", 9), line("profiling", 0), line("profiling", 3), line("profiling", 2)].concat(),
        )
        .unwrap();
        let after = SentShare { phase: "profiling".into(), sent: 3, sent_before: 10 };
        drop_records_after(&path, &after).unwrap();
        let kept = [line("warmup", 9), line("profiling", 0), line("profiling", 2)].concat();
        assert_eq!(fs::read_to_string(&path).unwrap(), kept);
    }
}
