//! `--extra-inputs`: `key:value` pairs with commas between them, or a JSON object.

use serde_json::{Map, Number, Value};

/// The extra input whose value is a text with commas of its own.
pub(crate) const TEMPLATE: &str = "payload_template";

/// Adds the pairs of one token; later ones replace earlier ones of the same key.
pub fn read_into(map: &mut Map<String, Value>, token: &str) -> Result<(), String> {
    if token.trim_start().starts_with('{') {
        let object: Map<String, Value> =
            serde_json::from_str(token).map_err(|error| format!("this is not a JSON object ({error})"))?;
        map.extend(object);
        return Ok(());
    }
    for piece in pieces(token).filter(|piece| !piece.trim().is_empty()) {
        let (key, value) = piece.split_once(':').ok_or_else(|| {
            format!("{piece:?} has no `:`; write key:value, or a JSON object if the value has commas in it")
        })?;
        let key = key.trim();
        if key.is_empty() {
            return Err(format!("{piece:?} has no key before its `:`"));
        }
        map.insert(key.to_owned(), coerce(value.trim()));
    }
    Ok(())
}

/// The pairs of a token. Commas part them, except within the braces and brackets of a template.
fn pieces(token: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(token);
    std::iter::from_fn(move || {
        let text = rest?;
        let is_template =
            text.trim_start().strip_prefix(TEMPLATE).is_some_and(|after| after.trim_start().starts_with(':'));
        let end = if is_template { end_of_template(text) } else { text.find(',') };
        let (piece, after) = end.map_or((text, None), |end| (&text[..end], Some(&text[end + 1..])));
        rest = after;
        Some(piece)
    })
}

/// The first comma that stands neither in a string nor in braces or brackets; none where these are not closed.
fn end_of_template(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' if depth > 0 => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return Some(place),
            _ => {}
        }
    }
    None
}

/// What a bare text stands for: truth, null, a number, or itself.
fn coerce(text: &str) -> Value {
    match text.to_ascii_lowercase().as_str() {
        "true" => return Value::Bool(true),
        "false" => return Value::Bool(false),
        "none" | "null" => return Value::Null,
        _ => {}
    }
    number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

/// Digits without a leading zero are a whole number, digits with one dot are a fraction.
fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if let Some((whole, fraction)) = digits.split_once('.') {
        let plain = all_digits(whole) && all_digits(fraction) && !(whole.is_empty() && fraction.is_empty());
        return plain.then(|| text.parse().ok()).flatten().and_then(Number::from_f64);
    }
    let plain = !digits.is_empty() && all_digits(digits) && (digits == "0" || !digits.starts_with('0'));
    if !plain {
        return None;
    }
    text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(tokens: &[&str]) -> Result<Value, String> {
        let mut map = Map::new();
        tokens.iter().try_for_each(|token| read_into(&mut map, token))?;
        Ok(Value::Object(map))
    }

    #[test]
    fn values_take_the_type_they_look_like() {
        assert_eq!(
            read(&["a:True,b:none,c:-3,d:.5,e:007,f:+3,g:1e3,h:a:b,i: x,j:0,k:1.2.3,l:"]).unwrap(),
            json!({"a": true, "b": null, "c": -3, "d": 0.5, "e": "007", "f": "+3", "g": "1e3", "h": "a:b", "i": "x",
                   "j": 0, "k": "1.2.3", "l": ""})
        );
    }

    #[test]
    fn json_keeps_its_types_and_mixes_with_pairs_later_ones_winning() {
        assert_eq!(
            read(&["a:1,b:2", r#"{"a": "1", "n": {"x": [1]}}"#, "b:3"]).unwrap(),
            json!({"a": "1", "b": 3, "n": {"x": [1]}})
        );
    }

    #[test]
    fn a_template_keeps_its_commas() {
        let template = r#"{"text": {{ text|tojson }}, "list": [1, "a,]"], "n": 1}"#;
        assert_eq!(
            read(&[&format!("a:1,payload_template:{template},response_field:x,b:2")]).unwrap(),
            json!({"a": 1, "payload_template": template, "response_field": "x", "b": 2})
        );
        assert_eq!(
            read(&["payload_template:nv-embedqa,b:2"]).unwrap(),
            json!({"payload_template": "nv-embedqa", "b": 2})
        );
        assert_eq!(read(&["payload_template:{open, still"]).unwrap(), json!({"payload_template": "{open, still"}));
    }

    #[test]
    fn what_is_no_pair_and_no_json_is_refused() {
        assert!(read(&["novalue"]).unwrap_err().contains("no `:`"));
        assert!(read(&["a:1,b"]).unwrap_err().contains("JSON object if the value has commas"));
        assert!(read(&["{\"a\": "]).unwrap_err().contains("JSON"));
        assert!(read(&[":1"]).unwrap_err().contains("no key"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(token in ".*") {
            let _ = read(&[&token]);
        }

        #[test]
        fn whole_numbers_come_back_as_they_were(number in any::<i64>()) {
            let text = format!("n:{number}");
            prop_assert_eq!(read(&[&text]).unwrap(), json!({"n": number}));
        }
    }
}
