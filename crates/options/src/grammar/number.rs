//! Whole numbers, numbers and truth values.

use std::borrow::Cow;

/// `5`, `-5` and `100_000`; neither `3.5` nor `1e2`.
pub(crate) fn int(text: &str) -> Option<i128> {
    let text = &*without_separators(text)?;
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// `5`, `0.5`, `1e3`, `1_000.5` and `inf`; no unit, and never "not a number".
pub(crate) fn float(text: &str) -> Option<f64> {
    without_separators(text)?.parse().ok().filter(|number: &f64| !number.is_nan())
}

/// The text without the underscores between its digits; `None` if an underscore stands anywhere else.
fn without_separators(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('_') {
        return Some(Cow::Borrowed(text));
    }
    let bytes = text.as_bytes();
    let is_digit = |place: Option<usize>| place.and_then(|place| bytes.get(place)).is_some_and(u8::is_ascii_digit);
    let separates = |place: usize| is_digit(place.checked_sub(1)) && is_digit(Some(place + 1));
    let all = bytes.iter().enumerate().all(|(place, byte)| *byte != b'_' || separates(place));
    all.then(|| Cow::Owned(text.replace('_', "")))
}

pub(crate) fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_has_digits_and_perhaps_a_minus() {
        assert_eq!(int("5"), Some(5));
        assert_eq!(int("-5"), Some(-5));
        for bad in ["", "-", "3.5", "1e2", "+5", "5s", " 5", "_5", "5_", "1__000", "-_5"] {
            assert_eq!(int(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn underscores_between_digits_are_left_out_of_any_number() {
        assert_eq!((int("100_000"), int("-1_0")), (Some(100_000), Some(-10)));
        assert_eq!((float("1_000.2_5"), float("1_0e1_0")), (Some(1000.25), Some(10e10)));
        for bad in ["_1", "1_", "1__0", "1_.5", "1._5", "1_e5", "_"] {
            assert_eq!(float(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_number_may_have_a_fraction_an_exponent_or_no_end_but_no_unit() {
        assert_eq!(float("5"), Some(5.0));
        assert_eq!(float("1e3"), Some(1000.0));
        assert_eq!(float("inf"), Some(f64::INFINITY));
        for bad in ["", "10s", "30sec", "nan"] {
            assert_eq!(float(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn truth_is_true_yes_or_one() {
        assert_eq!(["true", "yes", "1"].map(truth), [Some(true); 3]);
        assert_eq!(["false", "no", "0"].map(truth), [Some(false); 3]);
        assert_eq!(["on", "maybe", ""].map(truth), [None; 3]);
    }
}
