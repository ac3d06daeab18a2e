//! Connections that a worker opens before a phase starts (`--preconnect`).

/// Connections to one server that requests of a worker will need at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConnectionsAhead {
    /// Index into the plan's targets.
    pub(crate) target: usize,
    pub(crate) count: usize,
}

/// How many of the connections that one worker was asked for were opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Preconnected {
    pub(crate) opened: usize,
    pub(crate) failed: usize,
    /// Why the first one failed.
    pub(crate) failure: Option<String>,
}

impl Preconnected {
    pub(crate) fn add(&mut self, more: Self) {
        self.opened += more.opened;
        self.failed += more.failed;
        self.failure = self.failure.take().or(more.failure);
    }
}
