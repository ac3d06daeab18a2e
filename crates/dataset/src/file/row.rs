//! One request as `single_turn` and `multi_turn` files describe it, checked field by field.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aiperf_conversation::{ContextMode, Conversation, Lineage, Media, Role, SessionId, Turn};
use aiperf_seed::Seed;
use serde_json::{Map, Value};

use super::fields::JsonFields;
use super::lines;
use super::media::{MediaFiles, MediaKind};
use crate::session_names::SessionNames;

/// The fields that give a row something to send.
pub(crate) const CONTENT_FIELDS: [&str; 10] =
    ["text", "prompt", "texts", "image", "images", "audio", "audios", "video", "videos", "image_uuids"];

#[derive(Debug)]
pub(crate) struct RequestRow {
    pub(crate) session: Option<SessionId>,
    pub(crate) turns: Vec<Turn>,
}

/// Parses a line; the error says what is wrong and what is expected.
pub(crate) fn parse(line: &[u8], media: &MediaFiles) -> Result<RequestRow, String> {
    let object = lines::object(line)?;
    let session = session(JsonFields(&object))?;
    Ok(RequestRow { session, turns: vec![turn(&object, media)?] })
}

/// The session that a row belongs to, if it names one.
pub(crate) fn session(fields: JsonFields<'_>) -> Result<Option<SessionId>, String> {
    Ok(fields.string("session_id")?.filter(|id| !id.is_empty()).map(|id| SessionId(Arc::from(id))))
}

/// One request. Unknown fields are ignored.
pub(crate) fn turn(object: &Map<String, Value>, media: &MediaFiles) -> Result<Turn, String> {
    let fields = JsonFields(object);
    if let Some(kind) = fields.string("type")?.filter(|kind| *kind != "single_turn") {
        return Err(format!("type is {kind:?}, but this file is read as single_turn"));
    }
    let turn = Turn {
        role: fields.string("role")?.map(|role| Role(Arc::from(role))),
        max_tokens: fields.count("output_length")?,
        timestamp_ms: fields.milliseconds("timestamp")?,
        delay_ms: fields.milliseconds("delay")?,
        extra_body: fields.object("extra")?,
        ..contents(fields, media)?
    };
    if turn.timestamp_ms.is_some_and(|t| t > 0.0) && turn.delay_ms.is_some_and(|d| d > 0.0) {
        return Err("timestamp and delay cannot be given together".to_owned());
    }
    Ok(turn)
}

/// The texts and media of a row, and nothing else; at least one.
pub(crate) fn contents(fields: JsonFields<'_>, media: &MediaFiles) -> Result<Turn, String> {
    let (images, image_uuids) = images(fields, media)?;
    let audios = fields.contents("audio", "audios", &|value: &str| media.content(MediaKind::Audio, value))?;
    let turn = Turn {
        texts: texts(fields)?,
        images,
        image_uuids,
        audio_seconds: media.seconds(&audios),
        audios,
        videos: fields.contents("video", "videos", &|value: &str| media.content(MediaKind::Video, value))?,
        ..Turn::default()
    };
    if [&turn.texts, &turn.images, &turn.audios, &turn.videos].iter().all(|media| media.is_empty()) {
        return Err(
            "nothing to send: text (or prompt), image, audio or video, or their plurals, is expected".to_owned()
        );
    }
    Ok(turn)
}

/// The texts of a row. Files of other tools call a text `prompt`.
fn texts(fields: JsonFields<'_>) -> Result<Vec<Media>, String> {
    let name = match (fields.get("text"), fields.get("prompt")) {
        (Some(_), Some(_)) => return Err("text and prompt cannot be given together".to_owned()),
        (None, Some(_)) => "prompt",
        _ => "text",
    };
    fields.contents(name, "texts", &|text: &str| Ok(Arc::from(text)))
}

/// The images of a row, and for each the id under which the server may already know it.
fn images(fields: JsonFields<'_>, media: &MediaFiles) -> Result<(Vec<Media>, Vec<String>), String> {
    let Some(uuids) = fields.list("image_uuids")? else {
        let images = fields.contents("image", "images", &|value: &str| media.content(MediaKind::Image, value))?;
        return Ok((images, Vec::new()));
    };
    let uuids: Option<Vec<String>> =
        uuids.iter().map(|uuid| uuid.as_str().filter(|uuid| !uuid.is_empty()).map(str::to_owned)).collect();
    let uuids = uuids.ok_or("image_uuids: a list of non-empty strings is expected")?;
    if fields.get("image").is_some() {
        return Err("image_uuids belongs to images, not to image".to_owned());
    }
    // An image that is given only by its id has an empty content.
    let sent = |value: &str| {
        if value.is_empty() { Ok(Arc::from("")) } else { media.content(MediaKind::Image, value) }
    };
    let images = match fields.list("images")? {
        None => Vec::new(),
        Some(images) if images.iter().all(Value::is_string) => fields.contents("image", "images", &sent)?,
        Some(_) => return Err("image_uuids needs images to be a list of strings".to_owned()),
    };
    let images = if images.is_empty() && !uuids.is_empty() {
        vec![Media { name: String::new(), contents: vec![Arc::from(""); uuids.len()] }]
    } else {
        images
    };
    let places: usize = images.iter().map(|image| image.contents.len()).sum();
    if places != uuids.len() {
        return Err(format!("image_uuids has {} ids for {places} images; one per image is expected", uuids.len()));
    }
    Ok((images, uuids))
}

/// One conversation per session, in file order; a row without a session is a conversation of its own.
pub(crate) fn conversations(rows: Vec<RequestRow>, context_mode: ContextMode, seed: Seed) -> Vec<Conversation> {
    let taken: HashSet<SessionId> = rows.iter().filter_map(|row| row.session.clone()).collect();
    let mut names = SessionNames::new(seed, taken);
    let mut conversations: Vec<Conversation> = Vec::new();
    let mut places: HashMap<SessionId, usize> = HashMap::new();
    for RequestRow { session, turns } in rows {
        let known = session.as_ref().and_then(|id| places.get(id)).copied();
        if let Some(place) = known {
            conversations[place].turns.extend(turns);
            continue;
        }
        if let Some(id) = &session {
            places.insert(id.clone(), conversations.len());
        }
        conversations.push(Conversation {
            session_id: session.unwrap_or_else(|| names.next()),
            turns,
            system: None,
            user_context: None,
            context_mode,
            lineage: Lineage::Root,
        });
    }
    conversations
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_prompt_is_a_text() {
        let turn = |row: &str| parse(row.as_bytes(), &MediaFiles::none()).map(|row| row.turns[0].clone());
        assert!(turn(r#"{"prompt": "hi", "output_length": 5}"#).unwrap().all_texts().eq(["hi"]));
        assert_eq!(turn(r#"{"prompt": "hi", "text": "you"}"#).unwrap_err(), "text and prompt cannot be given together");
    }

    proptest! {
        #[test]
        fn no_line_makes_the_reader_panic(line in "\\PC{0,80}") {
            let _ = parse(line.as_bytes(), &MediaFiles::none());
        }

        #[test]
        fn no_value_of_any_field_makes_the_reader_panic(
            field in "text|texts|images|image_uuids|audio|timestamp|delay|role|session_id|output_length|extra|type",
            value in r#"null|-?[0-9]{1,30}|0\.[0-9]{1,5}|"[a-z]{0,8}"|\[("[a-z]{1,3}"(,[0-9])?)?\]|\{"contents":\[("x")?\]\}|true"#,
        ) {
            let _ = parse(format!(r#"{{"{field}":{value}}}"#).as_bytes(), &MediaFiles::none());
        }

        #[test]
        fn texts_arrive_as_they_were_written(texts in proptest::collection::vec("\\PC{1,20}", 1..5)) {
            let line = serde_json::json!({"texts": texts}).to_string();
            let row = parse(line.as_bytes(), &MediaFiles::none()).unwrap();
            prop_assert!(row.turns[0].all_texts().eq(texts.iter().map(String::as_str)));
        }
    }
}
