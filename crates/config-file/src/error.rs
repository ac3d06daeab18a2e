//! Why a configuration file cannot be used: the file, the line and column, the path of the key, and what to do.

use std::fmt;

use thiserror::Error;

use crate::yaml::Position;

/// One problem of a configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct FileError {
    /// As the user named it; empty until the reader of the file adds it.
    file: String,
    position: Option<Position>,
    /// The keys that lead to the place, with dots between them.
    path: String,
    problem: String,
}

impl FileError {
    pub fn new(problem: impl Into<String>) -> Self {
        Self { file: String::new(), position: None, path: String::new(), problem: problem.into() }
    }

    pub fn at(position: Position, path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { file: String::new(), position: Some(position), path: path.into(), problem: problem.into() }
    }

    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        file.clone_into(&mut self.file);
        self
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(Position { line, column }) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        if !self.file.is_empty() || self.position.is_some() {
            f.write_str(": ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.problem)
    }
}
