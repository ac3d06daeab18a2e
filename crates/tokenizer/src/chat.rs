//! Chat templates, which turn a list of messages into one prompt as the model's tokenizer does. They are Jinja templates for
//! the Python libraries, stored next to the tokenizer.

use std::collections::BTreeMap;
use std::path::Path;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Error, ErrorKind, context};
use minijinja_contrib::pycompat::unknown_method_callback;
use serde::Serialize;
use serde_json::Value;

use crate::TokenizerError;

/// The files that may contain the template; the first has priority.
pub(crate) const TEMPLATE_FILE: &str = "chat_template.jinja";
pub(crate) const CONFIG_FILE: &str = "tokenizer_config.json";

const NAME: &str = "chat";

/// A parsed chat template.
#[derive(Debug)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    /// Special tokens such as `bos_token`, by name.
    special_tokens: BTreeMap<String, String>,
}

impl ChatTemplate {
    /// Reads the template from the files next to a `tokenizer.json`, either of which may be missing.
    pub(crate) fn read(name: &str, template: Option<&Path>, config: Option<&Path>) -> Result<Self, TokenizerError> {
        let text = |path: &Path| {
            std::fs::read_to_string(path)
                .map_err(|error| TokenizerError::Unreadable { path: path.to_owned(), reason: error.to_string() })
        };
        let template = template.map(text).transpose()?;
        let config = match config {
            Some(path) => serde_json::from_str(&text(path)?)
                .map_err(|error| TokenizerError::Invalid { path: path.to_owned(), reason: error.to_string() })?,
            None => Value::Null,
        };
        let source = template.or_else(|| configured(&config));
        let source = source.ok_or_else(|| TokenizerError::NoChatTemplate { name: name.to_owned() })?;
        Self::parse(&source, special_tokens(&config))
            .map_err(|reason| TokenizerError::ChatTemplate { name: name.to_owned(), reason })
    }

    pub(crate) fn parse(source: &str, special_tokens: BTreeMap<String, String>) -> Result<Self, String> {
        let mut environment = Environment::new();
        environment.set_syntax(
            SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(|e| explain(&e))?,
        );
        environment.set_unknown_method_callback(unknown_method_callback);
        environment.add_filter("tojson", python_json);
        environment.add_function("raise_exception", raise);
        // `strftime_now` is left undefined: templates then use a fixed date, and the same messages always have the same count.
        environment.add_template_owned(NAME, without_generation_tags(source)).map_err(|error| explain(&error))?;
        Ok(Self { environment, special_tokens })
    }

    /// The prompt of these messages, with the generation prompt at the end.
    pub fn render(&self, messages: &[Value], tools: Option<&[Value]>) -> Result<String, String> {
        self.fill(messages, tools, true)
    }

    /// The prompt of these messages without the generation prompt.
    pub fn render_so_far(&self, messages: &[Value]) -> Result<String, String> {
        self.fill(messages, None, false)
    }

    fn fill(&self, messages: &[Value], tools: Option<&[Value]>, add_generation_prompt: bool) -> Result<String, String> {
        let template = self.environment.get_template(NAME).map_err(|error| explain(&error))?;
        let special = minijinja::Value::from(Serde(&self.special_tokens));
        let (messages, tools) = (Serde(messages), tools.map(Serde));
        let values = context! { messages, tools, add_generation_prompt, ..special };
        template.render(values).map_err(|error| explain(&error))
    }
}

/// The template in the configuration: a text, or the one named `default` in a list.
fn configured(config: &Value) -> Option<String> {
    match config.get("chat_template")? {
        Value::String(source) => Some(source.clone()),
        Value::Array(named) => {
            let is_default = |entry: &&Value| entry.get("name").and_then(Value::as_str) == Some("default");
            let source = named.iter().find(is_default)?.get("template")?;
            source.as_str().map(str::to_owned)
        }
        _ => None,
    }
}

/// The special tokens: each is a text, or an object with the text in `content`.
fn special_tokens(config: &Value) -> BTreeMap<String, String> {
    let Some(config) = config.as_object() else { return BTreeMap::new() };
    let text = |value: &Value| value.as_str().or_else(|| value.get("content")?.as_str()).map(str::to_owned);
    let tokens = config.iter().filter(|(key, _)| key.ends_with("_token"));
    tokens.filter_map(|(key, value)| Some((key.clone(), text(value)?))).collect()
}

/// Removes `{% generation %}` tags. They mark assistant messages for training and add nothing to the prompt.
fn without_generation_tags(source: &str) -> String {
    let mut rest = source;
    let mut kept = String::with_capacity(source.len());
    while let Some(start) = rest.find("{%") {
        let Some(length) = rest[start..].find("%}") else { break };
        let end = start + length + 2;
        let tag = &rest[start + 2..end - 2];
        let word = tag.trim_matches(|c: char| c.is_whitespace() || c == '-' || c == '+');
        if word == "generation" || word == "endgeneration" {
            // An empty comment keeps the effect of the dashes on the surrounding white space.
            let (open, close) = (&tag[..usize::from(tag.starts_with('-'))], tag.ends_with('-'));
            kept.push_str(&rest[..start]);
            kept.push_str(&format!("{{#{open} {}#}}", if close { "-" } else { "" }));
        } else {
            kept.push_str(&rest[..end]);
        }
        rest = &rest[end..];
    }
    kept.push_str(rest);
    kept
}

fn raise(message: String) -> Result<String, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, message))
}

/// JSON with the spaces of Python's `json.dumps`, and without HTML escapes.
fn python_json(value: &minijinja::Value) -> Result<String, Error> {
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, PythonStyle);
    value.serialize(&mut serializer).map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}

struct PythonStyle;

impl serde_json::ser::Formatter for PythonStyle {
    fn begin_array_value<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, first: bool) -> std::io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, first: bool) -> std::io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + std::io::Write>(&mut self, writer: &mut W) -> std::io::Result<()> {
        writer.write_all(b": ")
    }
}

/// The cause of an error, and the line of the template.
fn explain(error: &Error) -> String {
    let place = error.line().map(|line| format!(" (line {line} of the template)")).unwrap_or_default();
    format!("{}{place}", error.detail().map_or_else(|| error.kind().to_string(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The usual shape, with what templates in the wild make use of.
    const CHATML: &str = "{%- if messages[0]['role'] != 'system' %}\n    {{- '<|im_start|>system\\nBe good.<|im_end|>\\n' }}\n\
        {%- endif %}\n{%- for message in messages %}\n    {% generation %}\n{{- '<|im_start|>' + message.role + '\\n' + \
        message['content'].strip() + '<|im_end|>' + '\\n' }}{% endgeneration %}\n{%- endfor %}\n{%- if tools %}{{ tools | tojson }}{% endif %}\
        {%- if add_generation_prompt %}\n    {{- '<|im_start|>assistant\\n' }}\n{%- endif %}";

    fn chatml() -> ChatTemplate {
        ChatTemplate::parse(CHATML, BTreeMap::new()).unwrap()
    }

    #[test]
    fn messages_are_laid_out_as_the_template_says() {
        let messages = [json!({"role": "user", "content": " Hi <b> "})];
        assert_eq!(
            chatml().render(&messages, None).unwrap(),
            "<|im_start|>system\nBe good.<|im_end|>\n<|im_start|>user\nHi <b><|im_end|>\n<|im_start|>assistant\n"
        );
        let with_system = [json!({"role": "system", "content": "Short."}), messages[0].clone()];
        assert_eq!(
            chatml().render_so_far(&with_system).unwrap(),
            "<|im_start|>system\nShort.<|im_end|>\n<|im_start|>user\nHi <b><|im_end|>\n"
        );
    }

    #[test]
    fn tools_are_written_as_python_writes_json() {
        let template = ChatTemplate::parse("{{ tools | tojson }}", BTreeMap::new()).unwrap();
        let tools = [json!({"name": "f", "args": [1, true, null, "é<"]})];
        assert_eq!(template.render(&[], Some(&tools)).unwrap(), r#"[{"name": "f", "args": [1, true, null, "é<"]}]"#);
    }

    #[test]
    fn special_tokens_and_refusals_come_through() {
        let config = json!({"bos_token": "<s>", "eos_token": {"content": "</s>"}, "pad_token": null});
        let source = "{{ bos_token }}{% if messages | length > 1 %}{{ raise_exception('one at a time') }}{% endif %}\
                      {{ messages[0].content }}{{ eos_token }}";
        let template = ChatTemplate::parse(source, special_tokens(&config)).unwrap();
        let message = json!({"role": "user", "content": "hi"});
        assert_eq!(template.render(std::slice::from_ref(&message), None).unwrap(), "<s>hi</s>");
        let error = template.render(&[message.clone(), message], None).unwrap_err();
        assert!(error.contains("one at a time"), "{error}");
    }

    #[test]
    fn the_template_stands_in_a_file_of_its_own_or_in_the_configuration() {
        let folder = tempfile::tempdir().unwrap();
        let (own, config) = (folder.path().join(TEMPLATE_FILE), folder.path().join(CONFIG_FILE));
        let rendered = |own: Option<&Path>, config: Option<&Path>| {
            ChatTemplate::read("t", own, config).map(|template| template.render(&[], None).unwrap())
        };
        std::fs::write(&own, "own").unwrap();
        std::fs::write(&config, r#"{"chat_template": "configured"}"#).unwrap();
        assert_eq!(rendered(Some(&own), Some(&config)).unwrap(), "own");
        assert_eq!(rendered(None, Some(&config)).unwrap(), "configured");
        let named =
            r#"{"chat_template": [{"name": "tool_use", "template": "x"}, {"name": "default", "template": "d"}]}"#;
        std::fs::write(&config, named).unwrap();
        assert_eq!(rendered(None, Some(&config)).unwrap(), "d");
        std::fs::write(&config, "{}").unwrap();
        let error = rendered(None, Some(&config)).unwrap_err().to_string();
        assert!(error.contains("--apply-chat-template") && error.contains('t'), "{error}");
        std::fs::write(&config, r#"{"chat_template": "{% if %}"}"#).unwrap();
        let error = rendered(None, Some(&config)).unwrap_err().to_string();
        assert!(error.contains("line 1"), "{error}");
    }
}
