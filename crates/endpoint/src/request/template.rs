//! The template that the bodies of `--endpoint-type template` are made of: Jinja, filled in with the turn.

mod bounds;

use std::error::Error as _;
use std::fmt;
use std::sync::Arc;

use aiperf_conversation::{Media, Turn};
use minijinja::value::{Serde, Value as Jinja, ValueKind};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::request::media::each;
use crate::request::unsent::{PASSAGES, QUERY};
use crate::{Past, TurnRequest};

/// A template that was compiled.
#[derive(Clone)]
pub struct PayloadTemplate {
    source: Arc<str>,
    environment: Arc<Environment<'static>>,
}

const NAME: &str = "payload_template";

impl PayloadTemplate {
    /// Compiles a template; the error names what is wrong and where.
    pub fn parse(source: &str) -> Result<Self, String> {
        let mut environment = Environment::new();
        environment.set_formatter(write_value);
        // Values are escaped as they are written, so that what a macro or a block has written is not to be escaped again.
        environment.set_auto_escape_callback(|_| AutoEscape::Json);
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        bounds::apply(&mut environment);
        environment.add_template_owned(NAME, source.to_owned()).map_err(|error| one_line(&error))?;
        Ok(Self { source: source.into(), environment: Arc::new(environment) })
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the limit of a turn can be among what it writes.
    pub fn may_write_limit(&self) -> bool {
        let names = self.environment.get_template(NAME).map(|template| template.undeclared_variables(false));
        names
            .is_ok_and(|names| ["max_tokens", "turn", "turns", "request_info"].iter().any(|name| names.contains(*name)))
    }

    /// One body. GenAI-Perf's templates give a list of bodies; one that has a single body in it is as good.
    pub(crate) fn render(&self, request: &TurnRequest<'_>) -> Result<Map<String, Value>, String> {
        let one = |value: Value| if let Value::Object(body) = value { Ok(body) } else { Err(value) };
        let body = match self.render_as(request, "JSON object")? {
            Value::Array(bodies) if bodies.len() == 1 => bodies.into_iter().map(one).collect::<Result<Vec<_>, _>>(),
            value => one(value).map(|body| vec![body]),
        };
        match body.map(|bodies| bodies.into_iter().next()) {
            Ok(Some(body)) => Ok(body),
            Err(Value::Array(bodies)) => {
                Err(format!("it renders a list of {} bodies; a request has one", bodies.len()))
            }
            Ok(None) | Err(_) => Err("it does not render a JSON object".to_owned()),
        }
    }

    /// An object, or a list of objects.
    pub(crate) fn render_any(&self, request: &TurnRequest<'_>) -> Result<Value, String> {
        self.render_as(request, "JSON")
    }

    fn render_as<T: DeserializeOwned>(&self, request: &TurnRequest<'_>, what: &str) -> Result<T, String> {
        let variables = TemplateVariables::of(request)?;
        let template = self.environment.get_template(NAME).map_err(|error| one_line(&error))?;
        let mut written = bounds::TemplateOutput::default();
        template.render_captured_to(Serde(variables), &mut written).map_err(|error| one_line(&error))?;
        serde_json::from_slice(&written.0).map_err(|error| {
            let start: String = String::from_utf8_lossy(&written.0).chars().take(120).collect();
            format!("it does not render valid {what} ({error}): {start:?}")
        })
    }
}

fn one_line(error: &Error) -> String {
    let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    let line = error.line().map(|line| format!(" in line {line}")).unwrap_or_default();
    // The error of the writer names the limit that was exceeded.
    let written = error.source().filter(|_| error.kind() == ErrorKind::WriteFailure);
    let written = written.map(|source| format!(": {source}")).unwrap_or_default();
    format!("{}{detail}{written}{line}", error.kind())
}

/// Values are written so that the JSON around them stays JSON: texts escaped for the string that they stand in, anything
/// else as JSON. What went through `tojson` is written as it is.
fn write_value(out: &mut Output<'_>, _: &mut State<'_, '_>, value: &Jinja) -> Result<(), Error> {
    let failed = |error: &dyn fmt::Display| Error::new(ErrorKind::BadSerialization, error.to_string());
    if value.is_undefined() {
        return Err(Error::new(ErrorKind::UndefinedError, "unknown variable"));
    }
    let text = match value.as_str() {
        Some(text) if value.is_safe() => text.to_owned(),
        Some(text) => {
            let quoted = serde_json::to_string(text).map_err(|error| failed(&error))?;
            quoted[1..quoted.len() - 1].to_owned()
        }
        None if value.kind() == ValueKind::None => "null".to_owned(),
        None => serde_json::to_string(value).map_err(|error| failed(&error))?,
    };
    out.write_str(&text).map_err(|error| failed(&error))
}

impl fmt::Debug for PayloadTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PayloadTemplate").field(&self.source).finish()
    }
}

impl PartialEq for PayloadTemplate {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

/// Everything that a template can name.
#[derive(Debug, Serialize)]
struct TemplateVariables<'a> {
    text: Option<&'a str>,
    texts: Vec<&'a str>,
    image: Option<&'a str>,
    images: Vec<&'a str>,
    audio: Option<&'a str>,
    audios: Vec<&'a str>,
    video: Option<&'a str>,
    videos: Vec<&'a str>,
    query: Option<&'a str>,
    queries: Vec<&'a str>,
    passage: Option<&'a str>,
    passages: Vec<&'a str>,
    texts_by_name: Map<String, Value>,
    images_by_name: Map<String, Value>,
    audios_by_name: Map<String, Value>,
    videos_by_name: Map<String, Value>,
    model: &'a str,
    max_tokens: Option<u32>,
    role: &'a str,
    stream: bool,
    turn: TemplateTurn<'a>,
    turns: Vec<TemplateTurn<'a>>,
    request_info: RequestInfo<'a>,
}

/// A turn, or a reply between two turns.
#[derive(Debug, Clone, Serialize)]
struct TemplateTurn<'a> {
    role: &'a str,
    texts: Vec<&'a str>,
    images: Vec<&'a str>,
    audios: Vec<&'a str>,
    videos: Vec<&'a str>,
    model: &'a str,
    max_tokens: Option<u32>,
}

#[derive(Debug, Serialize)]
struct RequestInfo<'a> {
    conversation_id: &'a str,
    turn_index: usize,
    system_message: Option<&'a str>,
    user_context_message: Option<&'a str>,
    turns: Vec<TemplateTurn<'a>>,
}

impl<'a> TemplateVariables<'a> {
    fn of(request: &TurnRequest<'a>) -> Result<Self, String> {
        let turn = request.current().map_err(|error| error.to_string())?;
        let mut turns = Vec::with_capacity(request.history.len() + 1);
        for past in request.history {
            match past {
                Past::Turn { .. } => {
                    let before = past.turn().map_err(|error| error.to_string())?;
                    turns.extend(before.map(TemplateTurn::of));
                }
                Past::Message(message) => turns.push(TemplateTurn::reply(message)),
            }
        }
        turns.push(TemplateTurn::of(turn));
        let named = |names: [&str; 2]| -> Vec<&'a str> {
            let fields = turn.texts.iter().filter(|field| names.contains(&field.name.as_str()));
            fields.flat_map(|field| field.contents.iter().map(|text| &**text)).collect()
        };
        let (queries, passages) = (named(QUERY), named(PASSAGES));
        let current = TemplateTurn::of(turn);
        Ok(Self {
            text: current.texts.first().copied(),
            texts: current.texts.clone(),
            image: current.images.first().copied(),
            images: current.images.clone(),
            audio: current.audios.first().copied(),
            audios: current.audios.clone(),
            video: current.videos.first().copied(),
            videos: current.videos.clone(),
            query: queries.first().copied(),
            queries,
            passage: passages.first().copied(),
            passages,
            texts_by_name: by_name(&turn.texts),
            images_by_name: by_name(&turn.images),
            audios_by_name: by_name(&turn.audios),
            videos_by_name: by_name(&turn.videos),
            model: &turn.model,
            max_tokens: turn.max_tokens,
            role: current.role,
            stream: request.options.streaming,
            turn: current,
            request_info: RequestInfo {
                conversation_id: &request.conversation.session_id.0,
                turn_index: request.turn,
                system_message: request.conversation.system.as_deref(),
                user_context_message: request.conversation.user_context.as_deref(),
                turns: turns.clone(),
            },
            turns,
        })
    }
}

impl<'a> TemplateTurn<'a> {
    fn of(turn: &'a Turn) -> Self {
        Self {
            role: turn.role.as_ref().map_or("user", |role| &*role.0),
            texts: turn.all_texts().collect(),
            images: each(&turn.images).collect(),
            audios: each(&turn.audios).collect(),
            videos: each(&turn.videos).collect(),
            model: &turn.model,
            max_tokens: turn.max_tokens,
        }
    }

    fn reply(message: &'a Value) -> Self {
        let none = Vec::new;
        let text = message.get("content").and_then(Value::as_str);
        let role = message.get("role").and_then(Value::as_str).unwrap_or("assistant");
        let texts = text.into_iter().collect();
        Self { role, texts, images: none(), audios: none(), videos: none(), model: "", max_tokens: None }
    }
}

fn by_name(media: &[Media]) -> Map<String, Value> {
    let mut named = Map::new();
    for field in media {
        let contents = field.contents.iter().map(|content| Value::String(content.to_string()));
        if let Value::Array(all) = named.entry(field.name.clone()).or_insert_with(|| Value::Array(Vec::new())) {
            all.extend(contents);
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use aiperf_conversation::{ContextMode, Conversation, Lineage, SessionId};
    use serde_json::json;

    use super::*;
    use crate::BodyOptions;

    fn rendered(source: &str) -> Result<Value, String> {
        let turn = Turn { texts: vec![Media::unnamed("hi")], model: "m".into(), ..Turn::default() };
        let conversation = Conversation {
            session_id: SessionId("s".into()),
            turns: vec![turn],
            system: None,
            user_context: None,
            context_mode: ContextMode::default(),
            lineage: Lineage::Root,
        };
        let options = BodyOptions::default();
        let request = TurnRequest { conversation: &conversation, turn: 0, history: &[], options: &options };
        PayloadTemplate::parse(source)?.render(&request).map(Value::Object)
    }

    #[test]
    fn loops_macros_and_filters_do_what_they_should() {
        let list = r#"{"a": [{% for i in range(3) %}{{ i }}{% if not loop.last %},{% endif %}{% endfor %}]}"#;
        assert_eq!(rendered(list), Ok(json!({"a": [0, 1, 2]})));
        let made = r#"{% macro quoted(s) %}"{{ s }}"{% endmacro %}{"a": {{ quoted(text) }}, "b": {{ texts|batch(2)|list|tojson(indent=2) }}}"#;
        assert_eq!(rendered(made), Ok(json!({"a": "hi", "b": [["hi"]]})));
        let block = r#"{% set b %}["{{ text }}"]{% endset %}{"a": {{ b }}}"#;
        assert_eq!(rendered(block), Ok(json!({"a": ["hi"]})));
        assert_eq!(rendered(r#"{"a": "{{ "%04d"|format(7) }}"}"#), Ok(json!({"a": "0007"})));
    }

    #[test]
    fn a_list_with_one_body_is_that_body() {
        assert_eq!(rendered(r#"[{"a": 1}]"#), Ok(json!({"a": 1})));
        assert!(rendered(r#"[{"a": 1}, {"a": 2}]"#).unwrap_err().contains("list of 2 bodies"));
        for neither in ["[1]", "[]", "3"] {
            assert!(rendered(neither).is_err(), "{neither}");
        }
    }

    #[test]
    fn a_template_that_runs_away_is_stopped() {
        for (source, why) in [
            ("{% for a in range(99999) %}{% for b in range(99999) %}{% set x = 1 %}{% endfor %}{% endfor %}", "fuel"),
            (r"{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}", "recursion"),
            (r#"{% for a in range(9) %}{{ "abcdefghij" * 9999999 }}{% endfor %}"#, "MiB"),
            (r"{{ text|indent(99999999999) }}", "above 1000"),
            (r"{{ text|indent(width=99999999999) }}", "above 1000"),
            (r"{{ text|tojson(indent=9999999999) }}", "above 1000"),
            (r"{{ texts|slice(99999999999)|list }}", "above 1000"),
            (r"{{ texts|batch(99999999999, 1)|list }}", "above 1000"),
            (r#"{{ "%99999999999d"|format(1) }}"#, "above 1000"),
            (r#"{{ "%*d"|format(99999999999, 1) }}"#, "above 1000"),
        ] {
            let error = rendered(source).unwrap_err();
            assert!(error.contains(why), "{source}: {error}");
        }
        let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(PayloadTemplate::parse(&format!("{{{{ {deep} }}}}")).is_err());
    }
}
