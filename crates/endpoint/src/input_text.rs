//! Which text of a sent body counts as input, found by the shape of the body itself, so that bodies a data set brings
//! ready-made are counted like those built here.

use serde_json::Value;

/// The countable input of one request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InputText {
    /// To be joined by one space and encoded once.
    pub texts: Vec<String>,
    /// Tokens of prompts that were sent as token ids.
    pub pretokenised: u64,
    /// Image parts in the messages.
    pub images: u64,
}

impl InputText {
    /// Reads a JSON body; one that is no JSON object counts as empty.
    pub(crate) fn of_body(body: &[u8]) -> Self {
        let mut input = Self::default();
        let Ok(Value::Object(mut fields)) = serde_json::from_slice(body) else { return input };
        let mut field = |name: &str| fields.get_mut(name).map(Value::take);
        if let Some(Value::Array(messages)) = field("messages") {
            for message in messages {
                input.take_message(message);
            }
            if let Some(Value::Array(tools)) = field("tools") {
                for tool in tools {
                    input.take_tool(tool);
                }
            }
        } else if let Some(prompt) = field("prompt").or_else(|| field("input")) {
            input.take_prompt(prompt);
        }
        input
    }

    fn take_message(&mut self, mut message: Value) {
        match message.get_mut("content").map(Value::take) {
            Some(Value::String(text)) => self.take_text(text),
            Some(Value::Array(parts)) => parts.into_iter().for_each(|part| self.take_part(part)),
            _ => {}
        }
        if let Some(Value::Array(calls)) = message.get_mut("tool_calls").map(Value::take) {
            for mut call in calls {
                self.take_named(call.get_mut("function"), &["name", "arguments"]);
            }
        }
        self.take_named(message.get_mut("function_call"), &["name", "arguments"]);
    }

    fn take_part(&mut self, mut part: Value) {
        if part.get("type").and_then(Value::as_str) == Some("image_url") {
            self.images += 1;
        }
        self.take_named(Some(&mut part), &["text"]);
    }

    /// A tool's schema is part of what the model is given to read.
    fn take_tool(&mut self, mut tool: Value) {
        self.take_named(tool.get_mut("function"), &["name", "description", "parameters"]);
    }

    /// Strings as they are, objects as compact JSON.
    fn take_named(&mut self, object: Option<&mut Value>, names: &[&str]) {
        let Some(object) = object else { return };
        for name in names {
            match object.get_mut(*name).map(Value::take) {
                Some(Value::String(text)) => self.take_text(text),
                Some(json @ (Value::Object(_) | Value::Array(_))) => self.take_text(json.to_string()),
                _ => {}
            }
        }
    }

    /// One text, a list of texts, a list of token ids, or a list of such lists.
    fn take_prompt(&mut self, prompt: Value) {
        match prompt {
            Value::String(text) => self.take_text(text),
            Value::Number(_) => self.pretokenised += 1,
            Value::Array(items) => items.into_iter().for_each(|item| self.take_prompt(item)),
            _ => {}
        }
    }

    fn take_text(&mut self, text: String) {
        if !text.is_empty() {
            self.texts.push(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(body: &str) -> Vec<String> {
        InputText::of_body(body.as_bytes()).texts
    }

    #[test]
    fn messages_give_their_text_and_media_add_none() {
        let body = r#"{"messages":[{"role":"system","content":"S"},{"role":"user","content":[
            {"type":"text","text":"A"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}},
            {"type":"text","text":"B"}]},{"role":"assistant","content":null}]}"#;
        assert_eq!(texts(body), ["S", "A", "B"]);
        assert_eq!(InputText::of_body(body.as_bytes()).images, 1);
    }

    #[test]
    fn tools_and_calls_in_the_history_count() {
        let body = r#"{"messages":[{"role":"assistant","content":null,
            "tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":1}"}}]}],
            "tools":[{"type":"function","function":{"name":"g","description":"does","parameters":{"type": "object"}}}]}"#;
        assert_eq!(texts(body), ["f", r#"{"a":1}"#, "g", "does", r#"{"type":"object"}"#]);
    }

    #[test]
    fn prompts_and_inputs_come_as_text_lists_or_token_ids() {
        assert_eq!(texts(r#"{"prompt":"a"}"#), ["a"]);
        assert_eq!(texts(r#"{"prompt":["a","b"]}"#), ["a", "b"]);
        assert_eq!(texts(r#"{"input":["a","b"]}"#), ["a", "b"]);
        assert_eq!(InputText::of_body(br#"{"prompt":[1,2,3]}"#).pretokenised, 3);
        assert_eq!(InputText::of_body(br#"{"input":[[1,2],[3]]}"#).pretokenised, 3);
    }

    #[test]
    fn a_body_of_another_shape_counts_as_empty() {
        for odd in ["", "[]", "{", r#"{"messages":[1,"x",null]}"#, r#"{"prompt":{}}"#] {
            assert_eq!(InputText::of_body(odd.as_bytes()), InputText::default(), "{odd}");
        }
    }
}
