//! Files of the user's own that a run leaves among its results.

use serde_json::{Map, Value};

/// One file. Its templates are rendered when the run starts.
#[derive(Debug, Clone, PartialEq)]
pub struct UserFile {
    /// Within the artifact folder; may have templates.
    pub path: String,
    pub format: UserFileFormat,
    pub content: Value,
    /// The variables of the configuration file.
    pub variables: Map<String, Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserFileFormat {
    Json,
    Yaml,
    Text,
}
