//! Media named in a file. URLs and encoded media pass through; a local file is read and encoded here, once however many
//! rows name it, so that a missing one stops the run before it starts.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aiperf_conversation::Media;
use aiperf_media::{mp3_seconds, wav_seconds};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// A local file of more than this is no part of a request, but a slip (or a device without end).
const MOST_BYTES: u64 = 1 << 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Image,
    Audio,
    Video,
}

/// The local media of a data set.
#[derive(Debug)]
pub(crate) struct MediaFiles {
    /// What paths are relative to; `None`: there are no local files.
    base: Option<PathBuf>,
    read: RefCell<HashMap<(Kind, String), Arc<str>>>,
    /// How long the audio files among them play, by the place of their contents in memory, where `read` keeps them.
    lengths: RefCell<HashMap<*const u8, Option<f64>>>,
}

impl MediaFiles {
    pub(crate) fn relative_to(base: &Path) -> Self {
        Self { base: Some(base.to_owned()), read: RefCell::default(), lengths: RefCell::default() }
    }

    /// For data that may not read files.
    pub(crate) fn none() -> Self {
        Self { base: None, read: RefCell::default(), lengths: RefCell::default() }
    }

    /// What goes into the request for this value.
    pub(crate) fn content(&self, kind: Kind, value: &str) -> Result<Arc<str>, String> {
        if value.is_empty() {
            return Err("an empty value is neither a URL nor a path".to_owned());
        }
        if is_encoded(kind, value) || is_url(value)? {
            return Ok(Arc::from(value));
        }
        let key = (kind, value.to_owned());
        if let Some(content) = self.read.borrow().get(&key) {
            return Ok(Arc::clone(content));
        }
        let content: Arc<str> = Arc::from(encode(kind, value, &self.bytes(value)?)?);
        if kind == Kind::Audio {
            self.lengths.borrow_mut().insert(content.as_ptr(), seconds_of(&content));
        }
        self.read.borrow_mut().insert(key, Arc::clone(&content));
        Ok(content)
    }

    /// How long these audios play together; `None` where one of them does not say.
    pub(crate) fn seconds(&self, audios: &[Media]) -> Option<f64> {
        let contents = || audios.iter().flat_map(|audio| &audio.contents);
        contents().next()?;
        let lengths = self.lengths.borrow();
        contents().map(|content| lengths.get(&content.as_ptr()).copied().unwrap_or_else(|| seconds_of(content))).sum()
    }

    fn bytes(&self, value: &str) -> Result<Vec<u8>, String> {
        let base = self.base.as_ref().ok_or_else(|| format!("{value} is a local file, which may not be read here"))?;
        let path = base.join(value);
        let size = std::fs::metadata(&path).map_err(|error| format!("cannot read {value}: {error}"))?;
        if !size.is_file() {
            return Err(format!("cannot read {value}: it is not a file"));
        }
        if size.len() > MOST_BYTES {
            return Err(format!("{value} has {} MiB, and a request should not", size.len() >> 20));
        }
        std::fs::read(path).map_err(|error| format!("cannot read {value}: {error}"))
    }
}

fn encode(kind: Kind, value: &str, bytes: &[u8]) -> Result<String, String> {
    let encoded = || STANDARD.encode(bytes);
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

fn seconds_of(audio: &str) -> Option<f64> {
    let (format, data) = audio.split_once(',')?;
    let bytes = STANDARD.decode(data).ok()?;
    match format {
        "wav" => wav_seconds(&bytes),
        "mp3" => mp3_seconds(&bytes),
        _ => None,
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

    fn fixtures() -> MediaFiles {
        MediaFiles::relative_to(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"))
    }

    #[test]
    fn urls_and_encoded_media_pass_through() {
        for (kind, value) in [
            (Kind::Image, "https://example.invalid/cat.png"),
            (Kind::Image, "data:image/png;base64,iVBORw0KGgo="),
            (Kind::Audio, "wav,UklGRg=="),
            (Kind::Video, "s3://bucket/film.mp4"),
        ] {
            assert_eq!(&*MediaFiles::none().content(kind, value).unwrap(), value);
        }
    }

    #[test]
    fn local_files_are_read_and_encoded() {
        let media = fixtures();
        let read = |kind, value| media.content(kind, value).unwrap();
        assert!(read(Kind::Image, "media/tiny.png").starts_with("data:image/png;base64,iVBORw0KGgo"));
        assert!(read(Kind::Image, "media/tiny.jpg").starts_with("data:image/jpeg;base64,/9j/"));
        assert!(read(Kind::Audio, "media/tiny.wav").starts_with("wav,UklGR"));
        assert!(read(Kind::Video, "media/tiny.mp4").starts_with("data:video/mp4;base64,"));
    }

    #[test]
    fn a_file_that_many_rows_name_is_held_once() {
        let media = fixtures();
        let read = || media.content(Kind::Image, "media/tiny.png").unwrap();
        assert!(Arc::ptr_eq(&read(), &read()));
    }

    #[test]
    fn the_length_of_audio_is_known_from_its_file() {
        let media = fixtures();
        let wav = media.content(Kind::Audio, "media/tiny.wav").unwrap();
        let one = media.seconds(&[Media::unnamed(Arc::clone(&wav))]).unwrap();
        assert!(one > 0.0);
        let three = [Media::unnamed(Arc::clone(&wav)), Media { name: String::new(), contents: vec![wav; 2] }];
        assert!((media.seconds(&three).unwrap() - 3.0 * one).abs() < 1e-9);
        assert_eq!(media.seconds(&[]), None);
        assert_eq!(media.seconds(&[Media::unnamed("https://example.invalid/a.wav")]), None);
    }

    #[test]
    fn what_cannot_be_sent_says_why() {
        let refused = |kind, value| fixtures().content(kind, value).unwrap_err();
        assert!(refused(Kind::Image, "media/none.png").contains("cannot read media/none.png"));
        assert!(refused(Kind::Image, "media").contains("not a file"));
        assert!(refused(Kind::Image, "media/tiny.wav").contains("neither PNG nor JPEG"));
        assert!(refused(Kind::Audio, "media/tiny.png").contains(".wav or .mp3"));
        assert!(refused(Kind::Video, "media/tiny.png").contains(".mp4 or .webm"));
        assert!(refused(Kind::Image, "https://").contains("not a complete URL"));
        assert!(refused(Kind::Image, "").contains("empty"));
        assert!(MediaFiles::none().content(Kind::Image, "a.png").unwrap_err().contains("may not be read"));
    }
}
