//! `burst_gpt_trace`: CSV with seconds, request and response tokens. A row whose response has no tokens is a failed
//! request of the original service: its prompt was load all the same, so that it is kept.

use super::table::Columns;
use crate::{Prompt, Request};

const COLUMNS: [&str; 3] = ["Timestamp", "Request tokens", "Response tokens"];

pub(crate) fn columns(header: &str) -> Option<Columns<3>> {
    Columns::find(header, COLUMNS)
}

/// `None` for a row that is not whole: the published files have a few.
pub(crate) fn request(line: usize, content: &str, columns: &Columns<3>) -> Option<Request> {
    let [timestamp, input, output] = columns.of(content)?;
    let seconds: f64 = timestamp.trim().parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)?;
    Some(Request {
        line,
        timestamp_ms: Some(seconds * 1e3),
        delay_ms: None,
        session: None,
        prompt: Prompt::Length { tokens: count(&input)?, blocks: Vec::new() },
        output_tokens: Some(count(&output)?),
        extra: None,
    })
}

/// Some tools write 472 as 472.0.
pub(super) fn count(text: &str) -> Option<u64> {
    let text = text.trim();
    text.parse().ok().or_else(|| {
        let number: f64 = text.parse().ok()?;
        (number.fract() == 0.0 && (0.0..1e15).contains(&number)).then_some(number as u64)
    })
}
