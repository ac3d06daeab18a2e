//! The template that the bodies of `--endpoint-type template` are made of: Jinja, filled in with the turn.

mod bounds;
mod compact;
mod variables;

use std::error::Error as _;
use std::fmt;
use std::sync::Arc;

use minijinja::value::{Value as Jinja, ValueKind};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Map, Value};

use self::variables::{MESSAGES, TEMPLATE_VARIABLES, TemplateVariable};
use crate::TurnRequest;

/// A template that was compiled.
#[derive(Clone)]
pub struct PayloadTemplate {
    source: Arc<str>,
    environment: Arc<Environment<'static>>,
    /// The variables that the text may name. Making the others would take longer than writing a body.
    variables: Vec<&'static TemplateVariable>,
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
        let names = environment.get_template(NAME).map(|template| template.undeclared_variables(false));
        let names = names.map_err(|error| one_line(&error))?;
        // A name that is assigned in one branch only is not among the undeclared ones, so that the text decides. `messages` is often
        // the name of a field.
        let may_name = |name: &str| if name == MESSAGES { names.contains(name) } else { source.contains(name) };
        let variables = TEMPLATE_VARIABLES.iter().filter(|variable| may_name(variable.name)).collect();
        Ok(Self { source: source.into(), environment: Arc::new(environment), variables })
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

    /// One body as compact JSON, if it is an object. Nothing is stored but its text.
    pub(crate) fn render_compact(&self, request: &TurnRequest<'_>) -> Result<Option<Vec<u8>>, String> {
        let mut written = self.write(request)?;
        if written.trim_ascii_start().first() != Some(&b'{') {
            return Ok(None);
        }
        serde_json::from_slice::<IgnoredAny>(&written).map_err(|error| not_json(&written, "JSON object", &error))?;
        compact::remove_blanks(&mut written);
        Ok(Some(written))
    }

    fn render_as<T: DeserializeOwned>(&self, request: &TurnRequest<'_>, what: &str) -> Result<T, String> {
        let written = self.write(request)?;
        serde_json::from_slice(&written).map_err(|error| not_json(&written, what, &error))
    }

    fn write(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, String> {
        let mut context = Vec::with_capacity(self.variables.len());
        for variable in &self.variables {
            context.push((variable.name, (variable.value)(request)?));
        }
        let template = self.environment.get_template(NAME).map_err(|error| one_line(&error))?;
        let mut written = bounds::TemplateOutput::default();
        template.render_captured_to(Jinja::from_pairs(context), &mut written).map_err(|error| one_line(&error))?;
        Ok(written.0)
    }
}

fn not_json(written: &[u8], what: &str, error: &serde_json::Error) -> String {
    let start: String = String::from_utf8_lossy(written).chars().take(120).collect();
    format!("it does not render valid {what} ({error}): {start:?}")
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

#[cfg(test)]
mod tests {
    use aiperf_conversation::{ContextMode, Conversation, Lineage, Media, SessionId, Turn};
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
