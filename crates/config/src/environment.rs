//! What a run is resolved in: the terminal, the environment variables, the working folder. Handed in, so that the same
//! options give the same configuration wherever a test runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::{Config, Extensions, FileFormat};

#[derive(Debug, Clone, Default)]
pub struct Environment {
    pub stdout_is_terminal: bool,
    pub stderr_is_terminal: bool,
    pub variables: BTreeMap<String, String>,
    pub current_dir: PathBuf,
    /// Looks at the beginning of an input file, if there is someone who can read one.
    pub peek: Option<Peek>,
    /// Asks the server of a run for its models, if there is someone who can.
    pub listed_models: Option<ListModels>,
    /// Checks payload templates and response fields, if there is someone who can compile them. Without, they are first read when a
    /// run is prepared.
    pub expressions: Option<ExpressionChecks>,
    /// What plugin packs add.
    pub extensions: Extensions,
}

/// Checks for options whose values are programs in a small language. Each error names what is wrong.
#[derive(Debug, Clone, Copy)]
pub struct ExpressionChecks {
    /// Reads a payload template (Jinja); says whether it can write the token limit of a turn.
    pub payload_template: fn(&str) -> Result<bool, String>,
    /// Reads the place of content in a response (`JMESPath`).
    pub response_field: fn(&str) -> Result<(), String>,
}

/// The models that the first server of a run lists; or why it lists none.
pub type ListModels = fn(&Config) -> Result<Vec<String>, String>;

/// Looks at the beginning of a file, whose format may have been named.
pub type Peek = fn(&Path, Option<FileFormat>) -> Option<FilePeek>;

/// What the beginning of an input file tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilePeek {
    /// The format that was named, or the only one that fits.
    pub format: FileFormat,
    /// The first row says when it is due.
    pub has_time: bool,
}
