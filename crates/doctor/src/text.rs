//! Numbers as a person reads them.

/// With commas between thousands.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub(crate) fn gibibytes(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let gib = bytes as f64 / (1_u64 << 30) as f64;
    format!("{gib:.1} GiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_apart() {
        let shown: Vec<String> = [0, 999, 1_000, 28_232, 1_048_576].into_iter().map(count).collect();
        assert_eq!(shown, ["0", "999", "1,000", "28,232", "1,048,576"]);
    }

    #[test]
    fn sizes_have_one_decimal() {
        assert_eq!(gibibytes(3 << 29), "1.5 GiB");
    }
}
