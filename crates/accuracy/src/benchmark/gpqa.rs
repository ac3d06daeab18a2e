//! GPQA Diamond: questions with four choices, in an order that follows from the question. The prompt is that of `simple-evals`.

use sha2::{Digest, Sha256};

use super::LoadRows;
use crate::random::PythonRandom;
use crate::row::{NumberedRow, numbered};
use crate::{DataSetPart, Question, RowError};

const HEAD: &str = "Answer the following multiple choice question. The last line of your response should be of the following format: \
                    'Answer: $LETTER' (without quotes) where LETTER is one of ABCD. Think step by step before answering.";

pub(super) fn questions(load: &mut LoadRows<'_>) -> Result<Vec<Question>, RowError> {
    let rows = load(&DataSetPart { config: Some("gpqa_diamond".to_owned()), split: "train" })?;
    numbered(&rows).map(|row| question(&row)).collect()
}

fn question(row: &NumberedRow<'_>) -> Result<Question, RowError> {
    let text = row.text("Question")?;
    let columns = ["Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3"];
    let mut order = [0, 1, 2, 3];
    PythonRandom::new(seed(&text)).shuffle(&mut order);
    let mut prompt = format!("{HEAD}\n\n{text}\n");
    let mut gold = 'A';
    for (letter, choice) in ('A'..).zip(order) {
        prompt += &format!("\n{letter}) {}", row.text(columns[choice])?);
        if choice == 0 {
            gold = letter;
        }
    }
    Ok(Question::of_one_message("gpqa_diamond", prompt, gold, 32_768))
}

/// The last four bytes of the hash of a question.
fn seed(question: &str) -> u32 {
    let hash = Sha256::digest(question.as_bytes());
    hash.iter().skip(28).fold(0, |seed, byte| seed << 8 | u32::from(*byte))
}
