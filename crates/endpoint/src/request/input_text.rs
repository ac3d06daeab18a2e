//! Which text of a sent body counts as input, found by the shape of the body itself, so that bodies a data set brings
//! ready-made are counted like those built here.

use serde_json::{Map, Value};

use crate::request::kserve;
use crate::request::multipart;

/// The countable input of one request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InputText {
    /// Each is to be encoded by itself: the messages of a conversation are one text, joined by spaces; the texts of a
    /// batch, which the server reads one by one, are as many.
    pub texts: Vec<String>,
    /// Tokens of prompts that were sent as token ids.
    pub pretokenised: u64,
    /// Images in the request.
    pub images: u64,
    /// The next text continues the last one.
    continues: bool,
}

impl InputText {
    /// Reads a JSON body or a form; `None` for one of no known shape.
    pub(crate) fn of_body(body: &[u8]) -> Option<Self> {
        if let Some(prompt) = multipart::field(body, "prompt") {
            return Some(Self { texts: vec![prompt.to_owned()], ..Self::default() });
        }
        let Ok(Value::Object(mut fields)) = serde_json::from_slice(body) else { return None };
        let mut input = Self::default();
        let known = input.take_messages(&mut fields) || input.take_items(&mut fields) || input.take_plain(&mut fields);
        known.then_some(Self { continues: false, ..input })
    }

    /// The inputs of a `KServe` request in JSON: its text is the first tensor that holds text.
    pub(crate) fn of_tensors(inputs: &[Value]) -> Option<Self> {
        let is_text = |input: &&Value| input["datatype"] == "BYTES" && input["name"] != kserve::SAMPLING;
        let data = inputs.iter().find(is_text)?["data"].as_array()?;
        let mut input = Self::default();
        data.iter().filter_map(Value::as_str).for_each(|text| input.take_text(text.to_owned()));
        Some(input)
    }

    /// Chat completions and Anthropic's messages.
    fn take_messages(&mut self, fields: &mut Map<String, Value>) -> bool {
        let Some(Value::Array(messages)) = taken(fields, "messages") else { return false };
        self.continues = true;
        match taken(fields, "system") {
            Some(Value::String(text)) => self.take_text(text),
            Some(Value::Array(blocks)) => blocks.into_iter().for_each(|block| self.take_part(block)),
            _ => {}
        }
        for message in messages {
            self.take_message(message);
        }
        self.take_tools(fields);
        true
    }

    /// The items of a Responses request, or the images of an image retrieval: objects with a role or a type.
    fn take_items(&mut self, fields: &mut Map<String, Value>) -> bool {
        let is_item = |item: &Value| item.get("role").is_some() || item.get("type").is_some();
        if !fields.get("input").and_then(Value::as_array).is_some_and(|items| items.iter().any(is_item)) {
            return false;
        }
        let Some(Value::Array(items)) = taken(fields, "input") else { return false };
        self.continues = true;
        if let Some(Value::String(text)) = taken(fields, "instructions") {
            self.take_text(text);
        }
        for mut item in items {
            match item.get("type").and_then(Value::as_str) {
                Some("function_call") => self.take_named(Some(&mut item), &["name", "arguments"]),
                Some("function_call_output") => self.take_named(Some(&mut item), &["output"]),
                Some("image_url" | "input_text" | "text") => self.take_part(item),
                _ => self.take_message(item),
            }
        }
        self.take_tools(fields);
        true
    }

    /// Everything that is asked in a text or a list of texts.
    fn take_plain(&mut self, fields: &mut Map<String, Value>) -> bool {
        for name in ["prompt", "input"] {
            if let Some(prompt) = taken(fields, name) {
                let known = self.take_prompt(prompt);
                if let Some(Value::String(text)) = taken(fields, "instructions") {
                    self.continues = true;
                    self.take_text(text);
                }
                return known;
            }
        }
        if let Some(query) = taken(fields, "query") {
            let mut known = self.take_texts(query);
            for name in ["passages", "documents", "texts"] {
                known |= taken(fields, name).is_some_and(|passages| self.take_texts(passages));
            }
            return known;
        }
        if let Some(tensors) = fields.get("inputs").and_then(Value::as_array).and_then(|all| Self::of_tensors(all)) {
            *self = tensors;
            return true;
        }
        let alone = ["inputs", "text_input", "text", "texts"].into_iter().find_map(|name| taken(fields, name));
        alone.is_some_and(|texts| self.take_texts(texts))
    }

    fn take_message(&mut self, mut message: Value) {
        match message.get_mut("content").map(Value::take) {
            Some(Value::String(text)) => self.take_text(text),
            Some(Value::Array(parts)) => self.take_parts(parts),
            _ => {}
        }
        if let Some(Value::Array(calls)) = message.get_mut("tool_calls").map(Value::take) {
            for mut call in calls {
                self.take_named(call.get_mut("function"), &["name", "arguments"]);
                self.take_named(call.get_mut("custom"), &["name", "input"]);
            }
        }
        self.take_named(message.get_mut("function_call"), &["name", "arguments"]);
    }

    /// The texts of a batch are parts of one message.
    fn take_parts(&mut self, parts: Vec<Value>) {
        let mut texts = 0;
        for part in parts {
            texts += usize::from(part["text"].as_str().is_some_and(|text| !text.is_empty()));
            self.continues = texts < 2;
            self.take_part(part);
        }
        self.continues = true;
    }

    fn take_part(&mut self, mut part: Value) {
        match part.get("type").and_then(Value::as_str) {
            Some("image_url" | "input_image" | "image") => self.images += 1,
            Some("tool_use") => self.take_named(Some(&mut part), &["name", "input"]),
            Some("tool_result") => match part.get_mut("content").map(Value::take) {
                Some(Value::String(text)) => self.take_text(text),
                Some(Value::Array(blocks)) => blocks.into_iter().for_each(|block| self.take_part(block)),
                _ => {}
            },
            _ => {}
        }
        self.take_named(Some(&mut part), &["text"]);
    }

    /// A tool's schema is part of what the model is given to read. It stands in `function`, or in the tool itself.
    fn take_tools(&mut self, fields: &mut Map<String, Value>) {
        let Some(Value::Array(tools)) = taken(fields, "tools") else { return };
        for mut tool in tools {
            let names = ["name", "description", "parameters", "input_schema"];
            if tool.get("function").is_some() {
                self.take_named(tool.get_mut("function"), &names);
            } else {
                self.take_named(Some(&mut tool), &names);
            }
        }
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

    /// One text, a list of texts, a list of token ids, or a list of such lists. False if nothing of it could be read.
    fn take_prompt(&mut self, prompt: Value) -> bool {
        match prompt {
            Value::String(text) => self.take_text(text),
            Value::Number(_) => self.pretokenised += 1,
            Value::Array(items) => return any_of(items, |item| self.take_prompt(item)),
            _ => return false,
        }
        true
    }

    /// Texts that may stand in objects of their own. False if nothing of them could be read.
    fn take_texts(&mut self, texts: Value) -> bool {
        match texts {
            Value::String(text) => self.take_text(text),
            Value::Array(items) => return any_of(items, |item| self.take_texts(item)),
            mut object if object.get("text").is_some() => self.take_named(Some(&mut object), &["text"]),
            _ => return false,
        }
        true
    }

    fn take_text(&mut self, text: String) {
        if text.is_empty() {
            return;
        }
        match self.texts.last_mut().filter(|_| self.continues) {
            Some(last) => {
                last.push(' ');
                last.push_str(&text);
            }
            None => self.texts.push(text),
        }
    }
}

/// Takes every item. Nothing is asked by an empty list, which is understood.
fn any_of(items: Vec<Value>, mut take: impl FnMut(Value) -> bool) -> bool {
    let is_empty = items.is_empty();
    items.into_iter().fold(is_empty, |known, item| take(item) || known)
}

fn taken(fields: &mut Map<String, Value>, name: &str) -> Option<Value> {
    fields.get_mut(name).map(Value::take).filter(|value| !value.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(body: &str) -> Vec<String> {
        InputText::of_body(body.as_bytes()).unwrap().texts
    }

    #[test]
    fn messages_give_their_text_and_media_add_none() {
        let body = r#"{"messages":[{"role":"system","content":"S"},{"role":"user","content":[
            {"type":"text","text":"A"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}},
            {"type":"text","text":"B"}]},{"role":"assistant","content":null}]}"#;
        assert_eq!(texts(body), ["S A", "B"]);
        assert_eq!(InputText::of_body(body.as_bytes()).unwrap().images, 1);
    }

    #[test]
    fn tools_and_calls_in_the_history_count() {
        let body = r#"{"messages":[{"role":"assistant","content":null,
            "tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":1}"}},{"custom":{"name":"h","input":"i"}}]}],
            "tools":[{"type":"function","function":{"name":"g","description":"does","parameters":{"type": "object"}}}]}"#;
        assert_eq!(texts(body), [r#"f {"a":1} h i g does {"type":"object"}"#]);
    }

    #[test]
    fn anthropic_blocks_count_with_system_tools_and_their_results() {
        let body = r#"{"system":[{"type":"text","text":"S"}],"messages":[{"role":"user","content":[
            {"type":"image","source":{"type":"url","url":"x"}},{"type":"tool_result","content":[{"type":"text","text":"R"}]}]},
            {"role":"assistant","content":[{"type":"tool_use","name":"f","input":{"a":1}}]}],
            "tools":[{"name":"g","input_schema":{"type":"object"}}]}"#;
        assert_eq!(texts(body), [r#"S R f {"a":1} g {"type":"object"}"#]);
        assert_eq!(InputText::of_body(body.as_bytes()).unwrap().images, 1);
    }

    #[test]
    fn items_count_with_the_instructions() {
        let body = r#"{"instructions":"I","input":[{"role":"user","content":"A","type":"message"},
            {"type":"function_call","name":"f","arguments":"{}"},{"type":"function_call_output","output":"O"},
            {"role":"user","content":[{"type":"input_text","text":"B"},{"type":"input_image","image_url":"x"}]}]}"#;
        assert_eq!(texts(body), ["I A f {} O B"]);
        assert_eq!(texts(r#"{"input":"A","instructions":"I"}"#), ["A I"]);
        assert_eq!(InputText::of_body(br#"{"input":[{"type":"image_url","url":"x"}]}"#).unwrap().images, 1);
    }

    #[test]
    fn prompts_and_inputs_come_as_text_lists_or_token_ids() {
        assert_eq!(texts(r#"{"prompt":"a"}"#), ["a"]);
        assert_eq!(texts(r#"{"prompt":["a","b"]}"#), ["a", "b"]);
        assert_eq!(texts(r#"{"input":["a","b"]}"#), ["a", "b"]);
        assert_eq!(texts(r#"{"inputs":"a"}"#), ["a"]);
        assert_eq!(texts(r#"{"text_input":["a"]}"#), ["a"]);
        let counted = |body: &[u8]| InputText::of_body(body).unwrap().pretokenised;
        assert_eq!(counted(br#"{"prompt":[1,2,3]}"#), 3);
        assert_eq!(counted(br#"{"input":[[1,2],[3]]}"#), 3);
    }

    #[test]
    fn the_texts_of_a_batch_are_counted_one_by_one() {
        let part = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
        let content = format!("[{},{},{}]", part("a"), part("b"), part("c"));
        let body = format!(
            r#"{{"messages":[{{"role":"system","content":"S"}},{{"role":"user","content":{content}}},{{"role":"user","content":"d"}}]}}"#
        );
        assert_eq!(texts(&body), ["S a", "b", "c d"]);
    }

    #[test]
    fn a_query_counts_with_its_passages_under_any_of_their_names() {
        assert_eq!(texts(r#"{"query":"q","documents":["a","b"]}"#), ["q", "a", "b"]);
        assert_eq!(texts(r#"{"query":"q","texts":["a"]}"#), ["q", "a"]);
        assert_eq!(texts(r#"{"query":{"text":"q"},"passages":[{"text":"a"}]}"#), ["q", "a"]);
        assert_eq!(texts(r#"{"query":["q"],"filters":{"a":"b"}}"#), ["q"]);
    }

    #[test]
    fn tensors_count_by_the_first_that_holds_text() {
        let body = r#"{"inputs":[{"name":"max_tokens","shape":[1],"datatype":"INT32","data":[8]},
            {"name":"sampling_parameters","shape":[1],"datatype":"BYTES","data":["{}"]},
            {"name":"text_input","shape":[2],"datatype":"BYTES","data":["a","b"]},
            {"name":"bad_words","shape":[1],"datatype":"BYTES","data":["c"]}]}"#;
        assert_eq!(texts(body), ["a", "b"]);
    }

    #[test]
    fn a_body_of_another_shape_has_no_count() {
        for odd in [
            "",
            "[]",
            "{",
            r#"{"anything":"goes"}"#,
            r#"{"prompt":null}"#,
            r#"{"prompt":{}}"#,
            r#"{"input":[{"image":"x"}]}"#,
            r#"{"inputs":[{"name":"x","datatype":"FP32","shape":[1],"data":[0.5]}]}"#,
            r#"{"inputs":[{"words":"x"}]}"#,
            r#"{"query":{"vector":[1]}}"#,
            r#"{"text":5}"#,
        ] {
            assert_eq!(InputText::of_body(odd.as_bytes()), None, "{odd}");
        }
        for empty in [r#"{"messages":[1,"x",null]}"#, r#"{"prompt":""}"#, r#"{"inputs":[]}"#] {
            assert_eq!(InputText::of_body(empty.as_bytes()), Some(InputText::default()), "{empty}");
        }
    }
}
