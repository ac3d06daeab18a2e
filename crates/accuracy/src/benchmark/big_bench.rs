//! BIG-Bench Hard: 27 tasks, each with three worked examples of its authors (Suzgun and others 2022), in the form of `DeepEval`.

use super::LoadRows;
use crate::row::{NumberedRow, numbered};
use crate::tasks::chosen;
use crate::{BenchmarkSettings, DataSetPart, Question, RowError};

/// What the answer to a question of a task looks like.
#[derive(Clone, Copy)]
enum AnswerForm {
    TrueOrFalse,
    YesOrNo,
    LowerYesOrNo,
    InvalidOrValid,
    Number,
    Words,
    Brackets,
    /// This many letters in brackets.
    Letters(u8),
}

struct Task {
    name: &'static str,
    form: AnswerForm,
    /// The description and the examples, separated by empty lines.
    chain_of_thought: &'static str,
    answer_only: &'static str,
}

macro_rules! tasks {
    ($($name:literal $form:expr;)*) => {
        &[$(Task {
            name: $name,
            form: $form,
            chain_of_thought: include_str!(concat!("../../data/bbh/chain_of_thought/", $name, ".txt")),
            answer_only: include_str!(concat!("../../data/bbh/answer_only/", $name, ".txt")),
        }),*]
    };
}

const TASKS: &[Task] = tasks! {
    "boolean_expressions" AnswerForm::TrueOrFalse;
    "causal_judgement" AnswerForm::YesOrNo;
    "date_understanding" AnswerForm::Letters(6);
    "disambiguation_qa" AnswerForm::Letters(3);
    "dyck_languages" AnswerForm::Brackets;
    "formal_fallacies" AnswerForm::InvalidOrValid;
    "geometric_shapes" AnswerForm::Letters(11);
    "hyperbaton" AnswerForm::Letters(2);
    "logical_deduction_five_objects" AnswerForm::Letters(5);
    "logical_deduction_seven_objects" AnswerForm::Letters(7);
    "logical_deduction_three_objects" AnswerForm::Letters(3);
    "movie_recommendation" AnswerForm::Letters(5);
    "multistep_arithmetic_two" AnswerForm::Number;
    "navigate" AnswerForm::YesOrNo;
    "object_counting" AnswerForm::Number;
    "penguins_in_a_table" AnswerForm::Letters(5);
    "reasoning_about_colored_objects" AnswerForm::Letters(18);
    "ruin_names" AnswerForm::Letters(4);
    "salient_translation_error_detection" AnswerForm::Letters(6);
    "snarks" AnswerForm::Letters(2);
    "sports_understanding" AnswerForm::LowerYesOrNo;
    "temporal_sequences" AnswerForm::Letters(4);
    "tracking_shuffled_objects_five_objects" AnswerForm::Letters(5);
    "tracking_shuffled_objects_seven_objects" AnswerForm::Letters(7);
    "tracking_shuffled_objects_three_objects" AnswerForm::Letters(3);
    "web_of_lies" AnswerForm::YesOrNo;
    "word_sorting" AnswerForm::Words;
};

pub(super) fn questions(settings: &BenchmarkSettings, load: &mut LoadRows<'_>) -> Result<Vec<Question>, RowError> {
    let names: Vec<&str> = TASKS.iter().map(|task| task.name).collect();
    let mut questions = Vec::new();
    for name in chosen(&settings.tasks, &names, "tasks")? {
        let rows = load(&DataSetPart { config: Some(name.to_owned()), split: "test" })?;
        for task in TASKS.iter().filter(|task| task.name == name) {
            for row in numbered(&rows) {
                questions.push(question(task, &row, settings)?);
            }
        }
    }
    Ok(questions)
}

fn question(task: &Task, row: &NumberedRow<'_>, settings: &BenchmarkSettings) -> Result<Question, RowError> {
    let text = if settings.chain_of_thought { task.chain_of_thought } else { task.answer_only };
    // The first section is the description.
    let sections: Vec<&str> = text.split("\n\n").take(settings.shots + 1).collect();
    let prompt = format!(
        "Task description: {}\n\nQ: {}\nA: \n\nOutput {}. Full answer not needed.",
        sections.join("\n\n"),
        row.text("input")?,
        task.form.instruction()
    );
    Ok(Question::of_one_message(task.name, prompt, row.text("target")?, 1_024))
}

impl AnswerForm {
    fn instruction(self) -> String {
        match self {
            Self::TrueOrFalse => "'True' or 'False'".to_owned(),
            Self::YesOrNo => "'Yes' or 'No'".to_owned(),
            Self::LowerYesOrNo => "'yes' or 'no'".to_owned(),
            Self::InvalidOrValid => "'invalid' or 'valid'".to_owned(),
            Self::Number => "the numerical answer".to_owned(),
            Self::Words => "only the sequence of words separated by white space".to_owned(),
            Self::Brackets => "only the sequence of parentheses characters separated by white space".to_owned(),
            // The published text has no blank here.
            Self::Letters(2) => "'(A)' or'(B)'".to_owned(),
            Self::Letters(count) => {
                let letters: Vec<String> =
                    (b'A'..b'A' + count).map(|letter| format!("'({})'", char::from(letter))).collect();
                let (last, others) =
                    letters.split_last().map_or(("", &letters[..]), |(last, others)| (last.as_str(), others));
                format!("{}, or {last}", others.join(", "))
            }
        }
    }
}
