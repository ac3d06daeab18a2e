//! A tool call that a model asked for.

/// A call that the model asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// Empty if the server sent none.
    pub id: String,
    pub name: String,
    /// JSON as text, the way the model wrote it; of a custom tool any text.
    pub arguments: String,
    pub kind: ToolKind,
}

/// What is called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolKind {
    #[default]
    Function,
    /// A tool with a grammar of the user's own.
    Custom,
}
