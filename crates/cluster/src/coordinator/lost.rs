//! Requests that were under way on a node that is lost: each gets a record that says so, so that no request is missing from the
//! results.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};

use serde_json::json;

use super::NodeInRun;
use crate::ClusterError;

/// The file of records, as a run without an export prefix names it.
const RECORDS: &str = "profile_export.jsonl";
/// The error type of these records.
const LOST_WORKER: &str = "lost_worker";

/// Appends a record for each request that the node had sent and that has none; returns how many.
pub(super) fn write_lost_requests(node: &NodeInRun) -> Result<u64, ClusterError> {
    let folder = node.replica.folder();
    let path = folder.join(RECORDS);
    let recorded = lines(&path)?;
    // The last word of the node: by a heartbeat, or by a message of the stream.
    let (heard, streamed) = (&node.view.counters, &node.replica.counters);
    let last = if heard.sent_in_all() >= streamed.sent_in_all() { heard } else { streamed };
    let lost = last.sent_in_all().saturating_sub(recorded);
    let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(ClusterError::file(&path))?;
    let phase = if last.phase.is_empty() { "profiling" } else { &last.phase };
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
                "message": format!("{} was lost while the request was under way", node.view.title()),
            },
        });
        writeln!(file, "{line}").map_err(ClusterError::file(&path))?;
    }
    Ok(lost)
}

fn lines(path: &std::path::Path) -> Result<u64, ClusterError> {
    if !path.exists() {
        return Ok(0);
    }
    let file = fs::File::open(path).map_err(ClusterError::file(path))?;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut count = 0;
    loop {
        let length = {
            let buffer = reader.fill_buf().map_err(ClusterError::file(path))?;
            count += memchr::memchr_iter(b'\n', buffer).count() as u64;
            buffer.len()
        };
        if length == 0 {
            return Ok(count);
        }
        reader.consume(length);
    }
}
