//! Bodies of `multipart/form-data`. The boundary follows from the content, so that the same turn gives the same bytes; it
//! is read back from where the body begins.

use memchr::memmem;
use serde_json::Value;

/// A form that is being built.
#[derive(Debug, Default)]
pub(crate) struct MultipartForm {
    parts: Vec<FormPart>,
}

#[derive(Debug)]
struct FormPart {
    name: String,
    filename: Option<String>,
    content_type: String,
    value: Vec<u8>,
}

const TEXT: &str = "text/plain; charset=utf-8";

impl MultipartForm {
    pub(crate) fn text(&mut self, name: &str, value: &str) {
        self.put(FormPart {
            name: name.to_owned(),
            filename: None,
            content_type: TEXT.to_owned(),
            value: value.as_bytes().to_vec(),
        });
    }

    pub(crate) fn file(&mut self, name: &str, filename: String, content_type: &str, value: Vec<u8>) {
        let (name, content_type) = (name.to_owned(), content_type.to_owned());
        self.put(FormPart { name, filename: Some(filename), content_type, value });
    }

    /// A field that the user gave: texts as they are, other values as JSON; null leaves the field out.
    pub(crate) fn given(&mut self, name: &str, value: &Value) {
        match value {
            Value::Null => self.parts.retain(|part| part.name != name),
            Value::String(text) => self.text(name, text),
            other => self.text(name, &other.to_string()),
        }
    }

    /// A later part of the same name takes the place of the earlier one.
    fn put(&mut self, part: FormPart) {
        match self.parts.iter_mut().find(|there| there.name == part.name) {
            Some(there) => *there = part,
            None => self.parts.push(part),
        }
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let boundary = self.boundary();
        let mut out = Vec::with_capacity(self.parts.iter().map(|part| part.value.len() + 160).sum());
        for part in self.parts {
            let filename = part.filename.map(|name| format!("; filename=\"{}\"", quoted(&name))).unwrap_or_default();
            let head = format!(
                "--{boundary}\r\nContent-Type: {}\r\nContent-Disposition: form-data; name=\"{}\"{filename}\r\n\r\n",
                part.content_type,
                quoted(&part.name),
            );
            out.extend_from_slice(head.as_bytes());
            out.extend_from_slice(&part.value);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        out
    }

    /// 32 hex digits that stand in no part.
    fn boundary(&self) -> String {
        let parts = || self.parts.iter().flat_map(|part| [part.name.as_bytes(), &part.value]);
        let mut seed = 0;
        loop {
            let boundary = format!("{:016x}{:016x}", hash(seed, parts()), hash(seed + 1, parts()));
            if parts().all(|part| memmem::find(part, boundary.as_bytes()).is_none()) {
                return boundary;
            }
            seed += 2;
        }
    }
}

/// FNV-1a, which gives the same number on every machine and with every compiler.
fn hash<'a>(seed: u64, parts: impl Iterator<Item = &'a [u8]>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let start = seed.to_le_bytes().into_iter().fold(0xcbf2_9ce4_8422_2325, step);
    parts.fold(start, |hash, part| part.iter().copied().chain([0]).fold(hash, step))
}

/// Names stand in quotes on one line.
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

/// The `Content-Type` of a body that is a form.
pub(crate) fn content_type(body: &[u8]) -> Option<String> {
    Some(format!("multipart/form-data; boundary={}", boundary_of(body)?))
}

fn boundary_of(body: &[u8]) -> Option<&str> {
    let line = body.strip_prefix(b"--")?;
    let line = &line[..memmem::find(line, b"\r\n")?];
    std::str::from_utf8(line).ok().filter(|boundary| is_boundary(boundary))
}

/// What the standard allows in a boundary, without the characters that would need quotes.
fn is_boundary(text: &str) -> bool {
    (1..=70).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_'+.".contains(&byte))
}

/// A part of a form that was read back.
#[derive(Debug)]
pub(crate) struct ReadPart<'b> {
    pub(crate) name: &'b str,
    pub(crate) filename: Option<&'b str>,
    pub(crate) content_type: &'b str,
    pub(crate) value: &'b [u8],
}

/// The parts of a body that is a form. Anything else is skipped.
pub(crate) fn parts(body: &[u8]) -> Option<Vec<ReadPart<'_>>> {
    let delimiter = format!("--{}", boundary_of(body)?);
    let mut found = Vec::new();
    let mut rest = body;
    while let Some(at) = memmem::find(rest, delimiter.as_bytes()) {
        rest = &rest[at + delimiter.len()..];
        let end = memmem::find(rest, delimiter.as_bytes()).unwrap_or(rest.len());
        found.extend(read_part(&rest[..end]));
    }
    Some(found)
}

fn read_part(part: &[u8]) -> Option<ReadPart<'_>> {
    let end = memmem::find(part, b"\r\n\r\n")?;
    let head = std::str::from_utf8(&part[..end]).ok()?;
    let line = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let disposition = line("Content-Disposition")?.strip_prefix("form-data; name=\"")?;
    let (name, after) = disposition.split_once('"')?;
    let filename = after.strip_prefix("; filename=\"").and_then(|rest| rest.strip_suffix('"'));
    let value = &part[end + 4..];
    let value = value.strip_suffix(b"\r\n").unwrap_or(value);
    Some(ReadPart { name, filename, content_type: line("Content-Type").unwrap_or_default(), value })
}

/// The value of the text field of a form with this name.
pub(crate) fn field<'b>(body: &'b [u8], name: &str) -> Option<&'b str> {
    let wanted = quoted(name);
    let part = parts(body)?.into_iter().find(|part| part.filename.is_none() && part.name == wanted)?;
    std::str::from_utf8(part.value).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn form(fields: &[(&str, &str)]) -> Vec<u8> {
        let mut form = MultipartForm::default();
        for (name, value) in fields {
            form.text(name, value);
        }
        form.into_bytes()
    }

    #[test]
    fn a_form_is_written_as_the_reference_writes_it() {
        let mut made = MultipartForm::default();
        made.text("prompt", "a cat");
        made.file("image", "image.png".to_owned(), "image/png", vec![1, 2]);
        made.given("flag", &json!(true));
        made.given("nothing", &Value::Null);
        let bytes = made.into_bytes();
        let boundary = boundary_of(&bytes).unwrap().to_owned();
        assert_eq!(boundary.len(), 32);
        let expected = format!(
            "--{boundary}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\n\
             a cat\r\n--{boundary}\r\nContent-Type: image/png\r\nContent-Disposition: form-data; name=\"image\"; \
             filename=\"image.png\"\r\n\r\n\u{1}\u{2}\r\n--{boundary}\r\nContent-Type: text/plain; charset=utf-8\r\n\
             Content-Disposition: form-data; name=\"flag\"\r\n\r\ntrue\r\n--{boundary}--\r\n"
        );
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }

    #[test]
    fn the_boundary_is_the_same_for_the_same_content_and_stands_in_no_value() {
        let first = form(&[("a", "x")]);
        assert_eq!(first, form(&[("a", "x")]));
        assert_ne!(boundary_of(&first), boundary_of(&form(&[("a", "y")])));
        assert_eq!(content_type(b"{\"messages\":[]}"), None);
    }

    #[test]
    fn a_name_cannot_end_its_line() {
        let bytes = form(&[("a\"\r\nX: y", "v")]);
        assert!(String::from_utf8(bytes).unwrap().contains("name=\"a%22%0D%0AX: y\"\r\n"));
    }

    proptest! {
        #[test]
        fn what_was_put_in_is_found_again(value in "\\PC{0,40}", other in "[\\r\\n-]{0,10}") {
            let bytes = form(&[("o", &other), ("prompt", &value)]);
            prop_assert_eq!(field(&bytes, "prompt"), Some(value.as_str()));
            prop_assert_eq!(field(&bytes, "missing"), None);
        }

        #[test]
        fn no_bytes_make_the_reader_panic(body in proptest::collection::vec(any::<u8>(), 0..120)) {
            let _ = field(&body, "prompt");
            let _ = content_type(&body);
        }
    }
}
