//! `lighteval_gpqa`: a letter from A to D after the words of an answer, or at the start of a line.

use std::sync::LazyLock;

use regex::Regex;

use crate::Grade;

/// A letter, bare or in brackets.
const LETTER: &str = r"(?P<letter>A|\(A\)|B|\(B\)|C|\(C\)|D|\(D\))";

/// What ends a letter.
const END: &str = r"(?:\*\*)?(?:\.|,|\s?:| |$)";

/// Patterns in the order in which they are tried. The last match of the first pattern that matches counts.
static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let start = r"(?:^| )(?:\*\*)?";
    [
        format!(r"(?i:final answer is):?\s*{LETTER}\.?\s?I hope"),
        format!(r"(?i:final answer.{{0,100}}?)\s+is:?\s*{LETTER}"),
        format!(r"(?i:answer)\s?:.{{0,50}}?{start}{LETTER}{END}"),
        format!(r"(?i:answer).{{0,50}}?{start}{LETTER}{END}"),
        format!(r"^(?:\*\*)?{LETTER}{END}"),
        format!(r"\n(?:\*\*)?{LETTER}{END}"),
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

pub(crate) fn grade(answer: &str, gold: &str) -> Grade {
    let gold = gold.trim();
    match letter(answer) {
        Some(letter) => Grade::decided(letter == gold, false, gold, letter, "the letter after the words of an answer"),
        None => {
            Grade::decided(false, true, gold, "", "no letter after the words of an answer or at the start of a line")
        }
    }
}

fn letter(answer: &str) -> Option<String> {
    PATTERNS.iter().find_map(|pattern| {
        // The match that ends last counts, and of two with the same end the longer one.
        let found = pattern.captures_iter(answer).last()?;
        Some(found.name("letter")?.as_str().replace(['(', ')'], ""))
    })
}
