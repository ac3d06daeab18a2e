//! The sessions of a trace, and how many are active over time.

use std::collections::HashMap;

use serde::Serialize;

use super::statistics::Statistics;
use crate::Trace;
use crate::prefix_tree::PrefixTree;

/// The possible interval widths of the time line, in seconds.
const WIDTHS: [f64; 9] = [0.1, 1.0, 5.0, 10.0, 60.0, 300.0, 600.0, 3_600.0, 86_400.0];
const MOST_POINTS: f64 = 120.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionSource {
    /// The trace names the sessions.
    Recorded,
    /// A request that continues after the last complete block of an earlier one belongs to the same session.
    Inferred,
    /// The trace has neither session names nor blocks, so each request is a session.
    Single,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionStatistics {
    pub source: SessionSource,
    pub total: usize,
    pub turns: Option<Statistics>,
    /// The largest number of sessions active at the same time.
    pub peak_active: usize,
    pub interval_seconds: f64,
    /// Empty if the trace has no times.
    pub over_time: Vec<SessionPoint>,
}

/// One interval of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct SessionPoint {
    pub start_seconds: f64,
    pub requests: u64,
    pub new_sessions: u64,
    /// Sessions between their first and their last request.
    pub active_sessions: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
}

pub(crate) fn measure(trace: &Trace, tree: &PrefixTree) -> SessionStatistics {
    let (source, members) = assign(trace, tree);
    let total = members.iter().copied().max().map_or(0, |last| last + 1);
    let mut turns = vec![0.0; total];
    for session in &members {
        turns[*session] += 1.0;
    }
    let mut sessions = SessionStatistics {
        source,
        total,
        turns: Statistics::of(turns),
        peak_active: 0,
        interval_seconds: 0.0,
        over_time: Vec::new(),
    };
    time_line(trace, &members, total, &mut sessions);
    sessions
}

/// The session of each request, numbered without gaps.
pub(crate) fn members(trace: &Trace, tree: &PrefixTree) -> Vec<usize> {
    assign(trace, tree).1
}

fn assign(trace: &Trace, tree: &PrefixTree) -> (SessionSource, Vec<usize>) {
    if trace.requests.iter().any(|request| request.session.is_some()) {
        return (SessionSource::Recorded, recorded(trace));
    }
    if tree.len() > 0 { (SessionSource::Inferred, inferred(trace, tree)) } else { single(trace) }
}

fn single(trace: &Trace) -> (SessionSource, Vec<usize>) {
    (SessionSource::Single, (0..trace.requests.len()).collect())
}

fn recorded(trace: &Trace) -> Vec<usize> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut next = 0;
    let mut fresh = || {
        next += 1;
        next - 1
    };
    let session = |request: &'_ crate::TraceRequest| request.session.clone();
    let names: Vec<_> = trace.requests.iter().map(session).collect();
    let mut members = Vec::with_capacity(names.len());
    for name in &names {
        members.push(match name {
            Some(name) => *known.entry(name).or_insert_with(&mut fresh),
            None => fresh(),
        });
    }
    members
}

/// Infers sessions from blocks. The next turn of a session continues at the node where the complete blocks of a request end, if
/// that request was the first to reach it.
fn inferred(trace: &Trace, tree: &PrefixTree) -> Vec<usize> {
    let mut ends: HashMap<u32, usize> = HashMap::new();
    let mut reached = vec![false; tree.len() + 1];
    let mut members = vec![0; trace.requests.len()];
    let mut next = 0;
    for index in trace.order_of_arrival() {
        let path = tree.path(index);
        let continued = path.iter().rev().find_map(|node| ends.remove(node));
        let session = continued.unwrap_or_else(|| {
            next += 1;
            next - 1
        });
        members[index] = session;
        let tokens = trace.requests[index].input_tokens().unwrap_or(0);
        let whole = (tokens / u64::from(trace.block_size)) as usize;
        // At least two blocks: a single one is a system prompt that many requests share.
        if let Some(end) = path[..whole.min(path.len())].last().filter(|end| tree.depth[**end as usize] >= 2)
            && !reached[*end as usize]
        {
            ends.insert(*end, session);
        }
        for node in path {
            reached[*node as usize] = true;
        }
    }
    members
}

fn time_line(trace: &Trace, members: &[usize], total: usize, sessions: &mut SessionStatistics) {
    let times: Option<Vec<f64>> = trace.requests.iter().map(|request| request.timestamp_ms).collect();
    // Later turns of a session may have delays instead of times; then their times are unknown.
    let Some(times) = times else { return };
    let first = times.iter().copied().fold(f64::INFINITY, f64::min);
    let last = times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let length = (last - first) / 1e3;
    let width = WIDTHS.into_iter().find(|width| length / width <= MOST_POINTS).unwrap_or(length / MOST_POINTS);
    // In milliseconds, like the times: 0.1 s is not exact in binary, and a time on an edge would fall before it.
    let width_ms = width * 1e3;
    let place = |time: f64| ((time - first) / width_ms) as usize;
    let mut points = vec![SessionPoint::default(); place(last) + 1];
    let mut spans = vec![(f64::INFINITY, f64::NEG_INFINITY); total];
    for ((time, session), request) in times.iter().zip(members).zip(&trace.requests) {
        let point = &mut points[place(*time)];
        point.requests += 1;
        point.input_tokens += request.input_tokens().unwrap_or(0);
        point.output_tokens += request.output_tokens.unwrap_or(0);
        let span = &mut spans[*session];
        *span = (span.0.min(*time), span.1.max(*time));
    }
    for (index, point) in points.iter_mut().enumerate() {
        point.start_seconds = index as f64 * width_ms / 1e3;
    }
    for (start, end) in &spans {
        points[place(*start)].new_sessions += 1;
        for point in &mut points[place(*start)..=place(*end)] {
            point.active_sessions += 1;
        }
    }
    sessions.interval_seconds = width;
    sessions.over_time = points;
    sessions.peak_active = peak(&spans);
}

/// The largest number of overlapping spans, ends included.
fn peak(spans: &[(f64, f64)]) -> usize {
    let mut starts: Vec<f64> = spans.iter().map(|span| span.0).collect();
    let mut ends: Vec<f64> = spans.iter().map(|span| span.1).collect();
    starts.sort_by(f64::total_cmp);
    ends.sort_by(f64::total_cmp);
    let mut ended = 0;
    let mut most = 0;
    for (begun, start) in starts.iter().enumerate() {
        while ends[ended] < *start {
            ended += 1;
        }
        most = most.max(begun + 1 - ended);
    }
    most
}
