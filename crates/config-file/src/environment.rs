//! Environment references in a configuration file: `${NAME}` and `${NAME:default}`.

use std::collections::BTreeMap;

use crate::FileError;
use crate::yaml::{Node, NodeValue, typed};

/// Puts the values of environment variables in place of the references to them, in all texts of the tree.
pub(crate) fn substitute(node: &mut Node, path: &str, variables: &BTreeMap<String, String>) -> Result<(), FileError> {
    match &mut node.value {
        NodeValue::Text(text) => {
            if let Some(value) =
                substituted(text, variables).map_err(|problem| FileError::at(node.position, path, problem))?
            {
                node.value = value;
            }
        }
        NodeValue::List(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                substitute(item, &format!("{path}[{index}]"), variables)?;
            }
        }
        NodeValue::Map(entries) => {
            for entry in entries {
                let path = if path.is_empty() { entry.key.clone() } else { format!("{path}.{}", entry.key) };
                substitute(&mut entry.value, &path, variables)?;
            }
        }
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Int(_) | NodeValue::Float(_) => {}
    }
    Ok(())
}

/// The value of a text with references; `None` if it has none.
fn substituted(text: &str, variables: &BTreeMap<String, String>) -> Result<Option<NodeValue>, String> {
    let mut result = String::new();
    let mut rest = text;
    let mut is_whole = false;
    while let Some((before, reference)) = rest.split_once("${") {
        let (inside, after) = reference.split_once('}').ok_or_else(|| {
            format!("{text:?} has `${{` without a closing brace; write ${{NAME}} or ${{NAME:default}}")
        })?;
        let (name, default) = inside.split_once(':').map_or((inside, None), |(name, default)| (name, Some(default)));
        let name = name.trim();
        let value = match (variables.get(name), default) {
            (Some(value), _) => value.as_str(),
            (None, Some(default)) => default,
            (None, None) => {
                return Err(format!("environment variable {name} is not set; set it, or write ${{{name}:default}}"));
            }
        };
        is_whole = before.is_empty() && result.is_empty() && after.is_empty();
        result.push_str(before);
        result.push_str(value);
        rest = after;
    }
    if rest.len() == text.len() {
        return Ok(None);
    }
    result.push_str(rest);
    // A value that is nothing but a reference may be a number or a truth value.
    Ok(Some(if is_whole { typed(&result) } else { NodeValue::Text(result) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Option<NodeValue>, String> {
        let variables = [("HOST", "node-a"), ("N", "12"), ("ON", "true"), ("EMPTY", "")];
        substituted(text, &variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into())
    }

    #[test]
    fn a_reference_that_is_the_whole_value_has_a_type() {
        assert_eq!(value("${N}"), Ok(Some(NodeValue::Int(12))));
        assert_eq!(value("${ON}"), Ok(Some(NodeValue::Bool(true))));
        assert_eq!(value("${MISSING:1.5}"), Ok(Some(NodeValue::Float(1.5))));
        assert_eq!(value("${EMPTY:7}"), Ok(Some(NodeValue::Text(String::new()))));
    }

    #[test]
    fn references_inside_of_a_text_make_a_text() {
        assert_eq!(
            value("http://${HOST}:${PORT:8000}/v1"),
            Ok(Some(NodeValue::Text("http://node-a:8000/v1".to_owned())))
        );
        assert_eq!(value("${N}${N}"), Ok(Some(NodeValue::Text("1212".to_owned()))));
        assert_eq!(value("plain $N text"), Ok(None));
    }

    #[test]
    fn a_missing_variable_and_a_missing_brace_are_errors() {
        assert!(value("${MISSING}").unwrap_err().contains("MISSING is not set"));
        assert!(value("a ${HOST").unwrap_err().contains("without a closing brace"));
    }
}
