//! Numbers for people: two decimals, thousands set apart.

use super::style::Tone;
use super::table::Cell;

/// A value of a table.
pub(super) fn cell(value: Option<f64>) -> Cell {
    match value {
        None => Cell::new("N/A", Tone::Faint),
        Some(value) if value.is_infinite() => Cell::new("inf", Tone::Failure),
        Some(value) => Cell::value(grouped(value)),
    }
}

pub(crate) fn grouped(value: f64) -> String {
    let plain = format!("{:.2}", value.abs());
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, "00"));
    let sign = if value < 0.0 && plain != "0.00" { "-" } else { "" };
    format!("{sign}{}.{fraction}", group(whole))
}

pub(crate) fn whole(count: u64) -> String {
    group(&count.to_string())
}

fn group(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(grouped(1_234_567.891), "1,234,567.89");
        assert_eq!(grouped(-1234.5), "-1,234.50");
        assert_eq!(grouped(999.999), "1,000.00");
        assert_eq!(grouped(-0.001), "0.00");
        assert_eq!(whole(1_000), "1,000");
        assert_eq!(cell(None).text, "N/A");
        assert_eq!(cell(Some(f64::INFINITY)).text, "inf");
    }
}
