//! A programming task with its tests, in the columns of `LiveCodeBench`.

use std::io::Read;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::read::ZlibDecoder;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use crate::pickled_text::{PickleError, pickled_text};

/// Bytes of the private tests of one task after decompression, at most.
const MAX_TESTS: u64 = 512 << 20;

/// One test: what the program gets, and what it must give.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CodeTest {
    pub input: String,
    pub output: String,
}

/// The tests of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeTask {
    pub tests: Vec<CodeTest>,
    /// The function that the tests call. Without it a program reads standard input and writes standard output.
    pub function: Option<String>,
}

/// Why a row is not a task.
#[derive(Debug, Error)]
pub enum CodeTaskError {
    #[error("the task is not a JSON object with tests: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the private tests are not base64: {0}")]
    Base64(#[from] base64::DecodeError),
    #[error("the private tests cannot be decompressed: {0}")]
    Compression(#[from] std::io::Error),
    #[error("the private tests cannot be read: {0}")]
    Pickle(#[from] PickleError),
    #[error("the private tests have more than {} MiB", MAX_TESTS >> 20)]
    TooLarge,
    #[error("the task has no tests")]
    NoTests,
}

/// The columns of a row that hold tests. Some copies of the data have JSON in a text, others have it directly.
#[derive(Deserialize)]
struct Columns {
    #[serde(default)]
    public_test_cases: Value,
    #[serde(default)]
    private_test_cases: Value,
    #[serde(default)]
    metadata: Value,
}

impl CodeTask {
    /// Reads a JSON object with `public_test_cases`, `private_test_cases` and `metadata`.
    pub fn from_json(text: &str) -> Result<Self, CodeTaskError> {
        let columns: Columns = serde_json::from_str(text)?;
        let mut tests = tests_of(columns.public_test_cases)?;
        tests.extend(private_tests(columns.private_test_cases)?);
        if tests.is_empty() {
            return Err(CodeTaskError::NoTests);
        }
        let metadata = parsed(columns.metadata)?;
        let function = metadata["func_name"].as_str().filter(|name| !name.is_empty()).map(str::to_owned);
        Ok(Self { tests, function })
    }
}

fn parsed(value: Value) -> Result<Value, serde_json::Error> {
    match value {
        Value::String(text) if !text.is_empty() => serde_json::from_str(&text),
        Value::String(_) => Ok(Value::Null),
        other => Ok(other),
    }
}

fn tests_of(value: Value) -> Result<Vec<CodeTest>, CodeTaskError> {
    match parsed(value)? {
        Value::Null => Ok(Vec::new()),
        list => Ok(serde_json::from_value(list)?),
    }
}

/// Private tests are a JSON list, or base64 of a compressed pickle of a JSON text.
fn private_tests(value: Value) -> Result<Vec<CodeTest>, CodeTaskError> {
    let Value::String(text) = &value else { return tests_of(value) };
    if text.trim().is_empty() || text.trim_start().starts_with('[') {
        return tests_of(value);
    }
    let compressed = BASE64_STANDARD.decode(text.trim())?;
    let mut pickle = Vec::new();
    ZlibDecoder::new(compressed.as_slice()).take(MAX_TESTS + 1).read_to_end(&mut pickle)?;
    if pickle.len() as u64 > MAX_TESTS {
        return Err(CodeTaskError::TooLarge);
    }
    tests_of(Value::String(pickled_text(&pickle)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `base64.b64encode(zlib.compress(pickle.dumps(json.dumps([{"input": "3", "output": "9", "testtype": "stdin"}]))))`
    const PRIVATE: &str = "eJxrYJlqwQABPSbR1UqZeQWlJUpWCkrGSjoKSvmlJVCuJYhbklpcUlJZkAoSKC5JycxTqo2dogcAOxoSsw==";

    #[test]
    fn public_and_private_tests_are_read() {
        let text = format!(
            r#"{{"public_test_cases": "[{{\"input\": \"2\", \"output\": \"4\", \"testtype\": \"stdin\"}}]", "private_test_cases": "{PRIVATE}", "metadata": "{{\"func_name\": \"square\"}}"}}"#
        );
        let task = CodeTask::from_json(&text).unwrap();
        let test = |input: &str, output: &str| CodeTest { input: input.into(), output: output.into() };
        assert_eq!(task, CodeTask { tests: vec![test("2", "4"), test("3", "9")], function: Some("square".into()) });
    }

    #[test]
    fn a_row_without_tests_or_with_damaged_ones_is_refused() {
        for row in [
            "{}",
            "[]",
            r#"{"private_test_cases": "!"}"#,
            r#"{"private_test_cases": "AAAA"}"#,
            r#"{"public_test_cases": "[1]"}"#,
        ] {
            assert!(CodeTask::from_json(row).is_err(), "{row}");
        }
    }
}
