//! The time window of `--fixed-schedule-start-offset` and `--fixed-schedule-end-offset`.

use std::path::Path;

use aiperf_config::TimeWindow;
use aiperf_conversation::Conversation;

use crate::DatasetError;

/// The conversations whose first turn lies in the window, both ends included. A conversation without a timestamp is kept:
/// the schedule decides whether that is an error.
pub(crate) fn within(
    window: TimeWindow,
    mut conversations: Vec<Conversation>,
    path: &Path,
) -> Result<Vec<Conversation>, DatasetError> {
    let first = |conversation: &Conversation| conversation.turns.first().and_then(|turn| turn.timestamp_ms);
    let (start, end) = (window.start_ms.unwrap_or(f64::NEG_INFINITY), window.end_ms.unwrap_or(f64::INFINITY));
    let times = || conversations.iter().filter_map(first);
    let (earliest, latest) = (times().fold(f64::INFINITY, f64::min), times().fold(f64::NEG_INFINITY, f64::max));
    conversations.retain(|conversation| first(conversation).is_none_or(|time| (start..=end).contains(&time)));
    if conversations.is_empty() {
        return Err(empty_window(window, path, earliest, latest));
    }
    Ok(conversations)
}

/// The error for a window without a single conversation.
pub(crate) fn empty_window(window: TimeWindow, path: &Path, earliest: f64, latest: f64) -> DatasetError {
    let from = window.start_ms.map(|start| format!("from {start} ms on"));
    let to = window.end_ms.map(|end| format!("up to {end} ms"));
    let asked = from.into_iter().chain(to).collect::<Vec<_>>().join(" and ");
    DatasetError::EmptyWindow { path: path.to_owned(), asked, earliest, latest }
}
