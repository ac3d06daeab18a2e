//! What the program that made a run was built from.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramBuild {
    /// Commit of the source, if it was known when the program was built.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub commit: Option<String>,
    /// Profile of Cargo: `dist`, `release` or `debug`.
    pub profile: String,
    /// Platform that it was built for, for example `x86_64-unknown-linux-musl`.
    pub target: String,
}

impl ProgramBuild {
    /// The key of the summary that has it.
    pub const KEY: &str = "build";
}
