//! Benchmarks whose prompt is the question itself: AIME of a year, MATH-500 and GSM8K.

use super::{LoadRows, split};
use crate::row::numbered;
use crate::{DataSetPart, Question, RowError};

const REASONING_TOKENS: u32 = 32_768;

pub(super) fn aime_of_a_year(task: &str, load: &mut LoadRows<'_>) -> Result<Vec<Question>, RowError> {
    let rows = split(load, "train")?;
    let question = |row: crate::row::NumberedRow<'_>| {
        Ok(Question::of_one_message(task, row.text("problem")?, row.text("answer")?, REASONING_TOKENS))
    };
    numbered(&rows).map(question).collect()
}

pub(super) fn math_500(load: &mut LoadRows<'_>) -> Result<Vec<Question>, RowError> {
    let rows = split(load, "test")?;
    let question = |row: crate::row::NumberedRow<'_>| {
        Ok(Question::of_one_message(
            row.text("subject")?,
            row.text("problem")?,
            row.text("solution")?,
            REASONING_TOKENS,
        ))
    };
    numbered(&rows).map(question).collect()
}

pub(super) fn gsm8k(load: &mut LoadRows<'_>) -> Result<Vec<Question>, RowError> {
    let rows = load(&DataSetPart { config: Some("main".to_owned()), split: "test" })?;
    let question = |row: crate::row::NumberedRow<'_>| {
        let prompt = format!("Question: {}\nAnswer:", row.text("question")?);
        Ok(Question::of_one_message("gsm8k", prompt, row.text("answer")?, 256))
    };
    numbered(&rows).map(question).collect()
}
