//! Conversations as tests write them: only what a schedule needs.

use std::sync::Arc;

use aiperf_conversation::{
    Branch, BranchKind, ContextMode, ConversationIndex, Lineage, Orchestrator, Round, ThinkTime,
};

use super::ms;
use crate::plan::{PreparedConversation, PreparedTurn};

fn of_turns(turns: usize, context_mode: ContextMode) -> PreparedConversation {
    let turn = |index: usize| PreparedTurn {
        needs_replies: index > 0 && context_mode == ContextMode::DeltasWithoutResponses,
        timestamp_ms: None,
        recorded: None,
        answered_before: Vec::new(),
        delay: None,
        branches: Vec::new(),
    };
    PreparedConversation {
        session_id: Arc::from("conversation"),
        turns: (0..turns).map(turn).collect(),
        lineage: Lineage::Root,
        context_mode,
    }
}

/// Turns whose bodies do not depend on replies.
pub(crate) fn conversation(turns: usize) -> PreparedConversation {
    of_turns(turns, ContextMode::MessageArrayWithResponses)
}

/// Turns that carry the server's own replies.
pub(crate) fn chat(turns: usize) -> PreparedConversation {
    of_turns(turns, ContextMode::DeltasWithoutResponses)
}

/// Rounds of children, each after a pause.
pub(crate) fn orchestrator(rounds: &[(ThinkTime, &[usize])]) -> PreparedConversation {
    let rounds = rounds.iter().map(|(think, children)| Round { think: *think, children: indices(children) }).collect();
    PreparedConversation { lineage: Lineage::Orchestrator(Orchestrator { rounds }), ..conversation(0) }
}

fn indices(children: &[usize]) -> Vec<ConversationIndex> {
    children.iter().copied().map(ConversationIndex).collect()
}

impl PreparedConversation {
    /// Only other conversations start it.
    pub(crate) fn child(self) -> Self {
        Self { lineage: Lineage::Child, ..self }
    }

    /// Starts others before its first turn.
    pub(crate) fn spawns_before(self, children: &[usize]) -> Self {
        Self { lineage: Lineage::RootWithSpawns(indices(children)), ..self }
    }

    pub(crate) fn delay(mut self, turn: usize, millis: u64) -> Self {
        self.turns[turn].delay = Some(ms(millis));
        self
    }

    pub(crate) fn timestamps(mut self, millis: &[f64]) -> Self {
        for (turn, at) in self.turns.iter_mut().zip(millis) {
            turn.timestamp_ms = Some(*at);
        }
        self
    }

    /// When each turn was sent within its recording.
    pub(crate) fn recorded(mut self, millis: &[u64]) -> Self {
        for (turn, at) in self.turns.iter_mut().zip(millis) {
            turn.recorded = Some(ms(*at));
        }
        self
    }

    pub(crate) fn answered_before(mut self, turn: usize, others: &[(usize, usize)]) -> Self {
        self.turns[turn].answered_before = others.to_vec();
        self
    }

    pub(crate) fn spawn(self, turn: usize, children: &[usize], join_at: Option<usize>) -> Self {
        self.branch(turn, BranchKind::Spawn { join_at }, children)
    }

    pub(crate) fn fork(self, turn: usize, children: &[usize], background: bool) -> Self {
        self.branch(turn, BranchKind::Fork { background }, children)
    }

    fn branch(mut self, turn: usize, kind: BranchKind, children: &[usize]) -> Self {
        self.turns[turn].branches.push(Branch { kind, children: indices(children) });
        self
    }
}
