//! `lighteval_expr`: the value of an answer equals a plain number or expression, as in AIME.

use crate::Grade;
use crate::lighteval_latex::{GoldForm, grade_with};

pub(crate) fn grade(answer: &str, gold: &str) -> Grade {
    grade_with(answer, gold, GoldForm::Plain)
}
