//! The variables that a payload template can name. Each is made only if the text of the template names it.

use aiperf_conversation::{Media, Turn};
use aiperf_protocol::EndpointKind;
use minijinja::value::{Serde, Value as Jinja};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::request::media::each;
use crate::request::message::{self, ContentStyle};
use crate::request::unsent::{PASSAGES, QUERY};
use crate::{Past, TurnRequest};

/// A variable: its name, and how its value is made of a request.
pub(super) struct TemplateVariable {
    pub(super) name: &'static str,
    pub(super) value: fn(&TurnRequest<'_>) -> Result<Jinja, String>,
}

/// The conversation up to this turn as chat messages, which is also a common name of fields.
pub(super) const MESSAGES: &str = "messages";

pub(super) const TEMPLATE_VARIABLES: [TemplateVariable; 25] = [
    variable("text", |request| Ok(first(turn(request)?.all_texts()))),
    variable("texts", |request| Ok(all(turn(request)?.all_texts()))),
    variable("image", |request| Ok(first(each(&turn(request)?.images)))),
    variable("images", |request| Ok(all(each(&turn(request)?.images)))),
    variable("audio", |request| Ok(first(each(&turn(request)?.audios)))),
    variable("audios", |request| Ok(all(each(&turn(request)?.audios)))),
    variable("video", |request| Ok(first(each(&turn(request)?.videos)))),
    variable("videos", |request| Ok(all(each(&turn(request)?.videos)))),
    variable("query", |request| Ok(first(named(turn(request)?, QUERY)))),
    variable("queries", |request| Ok(all(named(turn(request)?, QUERY)))),
    variable("passage", |request| Ok(first(named(turn(request)?, PASSAGES)))),
    variable("passages", |request| Ok(all(named(turn(request)?, PASSAGES)))),
    variable("texts_by_name", |request| Ok(by_name(&turn(request)?.texts))),
    variable("images_by_name", |request| Ok(by_name(&turn(request)?.images))),
    variable("audios_by_name", |request| Ok(by_name(&turn(request)?.audios))),
    variable("videos_by_name", |request| Ok(by_name(&turn(request)?.videos))),
    variable("model", |request| Ok(Jinja::from(&*turn(request)?.model))),
    variable("max_tokens", |request| Ok(Jinja::from(turn(request)?.max_tokens))),
    variable("role", |request| Ok(Jinja::from(TemplateTurn::of(turn(request)?).role))),
    variable("stream", |request| Ok(Jinja::from(request.options.streaming))),
    variable("turn", |request| Ok(Jinja::from(Serde(TemplateTurn::of(turn(request)?))))),
    variable("turns", |request| Ok(Jinja::from(Serde(turns(request)?)))),
    variable("request_info", |request| Ok(Jinja::from(Serde(RequestInfo::of(request)?)))),
    variable("system", |request| Ok(Jinja::from(request.conversation.system.as_deref()))),
    variable(MESSAGES, messages),
];

const fn variable(name: &'static str, value: fn(&TurnRequest<'_>) -> Result<Jinja, String>) -> TemplateVariable {
    TemplateVariable { name, value }
}

fn turn<'a>(request: &TurnRequest<'a>) -> Result<&'a Turn, String> {
    request.current().map_err(|error| error.to_string())
}

fn first<'a>(mut texts: impl Iterator<Item = &'a str>) -> Jinja {
    Jinja::from(texts.next())
}

fn all<'a>(texts: impl Iterator<Item = &'a str>) -> Jinja {
    texts.map(Jinja::from).collect()
}

fn named<'a>(turn: &'a Turn, names: [&'static str; 2]) -> impl Iterator<Item = &'a str> {
    let fields = turn.texts.iter().filter(move |field| names.contains(&field.name.as_str()));
    fields.flat_map(|field| field.contents.iter().map(|text| &**text))
}

/// The messages that the chat endpoint would send, as JSON.
fn messages(request: &TurnRequest<'_>) -> Result<Jinja, String> {
    let messages =
        message::messages(request, EndpointKind::Chat, ContentStyle::of(request)).map_err(|error| error.to_string())?;
    serde_json::to_string(&messages).map(Jinja::from_safe_string).map_err(|error| error.to_string())
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

impl<'a> RequestInfo<'a> {
    fn of(request: &TurnRequest<'a>) -> Result<Self, String> {
        Ok(Self {
            conversation_id: &request.conversation.session_id.0,
            turn_index: request.turn,
            system_message: request.conversation.system.as_deref(),
            user_context_message: request.conversation.user_context.as_deref(),
            turns: turns(request)?,
        })
    }
}

/// The turns and replies so far, and the turn itself.
fn turns<'a>(request: &TurnRequest<'a>) -> Result<Vec<TemplateTurn<'a>>, String> {
    let mut turns = Vec::with_capacity(request.history.len() + 1);
    for past in request.history {
        match past {
            Past::Turn { .. } => turns.extend(past.turn().map_err(|error| error.to_string())?.map(TemplateTurn::of)),
            Past::Message(message) => turns.push(TemplateTurn::reply(message)),
        }
    }
    turns.push(TemplateTurn::of(turn(request)?));
    Ok(turns)
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

fn by_name(media: &[Media]) -> Jinja {
    let mut named = Map::new();
    for field in media {
        let contents = field.contents.iter().map(|content| Value::String(content.to_string()));
        if let Value::Array(all) = named.entry(field.name.clone()).or_insert_with(|| Value::Array(Vec::new())) {
            all.extend(contents);
        }
    }
    Jinja::from(Serde(named))
}
