//! Requests that were sent and have no record in the records file.

/// How many they are, and whether the summary includes them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LostRecords {
    pub count: u64,
    /// The numbers cover them: they were lost on their way to the file. Not so in a summary that was made from the file.
    pub are_counted: bool,
}

impl LostRecords {
    pub const fn any(self) -> bool {
        self.count > 0
    }
}
