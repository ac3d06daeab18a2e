//! Media as turns hold them: a URL, a data URL, or base64 with a format in front.

use aiperf_conversation::Media;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// All contents that are not empty.
pub(crate) fn each(media: &[Media]) -> impl Iterator<Item = &str> {
    media.iter().flat_map(|m| &m.contents).map(|content| &**content).filter(|content| !content.is_empty())
}

/// The start of a content in no known form, for the error that names it.
#[derive(Debug)]
pub(crate) struct UnknownForm(pub(crate) String);

impl UnknownForm {
    fn of(content: &str) -> Self {
        Self(content.chars().take(40).collect())
    }
}

/// An audio content taken apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Audio<'a> {
    pub(crate) format: &'a str,
    /// In base64.
    pub(crate) data: &'a str,
}

impl<'a> Audio<'a> {
    /// Reads `wav,<base64>` or `data:audio/wav;base64,<base64>`.
    pub(crate) fn read(content: &'a str) -> Result<Self, UnknownForm> {
        let (head, data) = content.split_once(',').ok_or_else(|| UnknownForm::of(content))?;
        let format = head.strip_prefix("data:audio/").map_or(head, |rest| rest.split(';').next().unwrap_or(rest));
        Ok(Self { format, data })
    }

    /// Media type of the format.
    pub(crate) fn mime(self) -> String {
        match self.format {
            "mp3" | "mpga" | "mpeg" => "audio/mpeg".to_owned(),
            "m4a" | "mp4" => "audio/mp4".to_owned(),
            other => format!("audio/{other}"),
        }
    }

    pub(crate) fn bytes(self) -> Result<Vec<u8>, UnknownForm> {
        STANDARD.decode(self.data).map_err(|_| UnknownForm::of(self.data))
    }
}

/// An image, as far as a request wants to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Image<'a> {
    /// Somewhere on the web.
    Remote(&'a str),
    /// Here, in base64.
    Inline { mime: &'a str, data: &'a str },
}

/// How base64 of an image of this type begins.
const BEGINNINGS: [(&str, &str); 6] = [
    ("iVBORw0KGgo", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lGODlh", "image/gif"),
    ("R0lGODdh", "image/gif"),
    ("UklGR", "image/webp"),
    ("Qk", "image/bmp"),
];

impl<'a> Image<'a> {
    pub(crate) fn read(content: &'a str) -> Result<Self, UnknownForm> {
        if content.starts_with("http://") || content.starts_with("https://") {
            return Ok(Self::Remote(content));
        }
        let (named, data) = match content.strip_prefix("data:") {
            Some(rest) => {
                let (head, data) = rest.split_once(',').ok_or_else(|| UnknownForm::of(content))?;
                (head.split(';').next().filter(|mime| mime.starts_with("image/")), data)
            }
            None => (None, content),
        };
        let sniffed = || BEGINNINGS.into_iter().find(|(start, _)| data.starts_with(start)).map(|(_, mime)| mime);
        let mime = named.or_else(sniffed).ok_or_else(|| UnknownForm::of(content))?;
        Ok(Self::Inline { mime, data })
    }
}

/// The bytes of an inline image.
pub(crate) fn decoded(data: &str) -> Result<Vec<u8>, UnknownForm> {
    STANDARD.decode(data).map_err(|_| UnknownForm::of(data))
}

/// The ending of a file of this media type.
pub(crate) fn extension(mime: &str) -> &str {
    match mime.rsplit('/').next().unwrap_or(mime) {
        "jpeg" => "jpg",
        other => other.split('+').next().unwrap_or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_known_by_its_url_its_name_or_its_first_bytes() {
        let inline = |mime, data| Image::Inline { mime, data };
        assert_eq!(Image::read("https://x/a.png").unwrap(), Image::Remote("https://x/a.png"));
        assert_eq!(Image::read("data:image/webp;base64,AAAA").unwrap(), inline("image/webp", "AAAA"));
        assert_eq!(Image::read("data:;base64,/9j/AA").unwrap(), inline("image/jpeg", "/9j/AA"));
        assert_eq!(Image::read("iVBORw0KGgoAAAA").unwrap(), inline("image/png", "iVBORw0KGgoAAAA"));
        assert!(Image::read("cat.png").is_err() && Image::read("data:image/png").is_err());
    }

    #[test]
    fn formats_have_the_types_that_servers_know() {
        let mime = |content| Audio::read(content).unwrap().mime();
        assert_eq!(mime("wav,AA=="), "audio/wav");
        assert_eq!(mime("data:audio/mp3;base64,AA=="), "audio/mpeg");
        assert_eq!(mime("m4a,AA=="), "audio/mp4");
        assert_eq!((extension("image/jpeg"), extension("image/svg+xml")), ("jpg", "svg"));
    }
}
