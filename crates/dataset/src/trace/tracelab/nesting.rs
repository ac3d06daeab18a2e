//! Finds the sessions of subagents and the sessions that called them. Logs do not record this, so it is inferred from times: a
//! session that lies completely within a call that starts agents belongs to that call, or to the shortest of several.

use aiperf_config::AgentDetection;

use super::session::TracelabSession;

/// The caller of a session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Nested {
    /// The topmost session, which no other session called.
    pub(super) root: usize,
    /// The start and the end of the call.
    pub(super) start_s: f64,
    pub(super) end_s: f64,
}

/// A period in which a session may have started others.
#[derive(Debug, Clone, Copy)]
struct CallWindow {
    caller: usize,
    start_s: f64,
    end_s: f64,
}

pub(super) fn parents(sessions: &[TracelabSession], knobs: &AgentDetection) -> Vec<Option<Nested>> {
    let windows: Vec<CallWindow> = if knobs.join_subagents {
        sessions.iter().enumerate().flat_map(|(caller, session)| windows(caller, session, knobs)).collect()
    } else {
        Vec::new()
    };
    let callers: Vec<Option<CallWindow>> = (0..sessions.len()).map(|place| caller(sessions, &windows, place)).collect();
    callers.iter().map(|window| window.map(|window| nested(&callers, window))).collect()
}

fn windows(caller: usize, session: &TracelabSession, knobs: &AgentDetection) -> Vec<CallWindow> {
    let tools = || session.rounds.iter().flat_map(|round| &round.tools);
    match session.owner.provider.as_str() {
        "codex" if knobs.join_codex_subagents => {
            let first = tools().filter(|tool| tool.name == "spawn_agent").map(|tool| tool.start_s);
            let last = tools().filter(|tool| tool.name == "wait_agent").map(|tool| tool.end_s);
            let (start_s, end_s) = (first.fold(f64::INFINITY, f64::min), last.fold(f64::NEG_INFINITY, f64::max));
            if start_s < end_s { vec![CallWindow { caller, start_s, end_s }] } else { Vec::new() }
        }
        "codex" => Vec::new(),
        _ => tools()
            .filter(|tool| matches!(tool.name.as_str(), "Agent" | "Task"))
            .filter(|tool| (tool.end_s - tool.start_s) * 1e3 >= knobs.min_spawn_ms)
            .map(|tool| CallWindow { caller, start_s: tool.start_s, end_s: tool.end_s })
            .collect(),
    }
}

/// The shortest window of another session that contains this one.
fn caller(sessions: &[TracelabSession], windows: &[CallWindow], place: usize) -> Option<CallWindow> {
    let session = &sessions[place];
    let holds = |window: &&CallWindow| {
        // A caller must start earlier, so that no session calls itself.
        sessions[window.caller].start_s() < session.start_s()
            && sessions[window.caller].owner == session.owner
            && window.start_s <= session.start_s()
            && session.end_s() <= window.end_s
    };
    let length = |window: &CallWindow| window.end_s - window.start_s;
    windows.iter().filter(holds).min_by(|a, b| length(a).total_cmp(&length(b))).copied()
}

/// Finds the topmost caller: a subagent of a subagent counts as called by the topmost session.
fn nested(callers: &[Option<CallWindow>], window: CallWindow) -> Nested {
    let mut root = window.caller;
    while let Some(above) = callers[root] {
        root = above.caller;
    }
    Nested { root, start_s: window.start_s, end_s: window.end_s }
}
