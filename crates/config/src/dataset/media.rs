//! Generated pictures, clips and films, as they are described.

pub(crate) mod export;

use std::path::PathBuf;

/// Media that turns carry in addition to their texts; at least one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaSource {
    pub images: Option<ImageSpec>,
    pub audio: Option<AudioSpec>,
    pub video: Option<VideoSpec>,
    /// Turns carry nothing else: prompts of no tokens were asked for.
    pub without_text: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ImageSpec {
    /// Images of a turn, at least one.
    pub batch_size: usize,
    pub width: PixelSize,
    pub height: PixelSize,
    pub format: ImageFormat,
    pub source: ImageSource,
}

/// One side of an image in pixels, with normal spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PixelSize {
    pub mean: f64,
    pub stddev: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    Png,
    Jpeg,
    /// Either, drawn for each image.
    Random,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageSource {
    /// Random pixels, other ones for each image.
    Noise,
    /// Pictures that the program draws itself.
    Assets(PictureOrder),
    /// The PNG and JPEG files of a folder.
    Folder { path: PathBuf, order: PictureOrder },
}

/// The order in which pictures of a finite source are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PictureOrder {
    #[default]
    RandomWithReplacement,
    /// In random order, each once; then again in another order.
    ShuffleCycle,
    /// By name, again and again.
    SequentialCycle,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AudioSpec {
    /// Clips of a turn, at least one.
    pub batch_size: usize,
    pub length: ClipLength,
    /// One is drawn for each clip; at least one.
    pub formats: Vec<AudioFormat>,
    /// One is drawn for each clip; at least one.
    pub rates_hz: Vec<u32>,
    /// One is drawn for each clip; at least one.
    pub depths: Vec<BitDepth>,
    pub channels: Channels,
}

/// How long a clip plays, with normal spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClipLength {
    pub mean_s: f64,
    pub stddev_s: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AudioFormat {
    Wav,
    Mp3,
}

impl AudioFormat {
    pub const ALL: [Self; 2] = [Self::Wav, Self::Mp3];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Wav => "wav",
            Self::Mp3 => "mp3",
        }
    }
}

/// Bits of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BitDepth {
    Eight,
    Sixteen,
    TwentyFour,
    ThirtyTwo,
}

impl BitDepth {
    pub const ALL: [Self; 4] = [Self::Eight, Self::Sixteen, Self::TwentyFour, Self::ThirtyTwo];

    pub const fn bits(self) -> u16 {
        match self {
            Self::Eight => 8,
            Self::Sixteen => 16,
            Self::TwentyFour => 24,
            Self::ThirtyTwo => 32,
        }
    }

    pub fn from_bits(bits: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|depth| depth.bits() == bits)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channels {
    Mono,
    Stereo,
}

impl Channels {
    pub const fn count(self) -> u16 {
        match self {
            Self::Mono => 1,
            Self::Stereo => 2,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct VideoSpec {
    /// Films of a turn, at least one.
    pub batch_size: usize,
    pub width: u32,
    pub height: u32,
    pub duration_s: f64,
    pub fps: u32,
    pub picture: VideoPicture,
    pub container: VideoContainer,
    /// An encoder, as `ffmpeg` calls it.
    pub codec: String,
    pub sound: Option<SoundTrack>,
}

impl VideoSpec {
    /// Whole frames that fit into the duration.
    pub fn frames(&self) -> u64 {
        whole(self.duration_s * f64::from(self.fps))
    }
}

/// Whole units, where a product such as 0.29 x 100 may lie a hair below the number it stands for.
pub fn whole(units: f64) -> u64 {
    (units + 1e-6).floor().max(0.0) as u64
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VideoPicture {
    MovingShapes,
    GridClock,
    Noise,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VideoContainer {
    Webm,
    Mp4,
}

impl VideoContainer {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Webm => "webm",
            Self::Mp4 => "mp4",
        }
    }
}

/// Noise to be heard with a film.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoundTrack {
    pub rate_hz: u32,
    pub channels: Channels,
    pub depth: BitDepth,
    pub codec: SoundCodec,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SoundCodec {
    Aac,
    Vorbis,
    Opus,
}

impl SoundCodec {
    /// As `ffmpeg` and `--video-audio-codec` call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aac => "aac",
            Self::Vorbis => "libvorbis",
            Self::Opus => "libopus",
        }
    }
}
