//! Graders of accuracy benchmarks. A grader takes the text of an answer and the gold answer, and returns a [`Grade`]: right or
//! wrong, and whether the answer had the expected form. Every function here is pure and has bounded time and memory.

#![forbid(unsafe_code)]

mod answer_grader;
mod choice_letter;
mod exact_match;
mod extract;
mod grade;
mod grader;
mod lighteval_expr;
mod lighteval_gpqa;
mod lighteval_gsm8k;
mod lighteval_latex;
mod math;
mod math_text;
mod math_value;
mod mmlu_pro;
mod multiple_choice;

pub use answer_grader::{AnswerGrader, GradingError};
pub use grade::{Correctness, Grade};
pub use grader::{Grader, UnknownGrader};
