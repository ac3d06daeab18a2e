//! What a plain word of YAML means: the core schema of YAML 1.2.

use super::node::NodeValue;

/// The value of a word without quotes.
pub(super) fn plain(text: &str) -> NodeValue {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => NodeValue::Null,
        _ => typed(text),
    }
}

/// True, false, a number, or else the text itself.
pub(crate) fn typed(text: &str) -> NodeValue {
    match text {
        "true" | "True" | "TRUE" => return NodeValue::Bool(true),
        "false" | "False" | "FALSE" => return NodeValue::Bool(false),
        _ => {}
    }
    if let Some(value) = whole(text) {
        return NodeValue::Int(value);
    }
    real(text).map_or_else(|| NodeValue::Text(text.to_owned()), NodeValue::Float)
}

fn whole(text: &str) -> Option<i64> {
    if let Some(digits) = text.strip_prefix("0x") {
        return i64::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return i64::from_str_radix(digits, 8).ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()));
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn real(text: &str) -> Option<f64> {
    let (sign, size) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if [".inf", ".Inf", ".INF"].contains(&size) {
        return Some(sign * f64::INFINITY);
    }
    // Rust also reads names such as `nan`, which are texts in YAML.
    let looks_like_one = size.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && size.bytes().any(|b| b.is_ascii_digit())
        && size.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b));
    looks_like_one.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_types_of_the_core_schema() {
        let cases = [
            ("true", NodeValue::Bool(true)),
            ("False", NodeValue::Bool(false)),
            ("~", NodeValue::Null),
            ("", NodeValue::Null),
            ("12", NodeValue::Int(12)),
            ("-7", NodeValue::Int(-7)),
            ("0x1F", NodeValue::Int(31)),
            ("0o17", NodeValue::Int(15)),
            ("1.5", NodeValue::Float(1.5)),
            ("1e3", NodeValue::Float(1000.0)),
            (".5", NodeValue::Float(0.5)),
            ("-.inf", NodeValue::Float(f64::NEG_INFINITY)),
        ];
        for (text, value) in cases {
            assert_eq!(plain(text), value, "{text}");
        }
    }

    #[test]
    fn other_words_are_texts() {
        for text in ["yes", "on", "nan", "inf", "1_000", "1.2.3", "2.0s", "0x", "e5", "-", ".", "1e", "12:30", "null "]
        {
            assert_eq!(plain(text), NodeValue::Text(text.to_owned()), "{text}");
        }
    }
}
