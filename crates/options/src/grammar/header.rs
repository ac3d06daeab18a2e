//! `--header`: `Name: value` pairs with commas between them, or a JSON object. Unlike the reference, any value is text, and
//! a value may hold commas.

use serde_json::{Map, Value};

/// Adds the headers of one token; a later one of the same name, in any case, replaces the earlier.
pub fn read_into(headers: &mut Vec<(String, String)>, token: &str) -> Result<(), String> {
    if token.trim_start().starts_with('{') {
        let object: Map<String, Value> =
            serde_json::from_str(token).map_err(|error| format!("this is not a JSON object ({error})"))?;
        for (name, value) in object {
            let value = match value {
                Value::String(text) => text,
                Value::Object(_) | Value::Array(_) => return Err(format!("header {name} must have a plain value")),
                other => other.to_string(),
            };
            add(headers, &name, &value)?;
        }
        return Ok(());
    }
    let mut open: Option<(String, String)> = None;
    for piece in token.split(',') {
        match (start_of_header(piece), &mut open) {
            (Some((name, value)), current) => {
                if let Some((name, value)) = current.replace((name.to_owned(), value.to_owned())) {
                    add(headers, &name, &value)?;
                }
            }
            (None, Some((_, value))) => {
                value.push(',');
                value.push_str(piece);
            }
            (None, None) => return Err("write `Name: value`".to_owned()),
        }
    }
    open.map_or(Ok(()), |(name, value)| add(headers, &name, &value))
}

/// A piece begins a new header when a proper name stands before its colon; otherwise it continues the value before it.
fn start_of_header(piece: &str) -> Option<(&str, &str)> {
    let (name, value) = piece.split_once(':')?;
    (is_name(name.trim()) && !value.starts_with("//")).then_some((name.trim(), value))
}

/// A header name as HTTP defines it.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

fn add(headers: &mut Vec<(String, String)>, name: &str, value: &str) -> Result<(), String> {
    let value = value.trim();
    if !is_name(name) {
        return Err(format!("{name:?} is not a header name"));
    }
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err(format!("the value of header {name} has a control character in it"));
    }
    headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
    headers.push((name.to_owned(), value.to_owned()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(tokens: &[&str]) -> Result<Vec<(String, String)>, String> {
        let mut headers = Vec::new();
        tokens.iter().try_for_each(|token| read_into(&mut headers, token))?;
        Ok(headers)
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn numbers_truth_and_null_are_text() {
        assert_eq!(
            read(&["X-A:1", "X-B:true,X-C: null", r#"{"X-D": "3", "X-E": 4, "X-F": false}"#]).unwrap(),
            pairs(&[("X-A", "1"), ("X-B", "true"), ("X-C", "null"), ("X-D", "3"), ("X-E", "4"), ("X-F", "false")])
        );
    }

    #[test]
    fn a_comma_in_a_value_stays_in_it() {
        assert_eq!(read(&["Accept: a, b,X-A:1"]).unwrap(), pairs(&[("Accept", "a, b"), ("X-A", "1")]));
        assert_eq!(read(&["Date: Tue, 01 Jan 10:00:00"]).unwrap(), pairs(&[("Date", "Tue, 01 Jan 10:00:00")]));
        assert_eq!(read(&["Link: http://a, http://b"]).unwrap(), pairs(&[("Link", "http://a, http://b")]));
    }

    #[test]
    fn the_later_of_two_headers_with_one_name_wins() {
        assert_eq!(read(&["A:1", "a:2"]).unwrap(), pairs(&[("a", "2")]));
    }

    #[test]
    fn what_is_no_header_is_refused() {
        assert!(read(&["nonsense"]).unwrap_err().contains("Name: value"));
        assert!(read(&[r#"{"bad name": "x"}"#]).unwrap_err().contains("not a header name"));
        assert!(read(&["A:x\ny"]).unwrap_err().contains("control character"));
        assert!(read(&[r#"{"A": [1]}"#]).unwrap_err().contains("plain value"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_and_names_are_always_proper(token in ".*") {
            if let Ok(headers) = read(&[&token]) {
                prop_assert!(headers.iter().all(|(name, _)| is_name(name)));
            }
        }
    }
}
