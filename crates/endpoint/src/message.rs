//! Turns as chat messages: a role, and a content that is a string or a list of parts.

use std::borrow::Cow;

use aiperf_conversation::{Media, Turn};
use serde::Serialize;
use serde_json::{Value, json};

use crate::endpoint::turn_of;
use crate::{BuildError, Past, TurnRequest};

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Message<'a> {
    Built { role: &'a str, content: Content<'a> },
    Given(Cow<'a, Value>),
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Part<'a> {
    Text {
        text: &'a str,
    },
    ImageUrl {
        image_url: Url<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        uuid: Option<&'a str>,
    },
    InputAudio {
        input_audio: Audio<'a>,
    },
    VideoUrl {
        video_url: Url<'a>,
    },
}

#[derive(Debug, Serialize)]
pub(crate) struct Url<'a> {
    url: &'a str,
}

#[derive(Debug, Serialize)]
pub(crate) struct Audio<'a> {
    data: &'a str,
    format: &'a str,
}

const SYSTEM: &str = "system";
const USER: &str = "user";

/// The message array of a request: system prompt, the conversation's own context, history, the turn itself.
pub(crate) fn messages<'a>(request: &TurnRequest<'a>) -> Result<Vec<Message<'a>>, BuildError> {
    let mut messages = Vec::with_capacity(request.history.len() + 3);
    for past in request.history {
        match past {
            Past::Turn { conversation, turn } => add_turn(&mut messages, request, turn_of(conversation, *turn)?)?,
            Past::Message(given) => messages.push(Message::Given(Cow::Borrowed(given))),
        }
    }
    add_turn(&mut messages, request, request.current()?)?;

    let conversation = request.conversation;
    if let Some(prompt) = conversation.system.as_deref().filter(|prompt| !prompt.is_empty()) {
        match messages.first_mut().filter(|first| first.role() == Some(SYSTEM)) {
            Some(first) => first.put_in_front(prompt),
            None => messages.insert(0, Message::plain(SYSTEM, prompt)),
        }
    }
    if let Some(context) = conversation.user_context.as_deref().filter(|context| !context.is_empty()) {
        let after_system = usize::from(messages.first().and_then(Message::role) == Some(SYSTEM));
        messages.insert(after_system, Message::plain(USER, context));
    }
    Ok(messages)
}

fn add_turn<'a>(messages: &mut Vec<Message<'a>>, request: &TurnRequest<'a>, turn: &'a Turn) -> Result<(), BuildError> {
    match &turn.raw_messages {
        Some(given) => messages.extend(given.iter().map(|message| Message::Given(Cow::Borrowed(message)))),
        None => messages.push(message(request, turn)?),
    }
    Ok(())
}

fn message<'a>(request: &TurnRequest<'a>, turn: &'a Turn) -> Result<Message<'a>, BuildError> {
    let role = turn.role.as_ref().map_or(USER, |role| &*role.0);
    let content = content(turn, request.options.force_content_parts)
        .map_err(|NotAudio(start)| BuildError::AudioForm { session: request.session(), start })?;
    Ok(Message::Built { role, content })
}

fn content(turn: &Turn, force_parts: bool) -> Result<Content<'_>, NotAudio> {
    let has_media = images(turn).next().is_some()
        || [&turn.audios, &turn.videos].into_iter().any(|media| each(media).next().is_some());
    let mut texts = turn.all_texts();
    if let (Some(text), None, false, false) = (texts.next(), texts.next(), has_media, force_parts) {
        return Ok(Content::Text(Cow::Borrowed(text)));
    }
    let mut parts: Vec<Part<'_>> = Vec::new();
    parts.extend(turn.all_texts().filter(|text| !text.is_empty()).map(|text| Part::Text { text }));
    parts.extend(images(turn).map(|(url, uuid)| Part::ImageUrl { image_url: Url { url }, uuid }));
    for audio in each(&turn.audios) {
        parts.push(Part::InputAudio { input_audio: Audio::read(audio)? });
    }
    parts.extend(each(&turn.videos).map(|url| Part::VideoUrl { video_url: Url { url } }));
    Ok(if parts.is_empty() { Content::Text(Cow::Borrowed("")) } else { Content::Parts(parts) })
}

/// Images with the ids under which the server may keep them. One that is named by its id only has an empty URL.
fn images(turn: &Turn) -> impl Iterator<Item = (&str, Option<&str>)> {
    let urls = turn.images.iter().flat_map(|image| &image.contents).map(|url| &**url);
    let uuids = turn.image_uuids.iter().map(|uuid| Some(uuid.as_str())).chain(std::iter::repeat(None));
    urls.zip(uuids).filter(|(url, uuid)| !url.is_empty() || uuid.is_some())
}

fn each(media: &[Media]) -> impl Iterator<Item = &str> {
    media.iter().flat_map(|m| &m.contents).map(|content| &**content).filter(|content| !content.is_empty())
}

/// The start of an audio content in no known form.
struct NotAudio(String);

impl<'a> Audio<'a> {
    fn read(content: &'a str) -> Result<Self, NotAudio> {
        let (head, data) = content.split_once(',').ok_or_else(|| NotAudio(content.chars().take(40).collect()))?;
        let format = head.strip_prefix("data:audio/").map_or(head, |rest| rest.split(';').next().unwrap_or(rest));
        Ok(Self { data, format })
    }
}

impl<'a> Message<'a> {
    fn plain(role: &'a str, text: &'a str) -> Self {
        Self::Built { role, content: Content::Text(Cow::Borrowed(text)) }
    }

    fn role(&self) -> Option<&str> {
        match self {
            Self::Built { role, .. } => Some(role),
            Self::Given(value) => value.get("role").and_then(Value::as_str),
        }
    }

    /// Joins a system prompt with the system message that the data set brings.
    fn put_in_front(&mut self, prompt: &'a str) {
        match self {
            Self::Built { content: Content::Text(text), .. } => *text = format!("{prompt}\n\n{text}").into(),
            Self::Built { content: Content::Parts(parts), .. } => parts.insert(0, Part::Text { text: prompt }),
            Self::Given(value) => match &mut value.to_mut()["content"] {
                Value::String(text) => *text = format!("{prompt}\n\n{text}"),
                Value::Array(parts) => parts.insert(0, json!({"type": "text", "text": prompt})),
                other => *other = Value::String(prompt.to_owned()),
            },
        }
    }
}
