//! The counters of a phase, as progress answers and phase messages have them.

use aiperf_live::{PhaseProgress, PhaseStatus, RunState, Snapshot};
use aiperf_protocol::PhaseKind;
use serde_json::{Map, Value, json};

pub(crate) const fn kind_name(kind: PhaseKind) -> &'static str {
    match kind {
        PhaseKind::Warmup => "warmup",
        PhaseKind::Profiling => "profiling",
    }
}

/// Which phase it is.
fn identity(phase: &PhaseProgress, snapshot: &Snapshot) -> Map<String, Value> {
    let mut map = Map::new();
    let mut put = |name: &str, value: Value| map.insert(name.to_owned(), value);
    let before = |other: &&PhaseProgress| other.kind == PhaseKind::Profiling && other.index < phase.index;
    let is_profiling = phase.kind == PhaseKind::Profiling;
    put("phase", json!(kind_name(phase.kind)));
    put("phase_index", json!(phase.index));
    put("profiling_index", json!(is_profiling.then(|| snapshot.phases.iter().filter(before).count())));
    put("phase_name", json!(phase.name));
    put("phase_kind", json!(kind_name(phase.kind)));
    map
}

/// What the phase was to do, when it did it, and how it ended.
fn course(phase: &PhaseProgress, snapshot: &Snapshot) -> Map<String, Value> {
    let is_over = phase.state == PhaseStatus::Complete;
    let has_sent = matches!(phase.state, PhaseStatus::Draining | PhaseStatus::Complete);
    let at_end = |value: u64| json!(is_over.then_some(value));
    let mut map = identity(phase, snapshot);
    let mut put = |name: &str, value: Value| map.insert(name.to_owned(), value);
    put("start_ns", json!(phase.start_ns));
    put("sent_end_ns", json!(phase.sent_end_ns));
    put("requests_end_ns", json!(phase.end_ns));
    put("baseline_start_ns", json!(phase.start_ns));
    put("baseline_end_ns", json!(phase.end_ns));
    put("total_expected_requests", json!(phase.expected_requests));
    put("expected_duration_sec", json!(phase.duration));
    put("expected_num_sessions", json!(phase.expected_sessions));
    put("expected_grace_period_sec", json!(phase.grace.filter(|_| phase.duration.is_some())));
    put("final_requests_sent", json!(has_sent.then_some(phase.sent)));
    put("final_requests_completed", at_end(phase.returned.saturating_sub(phase.cancelled)));
    put("final_requests_cancelled", at_end(phase.cancelled));
    put("final_request_errors", at_end(phase.failed));
    put("final_sent_sessions", json!(has_sent.then_some(phase.sessions_sent)));
    put("final_completed_sessions", at_end(phase.sessions_completed));
    put("final_cancelled_sessions", at_end(phase.sessions_sent.saturating_sub(phase.sessions_completed)));
    let took = |until: Option<i64>| Some((until? - phase.start_ns?) as f64 / 1e9);
    let is_timed_out = phase.duration.zip(took(phase.sent_end_ns)).is_some_and(|(limit, took)| took >= limit - 0.05);
    let grace = phase.duration.zip(phase.grace).map(|(duration, grace)| duration + grace);
    let is_out_of_grace = is_over && grace.zip(took(phase.end_ns)).is_some_and(|(limit, took)| took >= limit - 0.05);
    put("timeout_triggered", json!(has_sent && is_timed_out));
    put("grace_period_timeout_triggered", json!(is_out_of_grace));
    put("was_cancelled", json!(snapshot.state == RunState::Cancelled));
    map
}

/// The `stats` of a phase message.
pub(crate) fn request_counts(phase: &PhaseProgress, snapshot: &Snapshot) -> Map<String, Value> {
    let mut map = course(phase, snapshot);
    let mut put = |name: &str, value: Value| map.insert(name.to_owned(), value);
    put("requests_sent", json!(phase.sent));
    put("requests_completed", json!(phase.returned.saturating_sub(phase.cancelled)));
    put("requests_cancelled", json!(phase.cancelled));
    put("request_errors", json!(phase.failed));
    put("sent_sessions", json!(phase.sessions_sent));
    put("completed_sessions", json!(phase.sessions_completed));
    let open_sessions = phase.sessions_sent.saturating_sub(phase.sessions_completed);
    put("cancelled_sessions", json!(if phase.state == PhaseStatus::Complete { open_sessions } else { 0 }));
    put("total_session_turns", json!(phase.sent));
    map
}

/// The `processing_stats` of a message about records.
pub(crate) fn record_counts(phase: &PhaseProgress, snapshot: &Snapshot) -> Map<String, Value> {
    let mut map = course(phase, snapshot);
    let is_written = matches!(snapshot.state, RunState::Exporting) || snapshot.state.is_over();
    let is_processed = is_written || snapshot.records.processed >= snapshot.records.expected;
    let are_complete = phase.state == PhaseStatus::Complete && is_processed;
    map.insert("records_end_ns".to_owned(), json!(phase.end_ns.filter(|_| are_complete)));
    map.insert("success_records".to_owned(), json!(phase.completed));
    map.insert("error_records".to_owned(), json!(phase.failed));
    map
}

/// All of it, with rates and estimates: one entry of `/api/progress`.
pub(crate) fn whole(phase: &PhaseProgress, snapshot: &Snapshot) -> Map<String, Value> {
    let mut map = request_counts(phase, snapshot);
    map.extend(record_counts(phase, snapshot));
    let mut put = |name: &str, value: Value| map.insert(name.to_owned(), value);
    let is_over = phase.state == PhaseStatus::Complete;
    let per_second = |count: u64| (phase.elapsed > 0.0 && count > 0).then(|| count as f64 / phase.elapsed);
    let records = phase.completed + phase.failed;
    put("requests_per_second", json!(per_second(phase.returned)));
    put("records_per_second", json!(per_second(records)));
    put("requests_eta_sec", json!(if is_over { Some(0.0) } else { phase.eta }));
    let missing = snapshot.records.expected.saturating_sub(snapshot.records.processed) as f64;
    let rest = (snapshot.records.per_second > 0.0).then(|| missing / snapshot.records.per_second);
    put("records_eta_sec", json!(if is_over && missing <= 0.0 { Some(0.0) } else { rest.filter(|_| is_over) }));
    put("last_update_ns", json!(snapshot.at_ns));
    map
}
