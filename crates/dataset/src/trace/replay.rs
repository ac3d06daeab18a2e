//! Selects the requests of a trace to send, and adjusts their times.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use aiperf_config::{Replay, TimeWindow};
use aiperf_seed::Seed;
use aiperf_trace::{Trace, TraceRequest};

use crate::file::empty_window;
use crate::{DatasetError, RowPlace};

/// Removes the requests outside the window, both ends included. A request without a time belongs to the previous one of its
/// session.
pub(super) fn within(window: TimeWindow, trace: &mut Trace, path: &Path) -> Result<(), DatasetError> {
    if window == TimeWindow::default() {
        return Ok(());
    }
    let (start, end) = (window.start_ms.unwrap_or(f64::NEG_INFINITY), window.end_ms.unwrap_or(f64::INFINITY));
    let times = || trace.requests.iter().filter_map(|request| request.timestamp_ms);
    let (earliest, latest) = (times().fold(f64::INFINITY, f64::min), times().fold(f64::NEG_INFINITY, f64::max));
    let mut followed: HashMap<Arc<str>, bool> = HashMap::new();
    trace.requests.retain(|request| {
        let before = request.session.as_ref().and_then(|session| followed.get(session)).copied();
        let kept = request.timestamp_ms.map_or(before.unwrap_or(true), |time| (start..=end).contains(&time));
        if let Some(session) = &request.session {
            followed.insert(Arc::clone(session), kept);
        }
        kept
    });
    if trace.requests.is_empty() {
        return Err(empty_window(window, path, earliest, latest));
    }
    Ok(())
}

pub(super) fn forget_times(trace: &mut Trace) {
    for request in &mut trace.requests {
        request.timestamp_ms = None;
        request.delay_ms = None;
    }
}

pub(super) fn apply(replay: &Replay, trace: &mut Trace, seed: Seed, path: &Path) -> Result<(), DatasetError> {
    if replay.session_share < 1.0 {
        sample(replay.session_share, trace, seed);
    }
    for request in &mut trace.requests {
        request.timestamp_ms = request.timestamp_ms.map(|time| time / replay.speedup);
        request.delay_ms = request.delay_ms.map(|delay| delay / replay.speedup);
    }
    if let Some(cap) = replay.max_idle_gap_ms {
        shorten_gaps(cap, trace);
    }
    if replay.closed_loop {
        pause_after_answers(trace, replay.speedup);
    }
    if replay.strict {
        for request in &mut trace.requests {
            if request.timestamp_ms.is_none() {
                let problem = "a timestamp is expected: --open-loop-strict sends every row at its own time";
                let place = RowPlace::Line(request.line);
                return Err(DatasetError::Row { path: path.to_owned(), place, problem: problem.to_owned() });
            }
            request.session = None;
            request.delay_ms = None;
        }
    }
    Ok(())
}

/// Keeps whole sessions, each with this probability, and at least one request.
fn sample(share: f64, trace: &mut Trace, seed: Seed) {
    let mut stream = seed.stream("dataset.loader.trace.session_sampling");
    let mut drawn: HashMap<Arc<str>, bool> = HashMap::new();
    let mut draw = || stream.unit() < share;
    let first = trace.requests.first().cloned();
    trace.requests.retain(|request| match &request.session {
        Some(session) => *drawn.entry(Arc::clone(session)).or_insert_with(&mut draw),
        None => draw(),
    });
    if trace.requests.is_empty() {
        trace.requests.extend(first);
    }
}

/// Shortens every gap between consecutive requests to at most `cap` milliseconds.
fn shorten_gaps(cap: f64, trace: &mut Trace) {
    let mut order: Vec<usize> = (0..trace.requests.len()).collect();
    let time = |request: &TraceRequest| request.timestamp_ms;
    order.retain(|index| time(&trace.requests[*index]).is_some());
    order.sort_by(|a, b| {
        let times = (time(&trace.requests[*a]), time(&trace.requests[*b]));
        times.0.unwrap_or(0.0).total_cmp(&times.1.unwrap_or(0.0))
    });
    let mut before: Option<f64> = None;
    let mut saved = 0.0;
    for index in order {
        let Some(time) = trace.requests[index].timestamp_ms.as_mut() else { continue };
        if let Some(before) = before {
            saved += (*time - before - cap).max(0.0);
        }
        before = Some(*time);
        *time -= saved;
    }
}

/// Replaces the times of later turns by a delay after the previous answer: the recorded gap less the recorded duration.
fn pause_after_answers(trace: &mut Trace, speedup: f64) {
    let mut before: HashMap<Arc<str>, (f64, f64)> = HashMap::new();
    for index in trace.order_of_arrival() {
        let request = &mut trace.requests[index];
        let (Some(session), Some(time)) = (&request.session, request.timestamp_ms) else { continue };
        let duration = request.duration_ms.unwrap_or(0.0) / speedup;
        if let Some((start, took)) = before.insert(Arc::clone(session), (time, duration)) {
            request.timestamp_ms = None;
            request.delay_ms = Some((time - start - took).max(0.0));
        }
    }
}
