//! MMLU: questions with four choices on 57 subjects. The prompt is that of its authors (Hendrycks and others 2021).

use std::collections::BTreeMap;

use super::LoadRows;
use crate::random::PythonRandom;
use crate::row::{NumberedRow, numbered};
use crate::tasks::{MMLU_SUBJECTS, chosen};
use crate::{BenchmarkSettings, DataSetPart, Question, QuestionMessage, QuestionRole, RowError};

/// A question with its choices, and the letter of the right one.
#[derive(Clone)]
struct ChoiceQuestion {
    text: String,
    letter: char,
    right_choice: String,
}

pub(super) fn questions(settings: &BenchmarkSettings, load: &mut LoadRows<'_>) -> Result<Vec<Question>, RowError> {
    let mut questions = Vec::new();
    for subject in chosen(&settings.tasks, MMLU_SUBJECTS, "subjects")? {
        let mut part = |split| load(&DataSetPart { config: Some(subject.to_owned()), split });
        let blocks = |rows: &[_]| numbered(rows).map(|row| block(&row)).collect::<Result<Vec<_>, _>>();
        let asked = blocks(&part("test")?)?;
        let mut examples = Vec::new();
        if settings.shots > 0 {
            let mut rows = part("dev")?;
            if rows.is_empty() {
                rows = part("validation")?;
            }
            examples = balanced(&blocks(&rows)?, settings.shots);
        }
        questions.extend(asked.iter().map(|block| question(subject, &examples, block, settings.chain_of_thought)));
    }
    Ok(questions)
}

fn block(row: &NumberedRow<'_>) -> Result<ChoiceQuestion, RowError> {
    let choices = row.texts("choices")?;
    let letter = row.letter("answer")?;
    let right_choice = choices.get(letter as usize - 'A' as usize).cloned().unwrap_or_default();
    let mut text = format!("Question: {}", row.text("question")?);
    for (letter, choice) in ('A'..).zip(&choices) {
        text += &format!("\n{letter}. {choice}");
    }
    Ok(ChoiceQuestion { text, letter, right_choice })
}

/// Examples with as many different right choices as possible: one of each in turn, the most frequent first. Random numbers with the
/// seed 0 decide between equally frequent choices, and between the examples of a choice.
fn balanced(blocks: &[ChoiceQuestion], count: usize) -> Vec<ChoiceQuestion> {
    let mut random = PythonRandom::new(0);
    let mut by_choice: BTreeMap<&str, Vec<&ChoiceQuestion>> = BTreeMap::new();
    for block in blocks {
        by_choice.entry(&block.right_choice).or_default().push(block);
    }
    let mut by_frequency: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (choice, blocks) in &by_choice {
        by_frequency.entry(blocks.len()).or_default().push(choice);
    }
    let mut order = Vec::new();
    for choices in by_frequency.values_mut().rev() {
        random.shuffle(choices);
        order.extend(choices.iter().copied());
    }
    let mut examples = Vec::new();
    for choice in order.iter().cycle().take(order.len() * blocks.len()) {
        if examples.len() == count {
            break;
        }
        if let Some(left) = by_choice.get_mut(choice).filter(|left| !left.is_empty()) {
            examples.push(left.remove(random.below(left.len())).clone());
        }
    }
    examples
}

fn question(subject: &str, examples: &[ChoiceQuestion], asked: &ChoiceQuestion, chain_of_thought: bool) -> Question {
    let (reason, step) = if chain_of_thought {
        (
            " Think step by step and then output the answer in the format of \"The answer is (X)\" at the end.",
            "\nLet's think step by step.",
        )
    } else {
        ("", "")
    };
    let mut next = format!(
        "The following are multiple choice questions (with answers) about {}.{reason}\n\n",
        subject.replace('_', " ")
    );
    let mut prompt = next.clone();
    let mut messages = Vec::new();
    let user = |content: String| QuestionMessage { role: QuestionRole::User, content };
    for example in examples {
        let answer = format!(" {}", example.letter);
        prompt += &format!("{}\nAnswer:{answer}\n\n", example.text);
        messages.push(user(format!("{}{}\nAnswer:", std::mem::take(&mut next), example.text)));
        messages.push(QuestionMessage { role: QuestionRole::Assistant, content: answer });
    }
    let last = format!("{}{step}\nAnswer:", asked.text);
    prompt += &last;
    messages.push(user(next + &last));
    Question {
        task: subject.to_owned(),
        messages,
        prompt,
        gold: format!(" {}", asked.letter),
        max_tokens: if chain_of_thought { 4_000 } else { 5 },
        stop: if chain_of_thought { Vec::new() } else { vec!["\n".to_owned()] },
    }
}
