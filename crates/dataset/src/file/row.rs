//! One request as `single_turn` and `multi_turn` files describe it, checked field by field.

use std::sync::Arc;

use aiperf_conversation::{Media, Role, SessionId, Turn};
use serde_json::{Map, Value};

use super::fields::Fields;
use super::lines;
use super::media::{Kind, MediaFiles};

/// The fields that give a row something to send.
pub(crate) const CONTENT_FIELDS: [&str; 10] =
    ["text", "prompt", "texts", "image", "images", "audio", "audios", "video", "videos", "image_uuids"];

#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) session: Option<SessionId>,
    pub(crate) turns: Vec<Turn>,
}

/// Reads a line; the error says what is wrong and what is expected.
pub(crate) fn parse(line: &[u8], media: &MediaFiles) -> Result<Row, String> {
    let object = lines::object(line)?;
    let session = session(Fields(&object))?;
    Ok(Row { session, turns: vec![turn(&object, media)?] })
}

/// The conversation that a row belongs to, if it says so.
pub(crate) fn session(fields: Fields<'_>) -> Result<Option<SessionId>, String> {
    Ok(fields.string("session_id")?.filter(|id| !id.is_empty()).map(|id| SessionId(Arc::from(id))))
}

/// One request. Fields that the format does not know are left alone.
pub(crate) fn turn(object: &Map<String, Value>, media: &MediaFiles) -> Result<Turn, String> {
    let fields = Fields(object);
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
        return Err("timestamp and delay exclude each other".to_owned());
    }
    Ok(turn)
}

/// What is said and shown, and nothing else; at least one of them.
pub(crate) fn contents(fields: Fields<'_>, media: &MediaFiles) -> Result<Turn, String> {
    let (images, image_uuids) = images(fields, media)?;
    let audios = fields.contents("audio", "audios", &|value: &str| media.content(Kind::Audio, value))?;
    let turn = Turn {
        texts: texts(fields)?,
        images,
        image_uuids,
        audio_seconds: media.seconds(&audios),
        audios,
        videos: fields.contents("video", "videos", &|value: &str| media.content(Kind::Video, value))?,
        ..Turn::default()
    };
    if [&turn.texts, &turn.images, &turn.audios, &turn.videos].iter().all(|media| media.is_empty()) {
        return Err(
            "nothing to send: text (or prompt), image, audio or video, or their plurals, is expected".to_owned()
        );
    }
    Ok(turn)
}

/// Files of other tools call a text `prompt`.
fn texts(fields: Fields<'_>) -> Result<Vec<Media>, String> {
    let name = match (fields.get("text"), fields.get("prompt")) {
        (Some(_), Some(_)) => return Err("text and prompt exclude each other".to_owned()),
        (None, Some(_)) => "prompt",
        _ => "text",
    };
    fields.contents(name, "texts", &|text: &str| Ok(Arc::from(text)))
}

/// Images, and the ids under which the server may already know them: one for each.
fn images(fields: Fields<'_>, media: &MediaFiles) -> Result<(Vec<Media>, Vec<String>), String> {
    let Some(uuids) = fields.list("image_uuids")? else {
        let images = fields.contents("image", "images", &|value: &str| media.content(Kind::Image, value))?;
        return Ok((images, Vec::new()));
    };
    let uuids: Option<Vec<String>> =
        uuids.iter().map(|uuid| uuid.as_str().filter(|uuid| !uuid.is_empty()).map(str::to_owned)).collect();
    let uuids = uuids.ok_or("image_uuids: a list of non-empty strings is expected")?;
    if fields.get("image").is_some() {
        return Err("image_uuids belongs to images, not to image".to_owned());
    }
    // An image that is named by its id only has an empty place.
    let sent = |value: &str| {
        if value.is_empty() { Ok(Arc::from("")) } else { media.content(Kind::Image, value) }
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
        return Err(format!("image_uuids holds {} ids for {places} images; one for each is expected", uuids.len()));
    }
    Ok((images, uuids))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_prompt_is_a_text() {
        let turn = |row: &str| parse(row.as_bytes(), &MediaFiles::none()).map(|row| row.turns[0].clone());
        assert!(turn(r#"{"prompt": "hi", "output_length": 5}"#).unwrap().all_texts().eq(["hi"]));
        assert_eq!(turn(r#"{"prompt": "hi", "text": "you"}"#).unwrap_err(), "text and prompt exclude each other");
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
