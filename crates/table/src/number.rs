//! Numbers for people, with commas between thousands.

/// With two decimals: `1,234.50`.
pub fn grouped(value: f64) -> String {
    decimal(value, 2)
}

/// With this many decimals. What rounds to zero has no sign.
pub fn decimal(value: f64, decimals: usize) -> String {
    let plain = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = plain.split_once('.').map_or((plain.as_str(), None), |(whole, part)| (whole, Some(part)));
    let is_zero = !plain.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    let sign = if value < 0.0 && !is_zero { "-" } else { "" };
    fraction.map_or_else(|| format!("{sign}{}", thousands(whole)), |part| format!("{sign}{}.{part}", thousands(whole)))
}

/// A count: `1,234`.
pub fn whole(count: u64) -> String {
    thousands(&count.to_string())
}

fn thousands(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_stand_between_thousands() {
        assert_eq!(grouped(1_234_567.891), "1,234,567.89");
        assert_eq!(grouped(-1234.5), "-1,234.50");
        assert_eq!(grouped(999.999), "1,000.00");
        assert_eq!(grouped(-0.001), "0.00");
        assert_eq!(whole(1_000), "1,000");
        assert_eq!(
            (decimal(999.0, 0), decimal(-1_234.5, 1), decimal(12_035.061_3, 2)),
            ("999".into(), "-1,234.5".into(), "12,035.06".into())
        );
    }
}
