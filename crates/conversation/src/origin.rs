//! Where in a recording a turn was taken from.

use std::sync::Arc;

/// The recorded request that a turn replays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayOrigin {
    /// The id of the recording.
    pub trace: Arc<str>,
    pub place: RecordedPlace,
    pub line: RecordedLine,
    pub blocks: BlockReuse,
}

/// Where a request stands among the entries of its recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordedPlace {
    pub entry: u32,
    /// Its place within the entry, which is an agent's with requests of its own.
    pub inner: Option<u32>,
}

/// Whose request it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedLine {
    /// The session's own.
    Main,
    /// An agent that was recognised among the session's own requests.
    Flat,
    /// An agent's that was recorded as one.
    Subagent,
}

impl RecordedLine {
    /// As records spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Main => "weka_main",
            Self::Flat => "weka_flat",
            Self::Subagent => "weka_subagent",
        }
    }
}

/// Blocks of a prompt, and how many of its first ones requests before it had brought to the server: what a cache that
/// forgets nothing would have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlockReuse {
    pub blocks: u32,
    pub reused: u32,
}
