//! Media named in a file. URLs and encoded media pass through. A local file is read and encoded here, once for all rows that
//! name it, so that a missing file stops the run before it starts.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aiperf_conversation::Media;
use aiperf_media::{mp3_seconds, wav_seconds};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// A larger local file is a mistake, or a device without end.
const MOST_BYTES: u64 = 1 << 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum MediaKind {
    Image,
    Audio,
    Video,
}

/// The local media of a data set.
#[derive(Debug)]
pub(crate) struct MediaFiles {
    /// The folder that paths are relative to; `None` if local files must not be read.
    base: Option<PathBuf>,
    read: RefCell<HashMap<(MediaKind, String), Arc<str>>>,
    /// The durations of the audio files in `read`, by the address of their contents.
    lengths: RefCell<HashMap<*const u8, Option<f64>>>,
}

impl MediaFiles {
    pub(crate) fn relative_to(base: &Path) -> Self {
        Self { base: Some(base.to_owned()), read: RefCell::default(), lengths: RefCell::default() }
    }

    /// For data that must not read local files.
    pub(crate) fn none() -> Self {
        Self { base: None, read: RefCell::default(), lengths: RefCell::default() }
    }

    /// The content to send for this value.
    pub(crate) fn content(&self, kind: MediaKind, value: &str) -> Result<Arc<str>, String> {
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
        if kind == MediaKind::Audio {
            self.lengths.borrow_mut().insert(content.as_ptr(), seconds_of(&content));
        }
        self.read.borrow_mut().insert(key, Arc::clone(&content));
        Ok(content)
    }

    /// The total duration of these audios; `None` if one of them is unknown.
    pub(crate) fn seconds(&self, audios: &[Media]) -> Option<f64> {
        let contents = || audios.iter().flat_map(|audio| &audio.contents);
        contents().next()?;
        let lengths = self.lengths.borrow();
        contents().map(|content| lengths.get(&content.as_ptr()).copied().unwrap_or_else(|| seconds_of(content))).sum()
    }

    fn bytes(&self, value: &str) -> Result<Vec<u8>, String> {
        let base = self
            .base
            .as_ref()
            .ok_or_else(|| format!("{value} is a local file, and this data must not read local files"))?;
        let path = base.join(value);
        let size = std::fs::metadata(&path).map_err(|error| format!("cannot read {value}: {error}"))?;
        if !size.is_file() {
            return Err(format!("cannot read {value}: it is not a file"));
        }
        if size.len() > MOST_BYTES {
            return Err(format!("{value} has {} MiB, which is too large for a request", size.len() >> 20));
        }
        std::fs::read(path).map_err(|error| format!("cannot read {value}: {error}"))
    }
}

fn encode(kind: MediaKind, value: &str, bytes: &[u8]) -> Result<String, String> {
    let encoded = || STANDARD.encode(bytes);
    let extension = Path::new(value).extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    match kind {
        MediaKind::Image if bytes.starts_with(b"\x89PNG\r\n\x1a\n") => {
            Ok(format!("data:image/png;base64,{}", encoded()))
        }
        MediaKind::Image if bytes.starts_with(b"\xff\xd8\xff") => Ok(format!("data:image/jpeg;base64,{}", encoded())),
        MediaKind::Image => Err(format!("{value} is neither PNG nor JPEG; convert it, or give a URL or data URL")),
        MediaKind::Audio if matches!(extension.as_str(), "wav" | "mp3") => Ok(format!("{extension},{}", encoded())),
        MediaKind::Audio => Err(format!("{value} must end in .wav or .mp3")),
        MediaKind::Video if matches!(extension.as_str(), "mp4" | "webm") => {
            Ok(format!("data:video/{extension};base64,{}", encoded()))
        }
        MediaKind::Video => Err(format!("{value} must end in .mp4 or .webm")),
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

fn is_encoded(kind: MediaKind, value: &str) -> bool {
    match kind {
        MediaKind::Image | MediaKind::Video => value.starts_with("data:"),
        MediaKind::Audio => value.starts_with("wav,") || value.starts_with("mp3,"),
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
            (MediaKind::Image, "https://example.invalid/cat.png"),
            (MediaKind::Image, "data:image/png;base64,iVBORw0KGgo="),
            (MediaKind::Audio, "wav,UklGRg=="),
            (MediaKind::Video, "s3://bucket/film.mp4"),
        ] {
            assert_eq!(&*MediaFiles::none().content(kind, value).unwrap(), value);
        }
    }

    #[test]
    fn local_files_are_read_and_encoded() {
        let media = fixtures();
        let read = |kind, value| media.content(kind, value).unwrap();
        assert!(read(MediaKind::Image, "media/tiny.png").starts_with("data:image/png;base64,iVBORw0KGgo"));
        assert!(read(MediaKind::Image, "media/tiny.jpg").starts_with("data:image/jpeg;base64,/9j/"));
        assert!(read(MediaKind::Audio, "media/tiny.wav").starts_with("wav,UklGR"));
        assert!(read(MediaKind::Video, "media/tiny.mp4").starts_with("data:video/mp4;base64,"));
    }

    #[test]
    fn a_file_that_many_rows_name_is_held_once() {
        let media = fixtures();
        let read = || media.content(MediaKind::Image, "media/tiny.png").unwrap();
        assert!(Arc::ptr_eq(&read(), &read()));
    }

    #[test]
    fn the_length_of_audio_is_known_from_its_file() {
        let media = fixtures();
        let wav = media.content(MediaKind::Audio, "media/tiny.wav").unwrap();
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
        assert!(refused(MediaKind::Image, "media/none.png").contains("cannot read media/none.png"));
        assert!(refused(MediaKind::Image, "media").contains("not a file"));
        assert!(refused(MediaKind::Image, "media/tiny.wav").contains("neither PNG nor JPEG"));
        assert!(refused(MediaKind::Audio, "media/tiny.png").contains(".wav or .mp3"));
        assert!(refused(MediaKind::Video, "media/tiny.png").contains(".mp4 or .webm"));
        assert!(refused(MediaKind::Image, "https://").contains("not a complete URL"));
        assert!(refused(MediaKind::Image, "").contains("empty"));
        assert!(
            MediaFiles::none().content(MediaKind::Image, "a.png").unwrap_err().contains("must not read local files")
        );
    }
}
