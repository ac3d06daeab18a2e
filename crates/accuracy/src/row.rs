//! Rows of a data set, and the columns that benchmarks read.

use serde_json::{Map, Value};

/// One row: the values of its columns.
pub type BenchmarkRow = Map<String, Value>;

/// A part of a data set on the hub.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DataSetPart {
    /// The configuration, such as a subject of MMLU; `None` for the only one.
    pub config: Option<String>,
    pub split: &'static str,
}

/// Why a benchmark has no questions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    #[error("row {row} of the data set: the column {column:?} {problem}")]
    Column { row: usize, column: &'static str, problem: &'static str },
    #[error("unknown name {name:?} among the {kind}. Use one of: {valid}.")]
    UnknownTask { kind: &'static str, name: String, valid: String },
    #[error("\"all\" cannot be combined with other {0}.")]
    AllAndOthers(&'static str),
    #[error("{shots} examples are more than the {available} that the data set has for this benchmark.")]
    TooManyShots { shots: usize, available: usize },
    #[error("--accuracy-n-shots {0}: this benchmark has no worked examples. Leave the option out.")]
    NoShots(usize),
    #[error("--accuracy-enable-cot: this benchmark has no form with reasoning. Leave the option out.")]
    NoChainOfThought,
    #[error("{0}")]
    Load(String),
}

/// A row with its number, for messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberedRow<'r> {
    number: usize,
    row: &'r BenchmarkRow,
}

pub(crate) fn numbered(rows: &[BenchmarkRow]) -> impl Iterator<Item = NumberedRow<'_>> {
    rows.iter().enumerate().map(|(number, row)| NumberedRow { number, row })
}

impl NumberedRow<'_> {
    fn problem(&self, column: &'static str, problem: &'static str) -> RowError {
        RowError::Column { row: self.number, column, problem }
    }

    fn value(&self, column: &'static str) -> Result<&Value, RowError> {
        self.row.get(column).ok_or_else(|| self.problem(column, "is missing"))
    }

    /// A text, or a number as text.
    pub(crate) fn text(&self, column: &'static str) -> Result<String, RowError> {
        match self.value(column)? {
            Value::String(text) => Ok(text.clone()),
            Value::Number(number) => Ok(number.to_string()),
            _ => Err(self.problem(column, "is not a text")),
        }
    }

    pub(crate) fn texts(&self, column: &'static str) -> Result<Vec<String>, RowError> {
        let list = self.value(column)?.as_array().ok_or_else(|| self.problem(column, "is not a list"))?;
        let texts: Option<Vec<String>> = list.iter().map(|text| text.as_str().map(str::to_owned)).collect();
        texts.ok_or_else(|| self.problem(column, "is not a list of texts"))
    }

    /// A letter, from a letter or from its place in the alphabet.
    pub(crate) fn letter(&self, column: &'static str) -> Result<char, RowError> {
        let text = self.text(column)?;
        let place = text.parse::<u32>().ok().and_then(|place| char::from_u32(u32::from('A') + place));
        let letter = place.or_else(|| text.trim().chars().next().filter(|_| text.trim().len() == 1));
        letter.filter(char::is_ascii_uppercase).ok_or_else(|| self.problem(column, "is not a choice"))
    }
}
