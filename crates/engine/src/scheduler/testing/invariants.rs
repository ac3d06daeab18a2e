//! What holds for every run, whatever its workload.

use std::collections::HashMap;

use aiperf_clock::Nanos;
use aiperf_config::PhaseConfig;
use aiperf_conversation::BranchKind;
use aiperf_protocol::RequestOutcome;

use super::DispatchLog;
use super::server::Dispatched;
use crate::scheduler::phase_run::AHEAD;

/// Checks one phase of a run that is not an agentic replay.
pub(crate) fn assert_invariants(log: &DispatchLog, phase: &PhaseConfig) {
    assert_never_early(log);
    assert_counts(log);
    assert_turns_follow(log);
    assert_joins_wait(log);
    assert_limits(log, phase);
    for (conversation, life) in log.begun.iter().enumerate() {
        assert_eq!(life.begun, life.ended, "sessions of conversation {conversation} end once each");
    }
}

fn assert_never_early(log: &DispatchLog) {
    for sent in &log.dispatched {
        assert!(sent.at + AHEAD >= sent.due, "handed out too early: {sent:?}");
        assert!(sent.issued >= sent.due && sent.issued >= sent.at, "{sent:?}");
        assert!(sent.end_at().is_none_or(|end| end >= sent.start()), "{sent:?}");
    }
    assert!(log.dispatched.is_sorted_by_key(|sent| sent.at));
}

fn assert_counts(log: &DispatchLog) {
    let counts = log.counts();
    let ended =
        |end: RequestOutcome| log.dispatched.iter().filter(|sent| sent.end.is_some_and(|(_, e)| e == end)).count();
    assert_eq!(counts.sent, log.dispatched.len() as u64);
    assert_eq!(counts.sent, log.sent, "the progress display counts the same");
    assert_eq!(counts.completed, (ended(RequestOutcome::Success) + ended(RequestOutcome::Failed)) as u64);
    assert_eq!(counts.cut, ended(RequestOutcome::CutOff) as u64);
    assert_eq!(counts.sent, counts.completed + counts.cut, "all come back");
    assert!(log.dispatched.iter().enumerate().all(|(place, sent)| sent.number == place as u64));
    assert!(counts.sessions_completed + counts.sessions_cut <= counts.sessions_sent, "{counts:?}");
    let branches = counts.branches;
    assert_eq!(
        branches.children_spawned,
        branches.children_completed + branches.children_errored + branches.children_truncated,
        "{branches:?}"
    );
    assert!(branches.parents_resumed + branches.joins_suppressed <= branches.parents_suspended, "{branches:?}");
}

fn by_session(log: &DispatchLog) -> HashMap<u64, Vec<&Dispatched>> {
    let mut sessions: HashMap<u64, Vec<&Dispatched>> = HashMap::new();
    for sent in &log.dispatched {
        sessions.entry(sent.session).or_default().push(sent);
    }
    sessions
}

/// Each turn of a session once and in order, not before the turn before it is answered and its delay is over, all on
/// one worker and one server.
fn assert_turns_follow(log: &DispatchLog) {
    for turns in by_session(log).values() {
        let conversation = &log.conversations[turns[0].conversation];
        for (place, sent) in turns.iter().enumerate() {
            assert_eq!(sent.turn, place, "{turns:?}");
            assert_eq!((sent.worker, sent.target), (turns[0].worker, turns[0].target));
            assert!(!sent.is_last || place + 1 == turns.len(), "nothing follows the last turn: {turns:?}");
            if let Some(before) = place.checked_sub(1).map(|place| turns[place]) {
                let end = before.end_at().expect("a turn follows an answer");
                let has_timestamp = conversation.turns[place].timestamp_ms.is_some();
                let delay = conversation.turns[place].delay.filter(|_| !has_timestamp).unwrap_or_default();
                assert!(sent.start() >= end + delay, "{before:?} {sent:?}");
            }
        }
    }
}

/// A turn that joins children is sent after the last of them has ended.
fn assert_joins_wait(log: &DispatchLog) {
    let sessions = by_session(log);
    let mut ends: HashMap<(u64, usize), Nanos> = HashMap::new();
    for sent in &log.dispatched {
        let end = ends.entry((sent.root, sent.conversation)).or_default();
        *end = sent.end_at().unwrap_or(Nanos(u64::MAX)).max(*end);
    }
    for turns in sessions.values() {
        let conversation = &log.conversations[turns[0].conversation];
        for sent in turns {
            let joined = conversation.turns[..sent.turn].iter().flat_map(|turn| &turn.branches);
            let joined = joined.filter(|branch| branch.kind == BranchKind::Spawn { join_at: Some(sent.turn) });
            for child in joined.flat_map(|branch| &branch.children) {
                let end = ends.get(&(sent.root, child.0)).expect("a joined child was sent");
                assert!(sent.at >= *end, "{sent:?} joins a child that ends at {end:?}");
            }
        }
    }
}

/// Never more sessions open, or requests before their first token, than allowed.
fn assert_limits(log: &DispatchLog, phase: &PhaseConfig) {
    if let Some(limit) = phase.pace.session_limit() {
        let roots = by_session(log).into_values().filter(|turns| turns[0].depth == 0);
        let spans = roots.map(|turns| {
            let end = turns.last().and_then(|last| last.end_at()).unwrap_or(Nanos(u64::MAX));
            (turns[0].at, end)
        });
        assert!(most_at_once(spans) <= limit, "more than {limit} sessions at once");
    }
    if let Some(limit) = phase.prefill_limit {
        let spans = log
            .dispatched
            .iter()
            .map(|sent| (sent.at, sent.first_token.or_else(|| sent.end_at()).unwrap_or(Nanos(u64::MAX))));
        assert!(most_at_once(spans) <= limit, "more than {limit} requests in prefill");
    }
}

/// The most spans that hold a point of time; one that ends where another begins makes room for it.
pub(crate) fn most_at_once(spans: impl Iterator<Item = (Nanos, Nanos)>) -> usize {
    let mut changes: Vec<(Nanos, i32)> = spans.flat_map(|(from, to)| [(from, 1), (to, -1)]).collect();
    changes.sort_unstable();
    let mut open = 0;
    changes
        .into_iter()
        .map(|(_, change)| {
            open += change;
            open
        })
        .max()
        .unwrap_or(0) as usize
}
