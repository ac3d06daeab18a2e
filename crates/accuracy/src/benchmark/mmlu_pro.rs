//! MMLU-Pro: questions with up to ten choices in 14 categories. The prompt is that of its authors (Wang and others 2024).

use super::{LoadRows, split};
use crate::row::{NumberedRow, numbered};
use crate::tasks::{MMLU_PRO_CATEGORIES, chosen};
use crate::{BenchmarkSettings, Question, RowError};

pub(super) fn questions(settings: &BenchmarkSettings, load: &mut LoadRows<'_>) -> Result<Vec<Question>, RowError> {
    let categories = chosen(&settings.tasks, MMLU_PRO_CATEGORIES, "categories")?;
    let (asked, examples) = (split(load, "test")?, split(load, "validation")?);
    let mut questions = Vec::new();
    for row in numbered(&asked) {
        let category = row.text("category")?;
        if !categories.contains(&category.as_str()) {
            continue;
        }
        let reason = if settings.chain_of_thought {
            " Think step by step and then output the answer in the format of \"The answer is (X)\" at the end."
        } else {
            ""
        };
        let mut prompt =
            format!("The following are multiple choice questions (with answers) about {category}.{reason}\n\n");
        let of_category = numbered(&examples).filter(|row| row.text("category").is_ok_and(|found| found == category));
        for example in of_category.take(settings.shots) {
            let answer = if settings.chain_of_thought {
                let text = example.text("cot_content")?;
                text.strip_prefix("A: ").map(str::to_owned).unwrap_or(text)
            } else {
                example.letter("answer")?.to_string()
            };
            prompt += &block(&example, &answer)?;
        }
        prompt += &block(&row, if settings.chain_of_thought { "Let's think step by step." } else { "" })?;
        questions.push(Question::of_one_message(category, prompt, row.letter("answer")?, 4_000));
    }
    Ok(questions)
}

fn block(row: &NumberedRow<'_>, answer: &str) -> Result<String, RowError> {
    let choices: Vec<String> = row.texts("options")?.into_iter().filter(|choice| choice != "N/A").collect();
    let lines: Vec<String> = ('A'..).zip(choices).map(|(letter, choice)| format!("{letter}. {choice}")).collect();
    Ok(format!("Question: {}\nOptions: {}\nAnswer: {answer}\n\n", row.text("question")?, lines.join("\n")))
}
