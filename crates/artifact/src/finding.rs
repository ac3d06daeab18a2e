//! One thing that is not as it should be in a folder.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file, relative to the folder.
    pub file: String,
    /// The line, if the file has one for each record.
    pub line: Option<usize>,
    pub problem: String,
}

impl Finding {
    pub(crate) fn of(file: &str, problem: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: None, problem: problem.into() }
    }

    pub(crate) fn at(file: &str, line: usize, problem: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: Some(line), problem: problem.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.problem),
            None => write!(f, "{}: {}", self.file, self.problem),
        }
    }
}
