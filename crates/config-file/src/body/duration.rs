//! Times in a configuration file: seconds, or a number with a unit.

use crate::yaml::{Node, NodeValue};

const FORM: &str = "write seconds, such as 90, or a number with a unit, such as 90s, 5m, 2h";

/// The time in seconds, as an option takes it.
pub(crate) fn seconds(node: &Node) -> Result<String, String> {
    match &node.value {
        NodeValue::Int(_) | NodeValue::Float(_) => Ok(node.word().unwrap_or_default()),
        NodeValue::Text(text) => with_unit(text).ok_or_else(|| format!("{text:?} is not a time; {FORM}")),
        _ => Err(format!("a time cannot be {}; {FORM}", node.kind())),
    }
}

fn with_unit(text: &str) -> Option<String> {
    let text = text.trim();
    if ["inf", "infinity"].contains(&text.to_ascii_lowercase().as_str()) {
        return Some("inf".to_owned());
    }
    let digits = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.trim().parse().ok().filter(|number: &f64| number.is_finite())?;
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" | "hr" | "hour" => 3600.0,
        _ => return None,
    };
    Some((number * factor).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::read;

    #[test]
    fn times_are_seconds_or_have_a_unit() {
        for (text, expected) in [
            ("90", "90"),
            ("1.5", "1.5"),
            ("90s", "90"),
            ("5 Min", "300"),
            ("2h", "7200"),
            ("0.5m", "30"),
            ("inf", "inf"),
        ] {
            assert_eq!(seconds(&read(text).unwrap()), Ok(expected.to_owned()), "{text}");
        }
        for text in ["5 days", "s", "[1]", "true", "-"] {
            assert!(seconds(&read(text).unwrap()).is_err(), "{text}");
        }
    }
}
