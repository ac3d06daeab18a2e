//! `exact_match`: the whole answer, without blanks at its ends, is the gold answer.

use crate::Grade;

pub(crate) fn grade(answer: &str, gold: &str) -> Grade {
    let (answer, gold) = (answer.trim(), gold.trim());
    let explanation = if answer.is_empty() {
        "the answer is empty"
    } else if answer == gold {
        "the texts are equal"
    } else {
        "the texts differ"
    };
    Grade::decided(answer == gold, answer.is_empty(), gold, answer, explanation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_matters_and_blanks_at_the_ends_do_not() {
        assert!(grade(" (A)\n", "(A)").verdict.is_right());
        assert!(!grade("(a)", "(A)").verdict.is_right());
        let empty = grade(" \n", "x");
        assert!(empty.unparsed && !empty.verdict.is_right());
    }
}
