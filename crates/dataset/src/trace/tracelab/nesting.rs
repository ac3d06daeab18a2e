//! Which sessions are those of agents that another session called. Logs do not say so; times do: a session that lies
//! wholly within a call that starts agents belongs to it, and to the shortest such call if there are several.

use aiperf_config::AgentDetection;

use super::session::Session;

/// Where a session belongs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Nested {
    /// The session at the top, which no other called.
    pub(super) root: usize,
    /// When it was called, and when that call ended.
    pub(super) start_s: f64,
    pub(super) end_s: f64,
}

/// A span of time in which a session may have started others.
#[derive(Debug, Clone, Copy)]
struct Window {
    caller: usize,
    start_s: f64,
    end_s: f64,
}

pub(super) fn parents(sessions: &[Session], knobs: &AgentDetection) -> Vec<Option<Nested>> {
    let windows: Vec<Window> = if knobs.join_subagents {
        sessions.iter().enumerate().flat_map(|(caller, session)| windows(caller, session, knobs)).collect()
    } else {
        Vec::new()
    };
    let callers: Vec<Option<Window>> = (0..sessions.len()).map(|place| caller(sessions, &windows, place)).collect();
    callers.iter().map(|window| window.map(|window| nested(&callers, window))).collect()
}

fn windows(caller: usize, session: &Session, knobs: &AgentDetection) -> Vec<Window> {
    let tools = || session.rounds.iter().flat_map(|round| &round.tools);
    match session.owner.provider.as_str() {
        "codex" if knobs.join_codex_subagents => {
            let first = tools().filter(|tool| tool.name == "spawn_agent").map(|tool| tool.start_s);
            let last = tools().filter(|tool| tool.name == "wait_agent").map(|tool| tool.end_s);
            let (start_s, end_s) = (first.fold(f64::INFINITY, f64::min), last.fold(f64::NEG_INFINITY, f64::max));
            if start_s < end_s { vec![Window { caller, start_s, end_s }] } else { Vec::new() }
        }
        "codex" => Vec::new(),
        _ => tools()
            .filter(|tool| matches!(tool.name.as_str(), "Agent" | "Task"))
            .filter(|tool| (tool.end_s - tool.start_s) * 1e3 >= knobs.min_spawn_ms)
            .map(|tool| Window { caller, start_s: tool.start_s, end_s: tool.end_s })
            .collect(),
    }
}

/// The shortest span of another session that this one lies in.
fn caller(sessions: &[Session], windows: &[Window], place: usize) -> Option<Window> {
    let session = &sessions[place];
    let holds = |window: &&Window| {
        // One that began at the same time is not its caller; so nobody calls itself, whatever the times.
        sessions[window.caller].start_s() < session.start_s()
            && sessions[window.caller].owner == session.owner
            && window.start_s <= session.start_s()
            && session.end_s() <= window.end_s
    };
    let length = |window: &Window| window.end_s - window.start_s;
    windows.iter().filter(holds).min_by(|a, b| length(a).total_cmp(&length(b))).copied()
}

/// Up to the top: an agent that another agent called counts as called by the first of them.
fn nested(callers: &[Option<Window>], window: Window) -> Nested {
    let mut root = window.caller;
    while let Some(above) = callers[root] {
        root = above.caller;
    }
    Nested { root, start_s: window.start_s, end_s: window.end_s }
}
