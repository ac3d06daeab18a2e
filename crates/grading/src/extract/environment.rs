//! LaTeX between its delimiters: `$...$`, `$$...$$`, `\(...\)`, `\[...\]`, `[...]`, and a bare `\frac{1}{2}`.

use super::FormulaText;

/// Bytes of one formula, at most.
const MAX_FORMULA: usize = 4_000;

/// Formulas that `and`, `or` or a comma connects, at most.
const MAX_CONNECTED: usize = 6;

/// A formula that starts at one place.
pub(super) struct Environment {
    pub(super) end: usize,
    pub(super) formula: FormulaText,
}

/// The formulas from `at` on that `and`, `or` or a comma connects, and their end.
pub(super) fn connected_at(text: &str, at: usize, boxed: bool) -> Option<(usize, Vec<FormulaText>)> {
    let first = environment_at(text, at, boxed)?;
    let mut end = first.end;
    let mut formulas = vec![first.formula];
    while formulas.len() < MAX_CONNECTED {
        let rest = text[end..].trim_start();
        let Some(after) = ["and", "or", ","].iter().find_map(|word| rest.strip_prefix(word)) else { break };
        let start = text.len() - after.trim_start().len();
        let Some(next) = environment_at(text, start, boxed) else { break };
        end = next.end;
        formulas.push(next.formula);
    }
    Some((end, formulas))
}

/// The formula whose delimiter is at `at`.
pub(super) fn environment_at(text: &str, at: usize, boxed: bool) -> Option<Environment> {
    let rest = text.get(at..)?;
    let before = text[..at].chars().next_back();
    let escaped = before == Some('\\');
    let (content, length) = if let (Some(inner), false) = (rest.strip_prefix("$$"), escaped) {
        display(inner, "$$").map(|content| (content, content.len() + 4)).or_else(|| dollar(rest, before))?
    } else if rest.starts_with('$') {
        dollar(rest, before)?
    } else if let (Some(inner), false) = (rest.strip_prefix("\\["), escaped) {
        let content = display(inner, "\\]")?;
        (content, content.len() + 4)
    } else if let (Some(inner), false) = (rest.strip_prefix("\\("), escaped) {
        let content = display(inner, "\\)").filter(|content| !content.contains('\n'))?;
        (content, content.len() + 4)
    } else if let Some(found) = square_brackets(rest) {
        found
    } else if boxed {
        return None;
    } else {
        let length = simple_fraction(rest)?;
        (&rest[..length], length)
    };
    let has_box = || content.split_once("\\boxed{").is_some_and(|(_, inner)| inner.find('}').is_some_and(|at| at > 0));
    if boxed && !has_box() {
        return None;
    }
    let (percent, length) = percent_after(rest, length);
    Some(Environment { end: at + length, formula: FormulaText { text: content.to_owned(), percent } })
}

/// The start of `text` that is at most as long as a formula.
fn window(text: &str) -> &str {
    let mut end = text.len().min(MAX_FORMULA);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn display<'t>(inner: &'t str, close: &str) -> Option<&'t str> {
    let content = &inner[..window(inner).find(close)?];
    (!content.is_empty() && !content.ends_with('\\')).then_some(content)
}

/// `$...$` on one line. A dollar sign after a digit is an amount of money.
fn dollar(rest: &str, before: Option<char>) -> Option<(&str, usize)> {
    if before.is_some_and(|character| character == '\\' || character.is_ascii_digit()) {
        return None;
    }
    let inner = rest.strip_prefix('$')?;
    let mut escaped = false;
    for (at, character) in window(inner).char_indices() {
        match character {
            '\n' => return None,
            '$' if !escaped => return (at > 0).then(|| (&inner[..at], at + 2)),
            _ => {}
        }
        escaped = character == '\\';
    }
    None
}

/// A blank, `[...]` on one line, and a blank.
fn square_brackets(rest: &str) -> Option<(&str, usize)> {
    let first = rest.chars().next().filter(|character| character.is_whitespace())?;
    let inner = rest[first.len_utf8()..].strip_prefix('[')?;
    let close = window(inner).find([']', '[', '\n'])?;
    let after = inner[close..].strip_prefix(']')?.chars().next().filter(|character| character.is_whitespace())?;
    (close > 0).then(|| (&inner[..close], first.len_utf8() + close + 2 + after.len_utf8()))
}

/// The length of `-?\frac{number}{number}`.
fn simple_fraction(rest: &str) -> Option<usize> {
    let mut after = rest.strip_prefix('-').unwrap_or(rest).strip_prefix("\\frac")?;
    for _ in 0..2 {
        let inner = after.strip_prefix('{')?;
        let close = window(inner).find('}')?;
        let number = inner[..close].strip_prefix('-').unwrap_or(&inner[..close]);
        if number.is_empty()
            || !number.chars().all(|character| character.is_ascii_digit() || matches!(character, '.' | ','))
        {
            return None;
        }
        after = &inner[close + 1..];
    }
    Some(rest.len() - after.len())
}

/// Whether a percent sign follows, and the length with it.
fn percent_after(rest: &str, length: usize) -> (bool, usize) {
    let after = rest[length..].trim_start();
    let sign = ["\\%", "%", "percentage", "Percentage", "percent", "Percent", "pct", "Pct"]
        .into_iter()
        .find(|sign| after.starts_with(sign));
    match sign {
        Some(sign) => (true, rest.len() - after.len() + sign.len()),
        None => (false, length),
    }
}
