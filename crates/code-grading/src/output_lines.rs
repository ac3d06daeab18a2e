//! Whether the output of a program is the expected one: the same lines without blanks at their ends, or the same decimal numbers.

/// Compares two outputs.
pub(crate) fn same_output(expected: &str, actual: &str) -> bool {
    let lines = |text: &str| text.trim().lines().map(str::trim).map(str::to_owned).collect::<Vec<_>>();
    let (expected, actual) = (lines(expected), lines(actual));
    expected.len() == actual.len()
        && expected.iter().zip(&actual).all(|(expected, actual)| expected == actual || same_numbers(expected, actual))
}

fn same_numbers(expected: &str, actual: &str) -> bool {
    let numbers = |line: &str| line.split_whitespace().map(Decimal::read).collect::<Option<Vec<_>>>();
    match (numbers(expected), numbers(actual)) {
        (Some(expected), Some(actual)) => expected == actual,
        _ => false,
    }
}

/// A decimal number of any length, without zeros at its ends.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn read(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let all = format!("{whole}{part}");
        if all.is_empty() || !all.bytes().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        let exponent = exponent.parse::<i64>().ok()?.checked_sub(i64::try_from(part.len()).ok()?)?;
        let digits = all.trim_start_matches('0');
        let kept = digits.trim_end_matches('0');
        if kept.is_empty() {
            return Some(Self { negative: false, digits: String::new(), exponent: 0 });
        }
        let exponent = exponent.checked_add(i64::try_from(digits.len() - kept.len()).ok()?)?;
        Some(Self { negative, digits: kept.to_owned(), exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_at_the_ends_and_the_form_of_numbers_do_not_matter() {
        for (expected, actual) in [
            ("3\n4\n", "3 \n4"),
            ("1.50 2", "1.5 2.0"),
            ("0", "-0.0"),
            ("100", "1e2"),
            ("50000000000000001", "50000000000000001.0"),
            ("YES", "YES\n\n"),
        ] {
            assert!(same_output(expected, actual), "{expected:?} and {actual:?}");
        }
    }

    #[test]
    fn other_values_lines_and_words_are_different() {
        for (expected, actual) in [
            ("50000000000000000", "50000000000000001"),
            ("1 2", "1\n2"),
            ("YES", "yes"),
            ("1", ""),
            ("1 2", "1"),
            ("1 x", "1.0 x"),
            ("1", "nan"),
        ] {
            assert!(!same_output(expected, actual), "{expected:?} and {actual:?}");
        }
    }
}
