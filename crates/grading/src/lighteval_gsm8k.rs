//! `lighteval_gsm8k`: the number after `####`, or the last number.

use std::sync::LazyLock;

use regex::Regex;

use crate::Grade;

static MARKED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"#### (-?[0-9.,]+)").ok());
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"-?\d[\d,]*(?:\.\d+)?").ok());

pub(crate) fn grade(answer: &str, gold: &str) -> Grade {
    let expected = marked(gold).unwrap_or_else(|| plain(gold));
    let (actual, unparsed) = match marked(answer) {
        Some(number) => (number, false),
        None => (last_number(answer).unwrap_or_default(), true),
    };
    let (right, explanation) = match (expected.parse::<f64>(), actual.parse::<f64>()) {
        (Ok(expected), Ok(actual)) => ((expected - actual).abs() < 1e-6, "compared as numbers"),
        _ => (expected == actual && !actual.is_empty(), "compared as texts"),
    };
    Grade::decided(right, unparsed, expected, actual, explanation)
}

fn marked(text: &str) -> Option<String> {
    MARKED.as_ref()?.captures(text)?.get(1).map(|number| plain(number.as_str()))
}

fn last_number(text: &str) -> Option<String> {
    NUMBER.as_ref()?.find_iter(text).last().map(|number| plain(number.as_str()))
}

fn plain(number: &str) -> String {
    number.trim().replace(',', "")
}
