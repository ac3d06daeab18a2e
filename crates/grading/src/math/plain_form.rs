//! A formula without what does not change its value: blanks, currency, percent signs, degrees, units and months.

use std::sync::LazyLock;

use regex::Regex;

use crate::math_value::Rational;

static DROPPED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\\[,;:!]|\\\$|\$|\\?%|\^\s*\{?\\circ\}?|°|\\left|\\right|\\displaystyle|\*\*|\\(?:quad|qquad)\b").ok()
});
static WORDS_IN_TEXT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\\(?:text|mbox|mathrm|textbf|textit|textrm)\s*\{([^{}]*)\}(?:\^\{?\d\}?)?").ok());
static MONTH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\s+")
        .ok()
});
static UNIT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^(-?[\d.,/]+)\s+[A-Za-z][A-Za-z ]+$").ok());
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\s*[a-zA-Z]\s*=\s*([^=]+)$").ok());
static CHOICE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^(?:\(([A-E])\)|([A-E])[.:)])\s*(.*)$").ok());
static NUMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(-?(?:\d+|\d{1,3}(?:,\d{3})+)?(?:\.\d*)?)(?:[eE]([+-]?\d{1,3}))?$").ok());

static SHORT_ROOT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\\sqrt\s*(\d+)").ok());

/// The exponent of the unit after a value: 2 of square metres. `None` without a unit.
pub(super) fn unit_exponent(text: &str) -> Option<char> {
    let found = WORDS_IN_TEXT.as_ref()?.find_iter(text).last().filter(|found| found.start() > 0)?;
    Some(found.as_str().trim_end_matches('}').chars().next_back().filter(char::is_ascii_digit).unwrap_or('1'))
}

/// The formula in the form in which it is compared.
pub(super) fn plain_form(text: &str) -> String {
    // What comes after `\approx` is not the value itself.
    let mut plain = text.split("\\approx").next().unwrap_or(text).trim().to_owned();
    if let Some(dropped) = DROPPED.as_ref() {
        plain = dropped.replace_all(&plain, "").into_owned();
    }
    for (long, short) in [("\\dfrac", "\\frac"), ("\\tfrac", "\\frac"), ("{,}", ","), ("infinity", "\\infty")] {
        plain = plain.replace(long, short);
    }
    if let Some(short_root) = SHORT_ROOT.as_ref() {
        plain = short_root.replace_all(&plain, "\\sqrt{$1}").into_owned();
    }
    plain = words_of_text(&plain);
    if let Some(month) = MONTH.as_ref() {
        plain = month.replace_all(&plain, "").into_owned();
    }
    if let Some(found) = UNIT.as_ref().and_then(|unit| unit.captures(plain.trim())).and_then(|found| found.get(1)) {
        plain = found.as_str().to_owned();
    }
    if let Some(found) = NAMED.as_ref().and_then(|named| named.captures(&plain)).and_then(|found| found.get(1)) {
        plain = found.as_str().to_owned();
    }
    let plain = plain.trim();
    let plain = plain.strip_suffix('.').unwrap_or(plain);
    without_trailing_zeros(&plain.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// `\text{...}` is its words if there is nothing else, and a unit otherwise.
fn words_of_text(formula: &str) -> String {
    let Some(pattern) = WORDS_IN_TEXT.as_ref() else { return formula.to_owned() };
    let rest = pattern.replace_all(formula, "");
    if rest.trim().is_empty() {
        return pattern.replace_all(formula, "$1").trim().to_owned();
    }
    pattern
        .replace_all(formula, |found: &regex::Captures<'_>| {
            match found.get(1).map_or("", |words| words.as_str().trim()) {
                "and" | "or" => ", ".to_owned(),
                _ => String::new(),
            }
        })
        .into_owned()
}

fn without_trailing_zeros(text: &str) -> String {
    match text.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.chars().all(|digit| digit == '0') => whole.to_owned(),
        _ => text.to_owned(),
    }
}

/// The letter of a text that is only the letter of a choice.
pub(super) fn choice_of(text: &str) -> Option<char> {
    let letter = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let mut letters = letter.chars();
    letters.next().filter(|letter| ('A'..='E').contains(letter) && letters.next().is_none())
}

/// The letter of a choice before an answer, and the answer.
pub(super) fn without_choice(text: &str) -> Option<(char, &str)> {
    let found = CHOICE.as_ref()?.captures(text)?;
    let letter = found.get(1).or_else(|| found.get(2))?.as_str().chars().next()?;
    Some((letter, found.get(3)?.as_str()))
}

/// The value of a text that is only a number.
pub(super) fn plain_number(text: &str) -> Option<Rational> {
    let found = NUMBER.as_ref()?.captures(text)?;
    let digits = found.get(1)?.as_str().replace(',', "");
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, digits.as_str()),
    };
    if !digits.contains(|character: char| character.is_ascii_digit()) {
        return None;
    }
    let value = Rational::from_decimal(digits)?;
    let value = if negative { value.negated() } else { value };
    match found.get(2) {
        Some(exponent) => {
            let power = Rational::integer(10).power(exponent.as_str().trim_start_matches('+').parse().ok()?)?;
            value.times(&power)
        }
        None => Some(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_currency_and_degrees_do_not_change_a_value() {
        for text in ["7", " 7 apples", r"7\text{ cm}^2", r"\$7", r"7^\circ", r"7\%", "x = 7", "June 7", "7.00", "7."] {
            assert_eq!(plain_form(text), "7", "{text}");
        }
        assert_eq!(plain_form(r"\text{Evelyn}"), "Evelyn");
    }

    #[test]
    fn numbers_are_read_exactly() {
        assert_eq!(plain_number("1,234.50").map(|number| number.to_string()), Some("2469/2".to_owned()));
        assert_eq!(plain_number("-1e3").map(|number| number.to_string()), Some("-1000".to_owned()));
        for text in ["", "-", ".", "1,23", "x", "1e9999"] {
            assert_eq!(plain_number(text), None, "{text}");
        }
    }

    #[test]
    fn the_letter_of_a_choice_is_split_from_the_answer() {
        assert_eq!(without_choice("(B) 7"), Some(('B', "7")));
        assert_eq!(without_choice("A: 7"), Some(('A', "7")));
        assert_eq!(without_choice("B"), None);
        assert_eq!((choice_of("(B)"), choice_of("F")), (Some('B'), None));
    }
}
