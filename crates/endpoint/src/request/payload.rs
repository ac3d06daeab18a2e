//! A request body as an ordered list of fields: a later field of the same name takes the place of the earlier one.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map, Value};

use crate::reply::documents::is_truthy;
use crate::request::message::Message;
use crate::{BuildError, TurnRequest};

/// A body that is being built. Texts stay in the data set until the bytes are written.
#[derive(Debug, Default)]
pub(crate) struct Payload<'a> {
    fields: Vec<(&'a str, BodyField<'a>)>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum BodyField<'a> {
    Text(&'a str),
    Texts(Vec<&'a str>),
    Flag(bool),
    Count(u32),
    Messages(Vec<Message<'a>>),
    Given(&'a Value),
    GivenList(&'a [Value]),
    Object(Map<String, Value>),
    /// Passages, each an object with its text.
    TextObjects(Vec<TextObject<'a>>),
    TextObject(TextObject<'a>),
    ImageUrls(Vec<ImageUrl<'a>>),
    Owned(Vec<String>),
}

/// `{"text": …}`.
#[derive(Debug, Serialize)]
pub(crate) struct TextObject<'a> {
    pub(crate) text: &'a str,
}

/// `{"type": "image_url", "url": …}`.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "image_url")]
pub(crate) struct ImageUrl<'a> {
    pub(crate) url: &'a str,
}

/// Which extra usage a streamed answer is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamUsage {
    AtEnd,
    OnEveryChunk,
}

impl<'a> Payload<'a> {
    pub(crate) fn set(&mut self, name: &'a str, value: BodyField<'a>) {
        match self.fields.iter_mut().find(|(field, _)| *field == name) {
            Some((_, old)) => *old = value,
            None => self.fields.push((name, value)),
        }
    }

    /// Lays the user's extra inputs, then the turn's own, over what is there.
    pub(crate) fn lay_extras(&mut self, request: &TurnRequest<'a>) -> Result<(), BuildError> {
        let of_turn = request.current()?.extra_body.iter().flatten();
        for (name, value) in request.options.extra_inputs.iter().chain(of_turn) {
            self.set(name, BodyField::Given(value));
        }
        Ok(())
    }

    /// Asks for usage if the body, as merged, asks for a stream. What the user set in `stream_options` stays.
    pub(crate) fn ask_for_usage(&mut self, when: StreamUsage) {
        const NAME: &str = "stream_options";
        if !self.get("stream").is_some_and(BodyField::is_truthy) {
            return;
        }
        let mut options = match self.get(NAME) {
            None | Some(BodyField::Given(Value::Null)) => Map::new(),
            Some(BodyField::Given(Value::Object(given))) => given.clone(),
            Some(_) => return,
        };
        options.entry("include_usage").or_insert(Value::Bool(true));
        if when == StreamUsage::OnEveryChunk {
            options.entry("continuous_usage_stats").or_insert(Value::Bool(true));
        }
        self.set(NAME, BodyField::Object(options));
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.fields.retain(|(field, _)| *field != name);
    }

    pub(crate) fn into_bytes(self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        serde_json::to_vec(&self).map_err(|error| BuildError::Unwritable {
            session: request.session(),
            turn: request.turn,
            reason: error.to_string(),
        })
    }

    fn get(&self, name: &str) -> Option<&BodyField<'a>> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value)
    }
}

impl BodyField<'_> {
    /// Truth as servers written in Python see it.
    fn is_truthy(&self) -> bool {
        match self {
            Self::Flag(flag) => *flag,
            Self::Given(value) => is_truthy(value),
            Self::Text(_)
            | Self::Texts(_)
            | Self::Count(_)
            | Self::Messages(_)
            | Self::GivenList(_)
            | Self::TextObjects(_)
            | Self::TextObject(_)
            | Self::ImageUrls(_)
            | Self::Owned(_)
            | Self::Object(_) => true,
        }
    }
}

impl Serialize for Payload<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len()))?;
        for (name, value) in &self.fields {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
