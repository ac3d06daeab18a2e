//! Whole numbers, numbers and truth values.

/// `5` and `-5`; neither `3.5` nor `1e2`.
pub(crate) fn int(text: &str) -> Option<i128> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// `5`, `0.5`, `1e3` and `inf`; no unit, and never "not a number".
pub(crate) fn float(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| !number.is_nan())
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
        for bad in ["", "-", "3.5", "1e2", "+5", "5s", " 5", "1_000"] {
            assert_eq!(int(bad), None, "{bad:?}");
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
