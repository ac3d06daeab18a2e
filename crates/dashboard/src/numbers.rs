//! Numbers for people: three significant digits, thousands in groups, times in the unit that fits.

/// `21.3`, `0.04`, `2,553`, `12.4 M`.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        "-".to_owned()
    } else if size >= 1e9 {
        format!("{:.1} G", value / 1e9)
    } else if size >= 1e7 {
        format!("{:.1} M", value / 1e6)
    } else if size >= 99.95 {
        grouped(value.round() as i64)
    } else if size >= 9.995 {
        format!("{value:.1}")
    } else if value == 0.0 {
        "0".to_owned()
    } else {
        format!("{value:.2}")
    }
}

pub(crate) fn number_or_dash(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), number)
}

/// `2,553`.
pub(crate) fn whole(value: u64) -> String {
    grouped(value as i64)
}

fn grouped(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0 { format!("-{text}") } else { text }
}

/// A share as `0 %`, `0.3 %`, `27 %`.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// `0:47`, `1:02:03`.
pub(crate) fn clock(seconds: f64) -> String {
    let seconds = seconds.max(0.0).round() as u64;
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// `3.4 s`, `142 ms`.
pub(crate) fn milliseconds(ms: f64) -> String {
    if ms >= 10_000.0 { format!("{} s", number(ms / 1e3)) } else { format!("{} ms", number(ms)) }
}

/// Milliseconds in at most six columns: `142`, `98,765`, and from 100 s on `123 s`.
pub(crate) fn latency(ms: f64) -> String {
    if ms >= 99_999.5 { format!("{} s", number(ms / 1e3)) } else { number(ms) }
}

/// `12 kB`, `1.2 MB`.
pub(crate) fn bytes(bytes: u64) -> String {
    let size = bytes as f64;
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.0} kB", size / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", size / 1e6),
        _ => format!("{:.1} GB", size / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_or_groups() {
        let shown: Vec<String> =
            [0.0, 0.042, 9.994, 9.996, 99.94, 99.96, 2_553.4, 999_999.7, 12_400_000.0, -1_234.0].map(number).into();
        assert_eq!(shown, ["0", "0.04", "9.99", "10.0", "99.9", "100", "2,553", "1,000,000", "12.4 M", "-1,234"]);
        assert_eq!(number(f64::NAN), "-");
    }

    #[test]
    fn shares_and_times_are_short() {
        assert_eq!([0.0, 0.003, 0.0996, 0.27, 1.0].map(percent), ["0 %", "0.3 %", "10 %", "27 %", "100 %"]);
        assert_eq!([0.4, 47.0, 3_723.0].map(clock), ["0:00", "0:47", "1:02:03"]);
        assert_eq!([0.31, 142.2, 9_999.0, 12_000.0].map(milliseconds), ["0.31 ms", "142 ms", "9,999 ms", "12.0 s"]);
        assert_eq!([142.4, 98_765.0, 123_456.0].map(latency), ["142", "98,765", "123 s"]);
        assert_eq!([900, 12_000, 1_200_000].map(bytes), ["900 B", "12 kB", "1.2 MB"]);
    }
}
