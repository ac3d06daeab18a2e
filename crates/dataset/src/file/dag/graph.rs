//! The graph of the conversations of a file: which ones are children, and which edges are not allowed.

use aiperf_conversation::{BranchKind, ContextMode, Conversation, ConversationIndex, Lineage};
use serde_json::Value;

use super::{GraphError, cycle};

/// The number of conversations of a cycle that an error names.
const SHOWN_STEPS: usize = 8;

/// An edge from a conversation to one that it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Edge {
    parent: usize,
    child: usize,
    kind: EdgeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EdgeKind {
    Fork { turn: usize },
    Spawn,
    BeforeFirstTurn,
}

/// Checks the graph, and marks the conversations that others start as children.
pub(super) fn connect(conversations: &mut [Conversation]) -> Result<(), GraphError> {
    let edges = edges(conversations);
    refuse_cycles(conversations, &edges)?;
    let forked_by = forks(conversations, &edges)?;
    for edge in &edges {
        let fault = |problem: String| GraphError { place: edge.child, problem };
        let (name, parent) = (name(conversations, edge.child), name(conversations, edge.parent));
        if edge.kind == EdgeKind::BeforeFirstTurn && forked_by[edge.child].is_some() {
            return Err(fault(format!(
                "session {name}: {parent} starts it before its first turn, when there is no history to fork; it cannot \
                 also be forked"
            )));
        }
        let child = &mut conversations[edge.child];
        match &child.lineage {
            Lineage::Root | Lineage::Child => child.lineage = Lineage::Child,
            Lineage::RootWithSpawns(_) => {
                return Err(fault(format!(
                    "session {name}: pre_session_spawns start before the first turn of a root, but {parent} starts this \
                     one"
                )));
            }
            Lineage::Orchestrator(_) => {
                return Err(fault(format!("session {name}: an orchestrator is a root, but {parent} starts this one")));
            }
        }
    }
    conversations.iter().enumerate().try_for_each(|(place, conversation)| {
        system_messages(conversation, forked_by[place].is_some()).map_err(|problem| GraphError { place, problem })
    })
}

fn name(conversations: &[Conversation], place: usize) -> String {
    format!("{:?}", &*conversations[place].session_id.0)
}

fn edges(conversations: &[Conversation]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (parent, conversation) in conversations.iter().enumerate() {
        let mut add = |kind: EdgeKind, children: &[ConversationIndex]| {
            edges.extend(children.iter().map(|child| Edge { parent, child: child.0, kind }));
        };
        match &conversation.lineage {
            Lineage::Root | Lineage::Child => {}
            Lineage::RootWithSpawns(children) => add(EdgeKind::BeforeFirstTurn, children),
            Lineage::Orchestrator(orchestrator) => {
                // A number of rounds repeats the children of the first.
                let mut previous: &[ConversationIndex] = &[];
                for round in &orchestrator.rounds {
                    if round.children != previous {
                        add(EdgeKind::Spawn, &round.children);
                    }
                    previous = &round.children;
                }
            }
        }
        for (turn, branch) in
            conversation.turns.iter().enumerate().flat_map(|(n, t)| t.branches.iter().map(move |b| (n, b)))
        {
            let kind = match branch.kind {
                BranchKind::Fork { .. } => EdgeKind::Fork { turn },
                BranchKind::Spawn { .. } => EdgeKind::Spawn,
            };
            add(kind, &branch.children);
        }
    }
    edges
}

/// The one turn that forks each conversation. A second one would give it another history.
fn forks(conversations: &[Conversation], edges: &[Edge]) -> Result<Vec<Option<Edge>>, GraphError> {
    let mut forked_by: Vec<Option<Edge>> = vec![None; conversations.len()];
    for edge in edges {
        let EdgeKind::Fork { turn } = edge.kind else { continue };
        let child = name(conversations, edge.child);
        if conversations[edge.child].context_mode == ContextMode::MessageArrayWithResponses {
            let problem = format!(
                "session {child}: with context_mode message_array_with_responses it would drop the history that turn {turn} \
                 of {} forks to it; spawn it instead",
                name(conversations, edge.parent)
            );
            return Err(GraphError { place: edge.child, problem });
        }
        if let Some(Edge { parent, kind: EdgeKind::Fork { turn: first }, .. }) = forked_by[edge.child] {
            let problem = format!(
                "session {}, turn {turn}: forks {child}, which turn {first} of {} forks already; a forked conversation has \
                 one parent",
                name(conversations, edge.parent),
                name(conversations, parent)
            );
            return Err(GraphError { place: edge.parent, problem });
        }
        forked_by[edge.child] = Some(*edge);
    }
    Ok(forked_by)
}

fn refuse_cycles(conversations: &[Conversation], edges: &[Edge]) -> Result<(), GraphError> {
    let steps = edges.iter().map(|edge| (edge.parent, edge.child));
    let Some(cycle) = cycle::find(conversations.len(), steps) else { return Ok(()) };
    let place = cycle[0];
    let mut round: Vec<String> = cycle.iter().take(SHOWN_STEPS).map(|step| name(conversations, *step)).collect();
    if cycle.len() > SHOWN_STEPS {
        round.push("...".to_owned());
    }
    round.push(name(conversations, place));
    let problem = format!("session {}: starts itself: {}", name(conversations, place), round.join(" -> "));
    Err(GraphError { place, problem })
}

/// Checks that system messages come first: chat templates do not accept them anywhere else.
fn system_messages(conversation: &Conversation, forked: bool) -> Result<(), String> {
    let whole_arrays = conversation.context_mode == ContextMode::MessageArrayWithResponses;
    for (turn, described) in conversation.turns.iter().enumerate() {
        for (index, message) in described.raw_messages.iter().flatten().enumerate() {
            let at_start = index == 0 && (whole_arrays || turn == 0 && !forked);
            if message.get("role").and_then(Value::as_str) == Some("system") && !at_start {
                let why = if forked { ", and a forked child continues its parent's" } else { "" };
                return Err(format!(
                    "session {:?}, turn {turn}: message {index} is a system message; it may only be the first of all \
                     messages{why}",
                    &*conversation.session_id.0
                ));
            }
        }
    }
    Ok(())
}
