//! `burst_gpt_trace`: CSV with seconds, request and response tokens. A row without response tokens is a failed
//! request of the original service. It is kept, since its prompt was part of the load.

use super::table::{CsvColumns, tokens};
use crate::{TracePrompt, TraceRequest};

const COLUMNS: [&str; 3] = ["Timestamp", "Request tokens", "Response tokens"];

pub(crate) fn columns(header: &str) -> Option<CsvColumns<3>> {
    CsvColumns::find(header, COLUMNS)
}

/// Parses a row; the error says what is wrong. The published files have a few incomplete rows.
pub(crate) fn request(line: usize, content: &str, columns: &CsvColumns<3>) -> Result<TraceRequest, String> {
    let [timestamp, input, output] = columns.of(content)?;
    let seconds: Option<f64> = timestamp.trim().parse().ok();
    let seconds = seconds.filter(|seconds| seconds.is_finite() && *seconds >= 0.0).ok_or_else(|| {
        format!("{}: a non-negative number of seconds is expected, not {:?}", COLUMNS[0], timestamp.trim())
    })?;
    Ok(TraceRequest {
        line,
        timestamp_ms: Some(seconds * 1e3),
        delay_ms: None,
        duration_ms: None,
        session: None,
        holds_history: false,
        prompt: TracePrompt::Length { tokens: tokens(COLUMNS[1], &input, 1)?, blocks: Vec::new() },
        output_tokens: Some(tokens(COLUMNS[2], &output, 0)?),
        extra: None,
    })
}
