//! Pictures, clips and films made from nothing or from the user's pictures, as files that any decoder opens. What is drawn
//! at random comes from a stream that the caller gives: the same stream, the same bytes.
#![forbid(unsafe_code)]

mod asset;
mod clip;
mod content;
mod ffmpeg;
mod frames;
mod image;
mod mp3;
mod picture;
mod reading;
mod resize;
mod wav;

pub use asset::Asset;
pub use clip::{ClipShape, clip};
pub use content::{audio_content, image_content, video_content};
pub use ffmpeg::{FilmError, film};
pub use image::ImageEncoding;
pub use mp3::RATES_HZ as MP3_RATES_HZ;
pub use picture::Picture;
pub use reading::{ReadingError, is_picture, read_picture};
