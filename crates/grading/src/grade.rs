//! What a grader says about one answer, in the fields of `accuracy_export.jsonl`.

use serde::Serialize;

/// Whether an answer counts as correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correctness {
    Right,
    Wrong,
}

impl Correctness {
    pub fn is_right(self) -> bool {
        self == Self::Right
    }
}

impl From<bool> for Correctness {
    fn from(right: bool) -> Self {
        if right { Self::Right } else { Self::Wrong }
    }
}

impl Serialize for Correctness {
    /// `accuracy_export.jsonl` has the verdict as a truth value, `passed`.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(self.is_right())
    }
}

/// The grade of one answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Grade {
    #[serde(rename = "passed")]
    pub verdict: Correctness,
    /// The answer did not have the expected form, or the grader could not decide whether it equals the gold answer. An unparsed
    /// answer can still be right.
    pub unparsed: bool,
    /// 1 for a decision by rule. 0 if the grader could not decide.
    pub confidence: f64,
    /// What was expected, in the form that was compared.
    pub expected: String,
    /// What was found in the answer, in the form that was compared.
    pub actual: String,
    /// How the grader came to its verdict.
    pub explanation: String,
}

impl Grade {
    /// A grade that follows from a rule.
    pub(crate) fn decided(
        right: bool,
        unparsed: bool,
        expected: impl Into<String>,
        actual: impl Into<String>,
        explanation: impl Into<String>,
    ) -> Self {
        Self {
            verdict: right.into(),
            unparsed,
            confidence: 1.0,
            expected: expected.into(),
            actual: actual.into(),
            explanation: explanation.into(),
        }
    }

    /// An answer that the grader cannot compare with the gold answer. It counts as wrong and as unparsed.
    pub fn undecided(expected: impl Into<String>, actual: impl Into<String>, explanation: impl Into<String>) -> Self {
        Self { confidence: 0.0, ..Self::decided(false, true, expected, actual, explanation) }
    }
}
