//! Images, audio clips and videos, generated or made from the user's images, as files that any decoder opens. Everything
//! random comes from a stream that the caller passes: the same stream gives the same bytes.
#![forbid(unsafe_code)]

mod audio;
mod content;
mod image;
mod video;

pub use audio::{ClipShape, MP3_RATES_HZ, PcmFormat, clip, is_wav, mp3_seconds, wav_seconds};
pub use content::{audio_content, image_content, video_content};
pub use image::{Asset, ImageEncoding, Picture, PictureError, is_picture, read_picture};
pub use video::{VideoError, encode_video};
