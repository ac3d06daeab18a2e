//! Reads bodies of `multipart/form-data`.

use crate::api::text_request::RejectedRequest;
use crate::server::http_request::Head;

/// The parts of a form, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct UploadForm<'b> {
    pub(crate) parts: Vec<UploadPart<'b>>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UploadPart<'b> {
    pub(crate) name: String,
    pub(crate) filename: Option<String>,
    pub(crate) value: &'b [u8],
}

impl<'b> UploadForm<'b> {
    pub(crate) fn read(head: &Head, body: &'b [u8]) -> Result<Self, RejectedRequest> {
        let content_type = head.header("content-type").unwrap_or_default();
        let boundary = parameter(content_type, "boundary")
            .filter(|_| content_type.starts_with("multipart/form-data"))
            .ok_or_else(|| refused("the body must be multipart/form-data with a boundary."))?;
        Self::parse(&boundary, body).ok_or_else(|| refused("the form cannot be read."))
    }

    fn parse(boundary: &str, body: &'b [u8]) -> Option<Self> {
        let delimiter = format!("\r\n--{boundary}");
        let mut rest = body.strip_prefix(&delimiter.as_bytes()[2..])?;
        let mut parts = Vec::new();
        while let Some(after) = rest.strip_prefix(b"\r\n") {
            let end = find(after, delimiter.as_bytes())?;
            parts.push(UploadPart::parse(&after[..end])?);
            rest = &after[end + delimiter.len()..];
        }
        rest.starts_with(b"--").then_some(Self { parts })
    }

    /// The text of a field.
    pub(crate) fn text(&self, name: &str) -> Option<&'b str> {
        let part = self.parts.iter().find(|part| part.name == name && part.filename.is_none())?;
        std::str::from_utf8(part.value).ok()
    }

    pub(crate) fn file(&self, name: &str) -> Option<&UploadPart<'b>> {
        self.parts.iter().find(|part| part.name == name && part.filename.is_some())
    }
}

impl<'b> UploadPart<'b> {
    fn parse(part: &'b [u8]) -> Option<Self> {
        let end = find(part, b"\r\n\r\n")?;
        let head = std::str::from_utf8(&part[..end]).ok()?;
        let line = head.split("\r\n").find(|line| line.to_ascii_lowercase().starts_with("content-disposition:"))?;
        Some(Self { name: parameter(line, "name")?, filename: parameter(line, "filename"), value: &part[end + 4..] })
    }
}

fn refused(message: &str) -> RejectedRequest {
    RejectedRequest { message: message.to_owned(), parameter: None }
}

/// The value of `name=` in a header, with or without quotes.
fn parameter(header: &str, name: &str) -> Option<String> {
    let values = header.split(';').skip(1).filter_map(|pair| pair.trim().split_once('='));
    values.into_iter().find(|(found, _)| *found == name).map(|(_, value)| value.trim_matches('"').to_owned())
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FORM: &[u8] =
        b"--b\r\nContent-Type: text/plain\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\na cat\r\n\
        --b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"i.png\"\r\n\r\n\x89P\r\n--b--\r\n";

    #[test]
    fn fields_and_files_are_told_apart() {
        let form = UploadForm::parse("b", FORM).unwrap();
        assert_eq!(form.text("prompt"), Some("a cat"));
        assert_eq!(form.file("image").unwrap().value, b"\x89P");
        assert_eq!((form.text("image"), form.file("prompt")), (None, None));
        assert_eq!(UploadForm::parse("c", FORM), None);
        assert_eq!(UploadForm::parse("b", &FORM[..FORM.len() - 6]), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = UploadForm::parse("b", &body);
        }
    }
}
