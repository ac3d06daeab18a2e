//! Converts messages and tools from the form of OpenTelemetry to that of the chat API.

use serde_json::{Map, Value, json};

/// The value of an attribute. Structured attributes are often stored as JSON text.
pub(super) fn parsed(value: &Value) -> Value {
    match value {
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(text).unwrap_or_else(|_| value.clone())
        }
        other => other.clone(),
    }
}

/// The messages of a request, with the system message first.
pub(super) fn messages(system: Option<&Value>, input: &Value) -> Vec<Value> {
    let mut messages = Vec::new();
    if let Some(text) = system.map(|system| text_of(&parsed(system))).filter(|text| !text.is_empty()) {
        messages.push(json!({"role": "system", "content": text}));
    }
    match parsed(input) {
        Value::Array(list) => list.iter().filter_map(Value::as_object).for_each(|one| push(&mut messages, one)),
        Value::String(text) if !text.is_empty() => messages.push(json!({"role": "user", "content": text})),
        _ => {}
    }
    messages
}

/// Adds one recorded message: unchanged if it already has the form of the API, otherwise converted from its parts.
fn push(messages: &mut Vec<Value>, message: &Map<String, Value>) {
    let role = message.get("role").and_then(Value::as_str).unwrap_or("user");
    let Some(parts) = message.get("parts").and_then(Value::as_array) else {
        messages.push(Value::Object(message.clone()));
        return;
    };
    let kind = |part: &Value| part.get("type").and_then(Value::as_str).unwrap_or("text").to_owned();
    let mut texts = Vec::new();
    let mut calls = Vec::new();
    for part in parts {
        match kind(part).as_str() {
            "text" => texts.push(text_of(part)),
            "tool_call" => calls.push(tool_call(part)),
            "tool_call_response" | "tool_result" => messages.push(json!({
                "role": "tool",
                "tool_call_id": part.get("id").and_then(Value::as_str).unwrap_or_default(),
                "content": text_of(answer(part)),
            })),
            // Reasoning is not sent back.
            _ => {}
        }
    }
    let text = texts.join("\n");
    if !calls.is_empty() {
        let content = if text.is_empty() { Value::Null } else { Value::String(text) };
        messages.push(json!({"role": role, "content": content, "tool_calls": calls}));
    } else if !text.is_empty() {
        messages.push(json!({"role": role, "content": text}));
    }
}

fn tool_call(part: &Value) -> Value {
    let arguments = match part.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => "{}".to_owned(),
        Some(other) => other.to_string(),
    };
    let word = |name: &str| part.get(name).and_then(Value::as_str).unwrap_or_default();
    json!({"id": word("id"), "type": "function", "function": {"name": word("name"), "arguments": arguments}})
}

/// The result in a tool call response.
fn answer(part: &Value) -> &Value {
    ["response", "result", "content"].iter().find_map(|name| part.get(*name)).unwrap_or(&Value::Null)
}

/// The text of a string, a part, or a list of them; anything else as JSON.
fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(text_of).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n"),
        Value::Object(object) => match object.get("content").or_else(|| object.get("text")) {
            Some(inner) => text_of(inner),
            None => value.to_string(),
        },
        other => other.to_string(),
    }
}

/// The tool definitions; `None` if there are none.
pub(super) fn tools(definitions: &Value) -> Option<Vec<Value>> {
    let Value::Array(list) = parsed(definitions) else { return None };
    let tool = |definition: &Value| {
        let definition = parsed(definition);
        let mut function = definition.as_object()?.clone();
        if function.contains_key("function") {
            return Some(definition);
        }
        function.remove("type");
        Some(json!({"type": "function", "function": function}))
    };
    let tools: Vec<Value> = list.iter().filter_map(tool).collect();
    Some(tools).filter(|tools| !tools.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_parts_become_messages_of_the_api() {
        let system = json!([{"type": "text", "content": "Be brief."}]);
        let input = json!([
            {"role": "user", "parts": [{"type": "text", "content": "Find it"}]},
            {"role": "assistant", "parts": [
                {"type": "reasoning", "content": "hm"},
                {"type": "tool_call", "id": "c1", "name": "grep", "arguments": {"q": "x"}}
            ]},
            {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "result": [{"type": "text", "text": "found"}]}]},
            {"role": "user", "content": "Thanks"}
        ]);
        let expected = json!([
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Find it"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "grep", "arguments": "{\"q\":\"x\"}"}}
            ]},
            {"role": "tool", "tool_call_id": "c1", "content": "found"},
            {"role": "user", "content": "Thanks"}
        ]);
        assert_eq!(Value::Array(messages(Some(&system), &input)), expected);
        assert_eq!(Value::Array(messages(Some(&system), &Value::String(input.to_string()))), expected, "as JSON text");
    }

    #[test]
    fn definitions_of_tools_get_the_shape_of_the_api() {
        let flat = json!([{"type": "function", "name": "grep", "parameters": {}}]);
        let nested = json!([{"type": "function", "function": {"name": "grep", "parameters": {}}}]);
        assert_eq!(Value::Array(tools(&flat).unwrap()), nested);
        assert_eq!(Value::Array(tools(&nested).unwrap()), nested);
        assert_eq!(tools(&json!([])), None);
    }
}
