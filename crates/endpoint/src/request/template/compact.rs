//! JSON without the blanks that a template has between its values.

/// Removes white space outside of strings. The text is valid JSON.
pub(super) fn remove_blanks(json: &mut Vec<u8>) {
    let (mut is_text, mut is_escaped) = (false, false);
    json.retain(|byte| {
        if is_text {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => is_text = false,
                _ => {}
            }
            return true;
        }
        is_text = *byte == b'"';
        !byte.is_ascii_whitespace()
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    proptest! {
        #[test]
        fn the_value_stays_the_same(texts in proptest::collection::vec(any::<String>(), 0..6), number in any::<i64>()) {
            let value = json!({"a b": texts, "n": [number, null, true, {}]});
            let mut spaced = serde_json::to_vec_pretty(&value).unwrap();
            remove_blanks(&mut spaced);
            prop_assert_eq!(serde_json::from_slice::<Value>(&spaced).unwrap(), value.clone());
            prop_assert_eq!(spaced, serde_json::to_vec(&value).unwrap());
        }
    }
}
