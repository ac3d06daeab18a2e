//! The plain numbers and expressions of a text that may be its answer, by the words before them.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{Anchor, Candidate, FormulaText, last_first};

/// A number with separators of thousands, decimals or a percent sign.
const NUMBER: &str = r"(?:(?P<grouped>-?\d{1,3}(?:[ ,]\d{3})+(?:\.\d+)?)|(?P<decimal>-?\d+[.,]\d+)|(?P<part>\.\d+)|(?P<integer>-?\d+))(?P<percent>\s*(?:%|[Pp]ercent|[Pp]ercentage|[Pp]ct))?";

/// Digits and operators, with at least one operator.
const EXPRESSION: &str = r"(?P<expression>-?\(?-?\d[\d.\s+\-*×/^()÷]*[+\-*×/^()÷][\d.\s+\-*×/^()÷]+\)?)";

const BEFORE: &str = r"(?:^|\s|=)(?:\*\*)?";
const AFTER: &str = r"(?:\*\*)?(?:\.|,|\s?:|\s|\)|\$|$)";
const CURRENCY: &str = "[$€£¥₹₽₪₩₫฿₿]?";

struct Patterns {
    by_anchor: Vec<(Anchor, Regex)>,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let expression = format!("(?:{BEFORE}{EXPRESSION}{AFTER})");
    let number = format!("(?:{BEFORE}{CURRENCY}{NUMBER})");
    let either = format!("(?:{expression}|{number})");
    let patterns = [
        (Anchor::FinalAnswerOrBox, format!(r"(?i:final answer is):?\s*{either}\.?\s?I hope")),
        (Anchor::FinalAnswer, format!(r"(?i:final answer.{{0,100}}?)\s+is:?{either}")),
        (Anchor::AnswerColon, format!(r"(?i:answer)\s?:(?:.{{0,100}}=\s*|.{{0,50}}?){either}")),
        (Anchor::Answer, format!(r"(?i:answer)(?:.{{0,100}}=\s*|.{{0,50}}?){either}")),
        (Anchor::Nothing, expression.clone()),
        (Anchor::Nothing, number.clone()),
    ];
    let by_anchor =
        patterns.into_iter().filter_map(|(anchor, pattern)| Some((anchor, Regex::new(&pattern).ok()?))).collect();
    Patterns { by_anchor }
});

/// The numbers and expressions after `anchor`, the last one first.
pub(crate) fn expressions(text: &str, anchor: Anchor) -> Vec<Candidate> {
    let patterns = PATTERNS.by_anchor.iter().filter(|(of, _)| *of == anchor);
    let mut found = Vec::new();
    for (_, pattern) in patterns {
        // An equals sign after the number says that it is not the result.
        let anchored = matches!(anchor, Anchor::AnswerColon | Anchor::Answer);
        let matches = pattern.captures_iter(text).filter(|captures| {
            !anchored || captures.get(0).is_some_and(|whole| !text[whole.end()..].trim_start().starts_with('='))
        });
        found.extend(matches.filter_map(|captures| candidate(&captures)));
    }
    last_first(found)
}

fn candidate(captures: &Captures<'_>) -> Option<Candidate> {
    let whole = captures.get(0)?;
    let named = |name: &str| captures.name(name).map(|found| found.as_str());
    let text = if let Some(expression) = named("expression") {
        expression.replace('\n', " ")
    } else if let Some(grouped) = named("grouped") {
        grouped.replace([',', ' '], "")
    } else if let Some(decimal) = named("decimal") {
        decimal.replace(',', ".")
    } else {
        named("part").or_else(|| named("integer"))?.to_owned()
    };
    let text = match text.trim_start_matches('0') {
        "" => "0".to_owned(),
        trimmed if trimmed.starts_with(|first: char| first.is_ascii_digit()) => trimmed.to_owned(),
        _ => text,
    };
    let percent = named("percent").is_some();
    Some(Candidate { start: whole.start(), end: whole.end(), formulas: vec![FormulaText { text, percent }] })
}
