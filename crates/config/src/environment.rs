//! What a run is resolved in: the terminal, the environment variables, the working folder. Handed in, so that the same
//! options give the same configuration wherever a test runs.

use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Debug, Clone, Default)]
pub struct Environment {
    pub stdout_is_terminal: bool,
    pub stderr_is_terminal: bool,
    pub variables: BTreeMap<String, String>,
    pub current_dir: PathBuf,
}
