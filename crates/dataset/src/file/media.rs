//! Media named in a file. URLs and encoded media pass through; a local file is read and encoded here, so that a missing
//! one stops the run before it starts.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Image,
    Audio,
    Video,
}

/// What goes into the request for this value. Paths are relative to `base`.
pub(crate) fn content(kind: Kind, value: &str, base: &Path) -> Result<String, String> {
    if value.is_empty() {
        return Err("an empty value is neither a URL nor a path".to_owned());
    }
    if is_encoded(kind, value) || is_url(value)? {
        return Ok(value.to_owned());
    }
    let bytes = std::fs::read(base.join(value)).map_err(|error| format!("cannot read {value}: {error}"))?;
    let encoded = || STANDARD.encode(&bytes);
    let extension = Path::new(value).extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    match kind {
        Kind::Image if bytes.starts_with(b"\x89PNG\r\n\x1a\n") => Ok(format!("data:image/png;base64,{}", encoded())),
        Kind::Image if bytes.starts_with(b"\xff\xd8\xff") => Ok(format!("data:image/jpeg;base64,{}", encoded())),
        Kind::Image => Err(format!("{value} is neither PNG nor JPEG; convert it, or give a URL or data URL")),
        Kind::Audio if matches!(extension.as_str(), "wav" | "mp3") => Ok(format!("{extension},{}", encoded())),
        Kind::Audio => Err(format!("{value} must end in .wav or .mp3")),
        Kind::Video if matches!(extension.as_str(), "mp4" | "webm") => {
            Ok(format!("data:video/{extension};base64,{}", encoded()))
        }
        Kind::Video => Err(format!("{value} must end in .mp4 or .webm")),
    }
}

fn is_encoded(kind: Kind, value: &str) -> bool {
    match kind {
        Kind::Image | Kind::Video => value.starts_with("data:"),
        Kind::Audio => value.starts_with("wav,") || value.starts_with("mp3,"),
    }
}

fn is_url(value: &str) -> Result<bool, String> {
    let Some((scheme, rest)) = value.split_once("://") else { return Ok(false) };
    if scheme.is_empty() || rest.is_empty() || rest.starts_with('/') {
        return Err(format!("{value} is not a complete URL: scheme://host/... is expected"));
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixtures() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
    }

    #[test]
    fn urls_and_encoded_media_pass_through() {
        for (kind, value) in [
            (Kind::Image, "https://example.invalid/cat.png"),
            (Kind::Image, "data:image/png;base64,iVBORw0KGgo="),
            (Kind::Audio, "wav,UklGRg=="),
            (Kind::Video, "s3://bucket/film.mp4"),
        ] {
            assert_eq!(content(kind, value, Path::new("")).unwrap(), value);
        }
    }

    #[test]
    fn local_files_are_read_and_encoded() {
        let read = |kind, value| content(kind, value, &fixtures()).unwrap();
        assert!(read(Kind::Image, "media/tiny.png").starts_with("data:image/png;base64,iVBORw0KGgo"));
        assert!(read(Kind::Image, "media/tiny.jpg").starts_with("data:image/jpeg;base64,/9j/"));
        assert!(read(Kind::Audio, "media/tiny.wav").starts_with("wav,UklGR"));
        assert!(read(Kind::Video, "media/tiny.mp4").starts_with("data:video/mp4;base64,"));
    }

    #[test]
    fn what_cannot_be_sent_says_why() {
        let refused = |kind, value| content(kind, value, &fixtures()).unwrap_err();
        assert!(refused(Kind::Image, "media/none.png").contains("cannot read media/none.png"));
        assert!(refused(Kind::Image, "media/tiny.wav").contains("neither PNG nor JPEG"));
        assert!(refused(Kind::Audio, "media/tiny.png").contains(".wav or .mp3"));
        assert!(refused(Kind::Video, "media/tiny.png").contains(".mp4 or .webm"));
        assert!(refused(Kind::Image, "https://").contains("not a complete URL"));
        assert!(refused(Kind::Image, "").contains("empty"));
    }
}
