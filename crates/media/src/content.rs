//! Media files in the form in which requests carry them.

use std::sync::Arc;

use aiperf_config::{AudioFormat, VideoContainer};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::ImageEncoding;

/// `data:image/png;base64,...`
pub fn image_content(encoding: ImageEncoding, file: &[u8]) -> Arc<str> {
    behind(&format!("data:image/{};base64,", encoding.name()), file)
}

/// `wav,...`
pub fn audio_content(format: AudioFormat, file: &[u8]) -> Arc<str> {
    behind(&format!("{},", format.name()), file)
}

/// `data:video/webm;base64,...`
pub fn video_content(container: VideoContainer, file: &[u8]) -> Arc<str> {
    behind(&format!("data:video/{};base64,", container.name()), file)
}

fn behind(start: &str, file: &[u8]) -> Arc<str> {
    let mut content = String::with_capacity(start.len() + file.len().div_ceil(3) * 4);
    content.push_str(start);
    STANDARD.encode_string(file, &mut content);
    Arc::from(content)
}
