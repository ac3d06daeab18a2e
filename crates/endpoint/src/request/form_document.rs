//! A body as a document, for files that list what was sent: JSON as it is, a form as an object of its fields.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::request::multipart;

/// Fields that are text, whatever they look like.
const WORDS: [&str; 2] = ["prompt", "model"];

/// `None` for a body that is neither JSON nor a form.
pub fn body_document(body: &[u8]) -> Option<Value> {
    serde_json::from_slice(body).ok().or_else(|| form(body))
}

fn form(body: &[u8]) -> Option<Value> {
    let mut fields = Map::new();
    for part in multipart::parts(body)? {
        let value = match part.filename {
            Some(filename) => json!({
                "b64_data": STANDARD.encode(part.value),
                "filename": filename,
                "content_type": part.content_type,
            }),
            None => text(part.name, std::str::from_utf8(part.value).ok()?),
        };
        fields.insert(part.name.to_owned(), value);
    }
    Some(Value::Object(fields))
}

/// Numbers and truths were such before they were written into a form.
fn text(name: &str, text: &str) -> Value {
    let plain = || Value::String(text.to_owned());
    match serde_json::from_str(text) {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) if !WORDS.contains(&name) => value,
        _ => plain(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::multipart::MultipartForm;

    #[test]
    fn a_form_is_an_object_of_its_fields() {
        let mut form = MultipartForm::default();
        form.text("prompt", "12");
        form.text("n", "1");
        form.text("flag", "true");
        form.text("size", "512x512");
        form.file("image", "image.png".to_owned(), "image/png", b"\x89PNG\r\n\r\n--x".to_vec());
        let expected = json!({"prompt": "12", "n": 1, "flag": true, "size": "512x512", "image":
            {"b64_data": "iVBORw0KDQotLXg=", "filename": "image.png", "content_type": "image/png"}});
        assert_eq!(body_document(&form.into_bytes()), Some(expected));
        assert_eq!(body_document(br#"{"a":1}"#), Some(json!({"a": 1})));
        assert_eq!(body_document(b"neither"), None);
    }
}
