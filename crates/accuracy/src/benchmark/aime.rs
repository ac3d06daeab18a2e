//! AIME 2024 with worked examples, which are the first rows of the data set and are asked, too.

use super::{LoadRows, split};
use crate::row::{NumberedRow, numbered};
use crate::{BenchmarkSettings, Question, RowError};

pub(super) const SYSTEM_PROMPT: &str = "Please reason step by step, and put your final answer within \\boxed{}.";

const HEAD: &str = "The following are problems from the American Invitational Mathematics Examination (AIME) 2024. AIME is a \
                    prestigious high school mathematics competition known for its challenging mathematical problems.\n\n";

pub(super) fn questions(settings: &BenchmarkSettings, load: &mut LoadRows<'_>) -> Result<Vec<Question>, RowError> {
    let rows = split(load, "train")?;
    if settings.shots > rows.len() {
        return Err(RowError::TooManyShots { shots: settings.shots, available: rows.len() });
    }
    let examples = numbered(&rows).take(settings.shots).map(|row| example(&row, settings.chain_of_thought));
    let examples = examples.collect::<Result<String, RowError>>()?;
    let head = if settings.shots == 0 { "" } else { HEAD };
    let tail = if settings.chain_of_thought {
        "Let's think step-by-step."
    } else {
        "No explanation needed. Just return a number."
    };
    let question = |row: NumberedRow<'_>| {
        let prompt = format!("{head}{examples}**Problem**: {}\n**Answer**: \n\n{tail}", row.text("Problem")?);
        Ok(Question::of_one_message("aime", prompt, row.text("Answer")?, 32_768))
    };
    numbered(&rows).map(question).collect()
}

fn example(row: &NumberedRow<'_>, chain_of_thought: bool) -> Result<String, RowError> {
    let solution = if chain_of_thought { format!("\n**Solution**: {}", row.text("Solution")?) } else { String::new() };
    Ok(format!("**Problem**: {}{solution}\n**Answer**: {}\n\n", row.text("Problem")?, row.text("Answer")?))
}
