//! Conversations that start other conversations: forks, spawns and orchestrators.

/// Position of a conversation in its data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConversationIndex(pub usize);

/// Conversations that start when a turn has been answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    pub kind: BranchKind,
    pub children: Vec<ConversationIndex>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchKind {
    /// The children go on from the parent's history, its live reply included.
    Fork {
        /// The parent goes on too; otherwise it has ended.
        background: bool,
    },
    /// The children start with an empty history.
    Spawn {
        /// The parent's turn that waits until all children have ended; `None`: it never waits.
        join_at: Option<usize>,
    },
}

/// What a conversation is to others.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Lineage {
    /// Drawn as a session of its own. It may start others before its first turn.
    #[default]
    Root,
    RootWithSpawns(Vec<ConversationIndex>),
    /// Started by another conversation only.
    Child,
    /// A root without turns of its own: starts rounds of others, one after the other.
    Orchestrator(Orchestrator),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Orchestrator {
    pub rounds: Vec<Round>,
}

/// A pause, then children that all start together; the round ends with the last of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    pub think: ThinkTime,
    pub children: Vec<ConversationIndex>,
}

/// `median * exp(N(0, sigma))`, clamped.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ThinkTime {
    pub median_ms: f64,
    pub sigma: f64,
    pub min_ms: Option<f64>,
    pub max_ms: Option<f64>,
}
