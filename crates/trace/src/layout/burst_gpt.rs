//! `burst_gpt_trace`: CSV with seconds, request and response tokens. A row whose response has no tokens is a failed
//! request of the original service: its prompt was load all the same, so that it is kept.

use super::table::{Columns, tokens};
use crate::{Prompt, Request};

const COLUMNS: [&str; 3] = ["Timestamp", "Request tokens", "Response tokens"];

pub(crate) fn columns(header: &str) -> Option<Columns<3>> {
    Columns::find(header, COLUMNS)
}

/// The error says why a row is not whole: the published files have a few that are not.
pub(crate) fn request(line: usize, content: &str, columns: &Columns<3>) -> Result<Request, String> {
    let [timestamp, input, output] = columns.of(content)?;
    let seconds: Option<f64> = timestamp.trim().parse().ok();
    let seconds = seconds
        .filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
        .ok_or_else(|| format!("{}: seconds, not negative, are expected, not {:?}", COLUMNS[0], timestamp.trim()))?;
    Ok(Request {
        line,
        timestamp_ms: Some(seconds * 1e3),
        delay_ms: None,
        duration_ms: None,
        session: None,
        holds_history: false,
        prompt: Prompt::Length { tokens: tokens(COLUMNS[1], &input, 1)?, blocks: Vec::new() },
        output_tokens: Some(tokens(COLUMNS[2], &output, 0)?),
        extra: None,
    })
}
