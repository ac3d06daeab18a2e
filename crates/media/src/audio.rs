//! Audio clips of noise, and how long audio files play.

mod mp3;
mod wav;

use aiperf_config::{AudioFormat, BitDepth, Channels, whole};
use aiperf_seed::Stream;

pub use mp3::{RATES_HZ as MP3_RATES_HZ, mp3_seconds};
pub use wav::{PcmFormat, is_wav, wav_seconds};

/// What a generated audio clip is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClipShape {
    pub format: AudioFormat,
    pub rate_hz: u32,
    /// Bits per sample of a WAV file; MP3 does not use it.
    pub depth: BitDepth,
    pub channels: Channels,
    /// Samples per channel.
    pub samples: u64,
}

impl ClipShape {
    /// The number of samples per channel that fit into a duration.
    pub fn samples_in(seconds: f64, rate_hz: u32) -> u64 {
        whole(seconds * f64::from(rate_hz))
    }

    /// The duration of the clip.
    pub fn seconds(&self) -> f64 {
        self.samples as f64 / f64::from(self.rate_hz)
    }
}

/// A clip of Gaussian noise as a file.
pub fn clip(shape: &ClipShape, stream: &mut Stream) -> Vec<u8> {
    match shape.format {
        AudioFormat::Wav => wav_noise(shape.samples, shape.rate_hz, shape.depth, shape.channels, stream),
        AudioFormat::Mp3 => mp3::noise(shape.samples, shape.rate_hz, shape.channels, stream),
    }
}

/// A WAV file of Gaussian noise with this many samples per channel.
pub(crate) fn wav_noise(
    samples: u64,
    rate_hz: u32,
    depth: BitDepth,
    channels: Channels,
    stream: &mut Stream,
) -> Vec<u8> {
    wav::noise(samples, PcmFormat { rate_hz, channels: channels.count(), bits: depth.bits() }, depth, stream)
}
