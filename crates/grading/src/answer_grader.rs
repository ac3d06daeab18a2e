//! What every grader can do: rules on texts here, programs in `aiperf-code-grading`.

use std::fmt;

use crate::{Grade, Grader};

/// Grades the answers of a run, one after the other, on a thread of its own.
pub trait AnswerGrader: fmt::Debug + Send {
    /// The name in files.
    fn name(&self) -> &str;

    /// Whether grading one answer may take so much of the machine that it has to wait for the last request.
    fn waits_for_the_end(&self) -> bool {
        false
    }

    /// Grades the text of one answer. An error counts as an answer that could not be decided.
    fn grade(&mut self, answer: &str, gold: &str) -> Result<Grade, GradingError>;
}

/// Why an answer could not be graded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GradingError(pub String);

impl AnswerGrader for Grader {
    fn name(&self) -> &str {
        Grader::name(*self)
    }

    fn grade(&mut self, answer: &str, gold: &str) -> Result<Grade, GradingError> {
        Ok(Grader::grade(*self, answer, gold))
    }
}
