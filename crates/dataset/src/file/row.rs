//! One line of a `single_turn` file, checked field by field.

use std::path::Path;
use std::sync::Arc;

use aiperf_conversation::{Media, Role, SessionId, Turn};
use serde_json::{Map, Value};

use super::media::{self, Kind};

/// The fields that give a row something to send.
pub(crate) const CONTENT_FIELDS: [&str; 9] =
    ["text", "texts", "image", "images", "audio", "audios", "video", "videos", "image_uuids"];

#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) session: Option<SessionId>,
    pub(crate) turn: Turn,
}

/// The lines that hold something, with their numbers from one. A byte order mark is not part of the first.
pub(crate) fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let numbered = bytes.split(|byte| *byte == b'\n').enumerate();
    numbered.map(|(index, line)| (index + 1, line.trim_ascii())).filter(|(_, line)| !line.is_empty())
}

/// Reads a row; the error says what is wrong and what is expected. Media paths are relative to `base`. Fields that the
/// format does not know are left alone.
pub(crate) fn parse(line: &[u8], base: &Path) -> Result<Row, String> {
    let value: Value = serde_json::from_slice(line).map_err(|error| format!("not valid JSON: {error}"))?;
    let Value::Object(object) = value else { return Err("a JSON object is expected".to_owned()) };
    let fields = Fields(&object);
    if let Some(kind) = fields.string("type")?.filter(|kind| *kind != "single_turn") {
        return Err(format!("type is {kind:?}, but this file is read as single_turn"));
    }
    let texts = fields.contents("text", "texts", &|text: &str| Ok(text.to_owned()))?;
    let (images, image_uuids) = images(&fields, base)?;
    let turn = Turn {
        texts,
        images,
        image_uuids,
        audios: fields.contents("audio", "audios", &|value: &str| media::content(Kind::Audio, value, base))?,
        videos: fields.contents("video", "videos", &|value: &str| media::content(Kind::Video, value, base))?,
        role: fields.string("role")?.map(|role| Role(Arc::from(role))),
        max_tokens: fields.output_length()?,
        timestamp_ms: fields.milliseconds("timestamp")?,
        delay_ms: fields.milliseconds("delay")?,
        extra_body: fields.object("extra")?,
        ..Turn::default()
    };
    if [&turn.texts, &turn.images, &turn.audios, &turn.videos].iter().all(|media| media.is_empty()) {
        return Err("nothing to send: text, image, audio or video (or their plurals) is expected".to_owned());
    }
    if turn.timestamp_ms.is_some_and(|t| t > 0.0) && turn.delay_ms.is_some_and(|d| d > 0.0) {
        return Err("timestamp and delay exclude each other".to_owned());
    }
    let session = fields.string("session_id")?.filter(|id| !id.is_empty()).map(|id| SessionId(Arc::from(id)));
    Ok(Row { session, turn })
}

/// Images, and the ids under which the server may already know them: one for each.
fn images(fields: &Fields<'_>, base: &Path) -> Result<(Vec<Media>, Vec<String>), String> {
    let Some(uuids) = fields.list("image_uuids")? else {
        let images = fields.contents("image", "images", &|value: &str| media::content(Kind::Image, value, base))?;
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
        if value.is_empty() { Ok(String::new()) } else { media::content(Kind::Image, value, base) }
    };
    let images = match fields.list("images")? {
        None => Vec::new(),
        Some(images) if images.iter().all(Value::is_string) => fields.contents("image", "images", &sent)?,
        Some(_) => return Err("image_uuids needs images to be a list of strings".to_owned()),
    };
    let images = if images.is_empty() && !uuids.is_empty() {
        vec![Media { name: String::new(), contents: vec![String::new(); uuids.len()] }]
    } else {
        images
    };
    let places: usize = images.iter().map(|image| image.contents.len()).sum();
    if places != uuids.len() {
        return Err(format!("image_uuids holds {} ids for {places} images; one for each is expected", uuids.len()));
    }
    Ok((images, uuids))
}

/// The fields of a row. A field that is `null` is absent.
struct Fields<'a>(&'a Map<String, Value>);

impl Fields<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn string(&self, name: &str) -> Result<Option<&str>, String> {
        self.get(name).map(|value| value.as_str().ok_or_else(|| unexpected(name, "a string", value))).transpose()
    }

    fn list(&self, name: &str) -> Result<Option<&[Value]>, String> {
        self.get(name)
            .map(|value| value.as_array().map(Vec::as_slice).ok_or_else(|| unexpected(name, "a list", value)))
            .transpose()
    }

    fn object(&self, name: &str) -> Result<Option<Map<String, Value>>, String> {
        self.get(name)
            .map(|value| value.as_object().cloned().ok_or_else(|| unexpected(name, "an object", value)))
            .transpose()
    }

    fn milliseconds(&self, name: &str) -> Result<Option<f64>, String> {
        self.get(name)
            .map(|value| {
                let number = value.as_f64().filter(|number| *number >= 0.0);
                number.ok_or_else(|| unexpected(name, "a number of milliseconds, not negative,", value))
            })
            .transpose()
    }

    fn output_length(&self) -> Result<Option<u32>, String> {
        let Some(value) = self.get("output_length") else { return Ok(None) };
        // JSON writers of some languages turn 12 into 12.0.
        let number = value.as_f64().filter(|n| n.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(n));
        number
            .map(|number| Some(number as u32))
            .ok_or_else(|| unexpected("output_length", "a whole number above zero", value))
    }

    /// A kind of content: one string under its singular, or a list of strings or of named groups under its plural.
    /// Empty ones count as absent.
    fn contents(
        &self,
        singular: &str,
        plural: &str,
        encode: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<Vec<Media>, String> {
        let one = self.string(singular)?;
        let many = self.list(plural)?;
        if one.is_some() && many.is_some() {
            return Err(format!("{singular} and {plural} exclude each other"));
        }
        let encoded = |name: &str, value: &str| encode(value).map_err(|problem| format!("{name}: {problem}"));
        if let Some(one) = one.filter(|one| !one.is_empty()) {
            return Ok(vec![Media::unnamed(encoded(singular, one)?)]);
        }
        let Some(many) = many.filter(|many| !many.is_empty()) else { return Ok(Vec::new()) };
        let strings = |name: &str, list: &[Value]| -> Result<Vec<String>, String> {
            list.iter()
                .map(|value| match value.as_str() {
                    Some(value) => encoded(name, value),
                    None => Err(unexpected(name, "a list of strings, or of objects with contents,", value)),
                })
                .collect()
        };
        if !many.iter().all(Value::is_object) {
            return Ok(vec![Media { name: String::new(), contents: strings(plural, many)? }]);
        }
        many.iter()
            .map(|group| {
                let name = group.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
                match group.get("contents") {
                    Some(Value::Array(list)) => Ok(Media { name, contents: strings(plural, list)? }),
                    _ => Err(unexpected(plural, "contents as a list of strings", group)),
                }
            })
            .collect()
    }
}

fn unexpected(field: &str, expected: &str, value: &Value) -> String {
    let mut shown: String = value.to_string().chars().take(60).collect();
    if shown.len() < value.to_string().len() {
        shown.push_str("...");
    }
    format!("{field}: {expected} is expected, not {shown}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_line_makes_the_reader_panic(line in "\\PC{0,80}") {
            let _ = parse(line.as_bytes(), Path::new(""));
        }

        #[test]
        fn no_value_of_any_field_makes_the_reader_panic(
            field in "text|texts|images|image_uuids|audio|timestamp|delay|role|session_id|output_length|extra|type",
            value in r#"null|-?[0-9]{1,30}|0\.[0-9]{1,5}|"[a-z]{0,8}"|\[("[a-z]{1,3}"(,[0-9])?)?\]|\{"contents":\[("x")?\]\}|true"#,
        ) {
            let _ = parse(format!(r#"{{"{field}":{value}}}"#).as_bytes(), Path::new(""));
        }

        #[test]
        fn texts_arrive_as_they_were_written(texts in proptest::collection::vec("\\PC{1,20}", 1..5)) {
            let line = serde_json::json!({"texts": texts}).to_string();
            let row = parse(line.as_bytes(), Path::new("")).unwrap();
            prop_assert_eq!(&row.turn.texts[0].contents, &texts);
        }

        #[test]
        fn lines_keep_their_numbers(blank in 0_usize..5) {
            let content = format!("\u{feff}{}x\r\n", "\n".repeat(blank));
            let found: Vec<(usize, &[u8])> = lines(content.as_bytes()).collect();
            prop_assert_eq!(found, vec![(blank + 1, &b"x"[..])]);
        }
    }
}
