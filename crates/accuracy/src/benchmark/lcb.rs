//! `LiveCodeBench`: programming tasks. The prompt is that of its authors (Jain and others 2024), as in lighteval.

use super::LoadRows;
use crate::row::{NumberedRow, numbered};
use crate::{BenchmarkSettings, DataSetPart, Question, RowError};

const HEAD: &str = "You will be given a question (problem specification) and will generate a correct Python program that matches the \
                    specification and passes all tests.";
const WITH_STARTER: &str = "You will use the following starter code to write the solution to the problem and enclose your code within \
                            delimiters.";
const WITH_INPUT: &str = "Read the inputs from stdin solve the problem and write the answer to stdout (do not directly test on the sample \
                          inputs). Enclose your code within delimiters as follows. Ensure that when the python program runs, it reads the \
                          inputs, runs the algorithm and writes output to STDOUT.";

const DEFAULT_RELEASE: &str = "v4_v5";

/// The columns that the grader reads.
const GOLD_COLUMNS: [&str; 4] = ["starter_code", "public_test_cases", "private_test_cases", "metadata"];

pub(super) fn questions(settings: &BenchmarkSettings, load: &mut LoadRows<'_>) -> Result<Vec<Question>, RowError> {
    if settings.shots > 0 {
        return Err(RowError::NoShots(settings.shots));
    }
    if settings.chain_of_thought {
        return Err(RowError::NoChainOfThought);
    }
    let release = settings.release.clone().unwrap_or_else(|| DEFAULT_RELEASE.to_owned());
    let rows = load(&DataSetPart { config: Some(release), split: "test" })?;
    numbered(&rows).map(|row| question(&row)).collect()
}

fn question(row: &NumberedRow<'_>) -> Result<Question, RowError> {
    let starter = row.text("starter_code")?;
    let (instruction, code) =
        if starter.is_empty() { (WITH_INPUT, "# YOUR CODE HERE") } else { (WITH_STARTER, starter.as_str()) };
    let prompt =
        format!("{HEAD}\n\nQuestion: {}\n\n{instruction}\n```python\n{code}\n```\n\n", row.text("question_content")?);
    let columns: Result<serde_json::Map<_, _>, RowError> =
        GOLD_COLUMNS.into_iter().map(|column| Ok((column.to_owned(), row.text(column)?.into()))).collect();
    let gold = serde_json::Value::Object(columns?).to_string();
    Ok(Question::of_one_message("lcb_codegeneration", prompt, gold, 32_768))
}
