//! Turns as messages: a role, and a content that is a string or a list of parts. The APIs that take messages differ in the
//! names of the parts and in where a system prompt goes.

use std::borrow::Cow;

use aiperf_conversation::Turn;
use aiperf_protocol::EndpointKind;
use serde::Serialize;
use serde_json::{Value, json};

use crate::endpoint::turn_of;
use crate::request::media::{self, UnknownForm, each};
use crate::{BuildError, Past, TurnRequest};

/// Whose names are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Chat completions; the system prompt is a message.
    Chat,
    /// Input items of the Responses API.
    Responses,
    /// Anthropic's messages.
    Anthropic,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Message<'a> {
    Built {
        role: &'a str,
        content: MessageContent<'a>,
        #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
        kind: Option<&'static str>,
    },
    /// The user's context in front of the turns of a Responses request.
    Leading {
        #[serde(rename = "type")]
        kind: &'static str,
        role: &'a str,
        content: &'a str,
    },
    Given(Cow<'a, Value>),
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum MessageContent<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<ContentPart<'a>>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ContentPart<'a> {
    Text {
        text: &'a str,
    },
    ImageUrl {
        image_url: Url<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        uuid: Option<&'a str>,
    },
    InputAudio {
        input_audio: AudioPart<'a>,
    },
    VideoUrl {
        video_url: Url<'a>,
    },
    InputText {
        text: &'a str,
    },
    InputImage {
        image_url: &'a str,
    },
    Image {
        source: ImagePartSource<'a>,
    },
}

#[derive(Debug, Serialize)]
pub(crate) struct Url<'a> {
    url: &'a str,
}

#[derive(Debug, Serialize)]
pub(crate) struct AudioPart<'a> {
    data: &'a str,
    format: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ImagePartSource<'a> {
    Base64 { media_type: &'a str, data: &'a str },
    Url { url: &'a str },
}

const SYSTEM: &str = "system";
const USER: &str = "user";
/// The type of a Responses item that is a message.
const ITEM: &str = "message";

/// The message array of a chat request: system prompt, the conversation's own context, history, the turn itself.
pub(crate) fn messages<'a>(
    request: &TurnRequest<'a>,
    kind: EndpointKind,
    style: ContentStyle,
) -> Result<Vec<Message<'a>>, BuildError> {
    let writer = MessageWriter { dialect: Dialect::Chat, kind, style };
    let mut messages = writer.turns(request, request.history)?;
    let conversation = request.conversation;
    if let Some(prompt) = system(request) {
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

/// The array of an API that has another place for the system prompt. `history` may be less than the request's own, for a
/// server that remembers; the context then is part of what it remembers.
pub(crate) fn items<'a>(
    request: &TurnRequest<'a>,
    kind: EndpointKind,
    dialect: Dialect,
    history: Option<&'a [Past]>,
) -> Result<Vec<Message<'a>>, BuildError> {
    let writer = MessageWriter { dialect, kind, style: ContentStyle::of(request) };
    let mut messages = writer.turns(request, history.unwrap_or_default())?;
    let context = request.conversation.user_context.as_deref().filter(|context| !context.is_empty());
    if let (Some(context), Some(_)) = (context, history) {
        let leading = match dialect {
            Dialect::Responses => Message::Leading { kind: ITEM, role: USER, content: context },
            Dialect::Chat | Dialect::Anthropic => Message::plain(USER, context),
        };
        messages.insert(0, leading);
    }
    Ok(messages)
}

/// The system prompt of the conversation.
pub(crate) fn system<'a>(request: &TurnRequest<'a>) -> Option<&'a str> {
    request.conversation.system.as_deref().filter(|prompt| !prompt.is_empty())
}

/// The tools of the most recent turn that brings any.
pub(crate) fn tools<'a>(request: &TurnRequest<'a>) -> Result<Option<&'a [Value]>, BuildError> {
    let given = |turn: &'a Turn| turn.raw_tools.as_deref().filter(|tools| !tools.is_empty());
    if let Some(tools) = given(request.current()?) {
        return Ok(Some(tools));
    }
    for past in request.history.iter().rev() {
        if let Some(tools) = past.turn()?.and_then(given) {
            return Ok(Some(tools));
        }
    }
    Ok(None)
}

/// Whether a lone text may be written as a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentStyle {
    StringWhereItCan,
    AlwaysParts,
}

impl ContentStyle {
    /// As the run asks for.
    pub(crate) fn of(request: &TurnRequest<'_>) -> Self {
        if request.options.force_content_parts { Self::AlwaysParts } else { Self::StringWhereItCan }
    }
}

struct MessageWriter {
    dialect: Dialect,
    kind: EndpointKind,
    style: ContentStyle,
}

impl MessageWriter {
    /// History and turn.
    fn turns<'a>(&self, request: &TurnRequest<'a>, history: &'a [Past]) -> Result<Vec<Message<'a>>, BuildError> {
        let mut messages = Vec::with_capacity(history.len() + 3);
        for past in history {
            match past {
                Past::Turn { conversation, turn } => {
                    self.add(&mut messages, request, turn_of(conversation, *turn)?)?;
                }
                Past::Message(given) => match output_items(given) {
                    Some(items) => messages.extend(items.iter().map(|item| Message::Given(Cow::Borrowed(item)))),
                    None => messages.push(Message::Given(Cow::Borrowed(given))),
                },
            }
        }
        self.add(&mut messages, request, request.current()?)?;
        Ok(messages)
    }

    fn add<'a>(
        &self,
        messages: &mut Vec<Message<'a>>,
        request: &TurnRequest<'a>,
        turn: &'a Turn,
    ) -> Result<(), BuildError> {
        request.check_media(self.kind, turn)?;
        if let Some(given) = &turn.raw_messages {
            messages.extend(given.iter().map(|message| Message::Given(Cow::Borrowed(message))));
        } else {
            let role = turn.role.as_ref().map_or(USER, |role| &*role.0);
            let kind = (self.dialect == Dialect::Responses).then_some(ITEM);
            messages.push(Message::Built { role, content: self.content(request, turn)?, kind });
        }
        Ok(())
    }

    fn content<'a>(&self, request: &TurnRequest<'a>, turn: &'a Turn) -> Result<MessageContent<'a>, BuildError> {
        let has_media = images(turn).next().is_some()
            || [&turn.audios, &turn.videos].into_iter().any(|media| each(media).next().is_some());
        let mut texts = turn.all_texts();
        let may_be_string = self.style == ContentStyle::StringWhereItCan && !has_media;
        if let (Some(text), None, true) = (texts.next(), texts.next(), may_be_string) {
            return Ok(MessageContent::Text(Cow::Borrowed(text)));
        }
        let mut parts: Vec<ContentPart<'a>> =
            turn.all_texts().filter(|text| !text.is_empty()).map(|text| self.text(text)).collect();
        for (url, uuid) in images(turn) {
            parts.push(self.image(request, url, uuid)?);
        }
        for audio in each(&turn.audios) {
            let media::Audio { data, format } = media::Audio::read(audio)
                .map_err(|UnknownForm(start)| BuildError::AudioForm { session: request.session(), start })?;
            parts.push(ContentPart::InputAudio { input_audio: AudioPart { data, format } });
        }
        parts.extend(each(&turn.videos).map(|url| ContentPart::VideoUrl { video_url: Url { url } }));
        Ok(if parts.is_empty() { MessageContent::Text(Cow::Borrowed("")) } else { MessageContent::Parts(parts) })
    }

    fn text<'a>(&self, text: &'a str) -> ContentPart<'a> {
        match self.dialect {
            Dialect::Chat | Dialect::Anthropic => ContentPart::Text { text },
            Dialect::Responses => ContentPart::InputText { text },
        }
    }

    fn image<'a>(
        &self,
        request: &TurnRequest<'a>,
        url: &'a str,
        uuid: Option<&'a str>,
    ) -> Result<ContentPart<'a>, BuildError> {
        Ok(match self.dialect {
            Dialect::Chat => ContentPart::ImageUrl { image_url: Url { url }, uuid },
            Dialect::Responses => ContentPart::InputImage { image_url: url },
            Dialect::Anthropic => {
                let image = media::Image::read(url)
                    .map_err(|UnknownForm(start)| BuildError::ImageForm { session: request.session(), start })?;
                let source = match image {
                    media::Image::Remote(url) => ImagePartSource::Url { url },
                    media::Image::Inline { mime, data } => ImagePartSource::Base64 { media_type: mime, data },
                };
                ContentPart::Image { source }
            }
        })
    }
}

/// Under this name a reply that was several items is kept in the history of a session.
pub(crate) const OUTPUT_ITEMS: &str = "output";

/// The items of a reply of the Responses API, which are sent back one by one.
fn output_items(given: &Value) -> Option<&Vec<Value>> {
    given.get(OUTPUT_ITEMS)?.as_array()
}

/// Images with the ids under which the server may keep them. One that is named by its id only has an empty URL.
fn images(turn: &Turn) -> impl Iterator<Item = (&str, Option<&str>)> {
    let urls = turn.images.iter().flat_map(|image| &image.contents).map(|url| &**url);
    let uuids = turn.image_uuids.iter().map(|uuid| Some(uuid.as_str())).chain(std::iter::repeat(None));
    urls.zip(uuids).filter(|(url, uuid)| !url.is_empty() || uuid.is_some())
}

impl<'a> Message<'a> {
    fn plain(role: &'a str, text: &'a str) -> Self {
        Self::Built { role, content: MessageContent::Text(Cow::Borrowed(text)), kind: None }
    }

    fn role(&self) -> Option<&str> {
        match self {
            Self::Built { role, .. } | Self::Leading { role, .. } => Some(role),
            Self::Given(value) => value.get("role").and_then(Value::as_str),
        }
    }

    /// Joins a system prompt with the system message that the data set brings.
    fn put_in_front(&mut self, prompt: &'a str) {
        match self {
            Self::Built { content: MessageContent::Text(text), .. } => *text = format!("{prompt}\n\n{text}").into(),
            Self::Built { content: MessageContent::Parts(parts), .. } => {
                parts.insert(0, ContentPart::Text { text: prompt });
            }
            Self::Leading { .. } => {}
            Self::Given(value) => match &mut value.to_mut()["content"] {
                Value::String(text) => *text = format!("{prompt}\n\n{text}"),
                Value::Array(parts) => parts.insert(0, json!({"type": "text", "text": prompt})),
                other => *other = Value::String(prompt.to_owned()),
            },
        }
    }
}
