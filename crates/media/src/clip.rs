//! Clips of noise.

use aiperf_config::{AudioFormat, BitDepth, Channels, whole};
use aiperf_seed::Stream;

use crate::{mp3, wav};

/// What a clip is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClipShape {
    pub format: AudioFormat,
    pub rate_hz: u32,
    /// Of no importance to MP3.
    pub depth: BitDepth,
    pub channels: Channels,
    /// Of each channel.
    pub samples: u64,
}

impl ClipShape {
    /// As many samples as fit into the time.
    pub fn samples_in(seconds: f64, rate_hz: u32) -> u64 {
        whole(seconds * f64::from(rate_hz))
    }

    /// How long it plays.
    pub fn seconds(&self) -> f64 {
        self.samples as f64 / f64::from(self.rate_hz)
    }
}

/// A clip of Gaussian noise as a file.
pub fn clip(shape: &ClipShape, stream: &mut Stream) -> Vec<u8> {
    match shape.format {
        AudioFormat::Wav => wav::noise(shape.samples, shape.rate_hz, shape.depth, shape.channels, stream),
        AudioFormat::Mp3 => mp3::noise(shape.samples, shape.rate_hz, shape.channels, stream),
    }
}
