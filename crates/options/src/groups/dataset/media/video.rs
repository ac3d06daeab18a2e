//! Films.

use aiperf_config::{BitDepth, Channels, SoundCodec, SoundTrack, VideoContainer, VideoPicture, VideoSpec};

use super::{batch_size, rate_hz};
use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::{ConfigError, RawOptions};

/// Video Input: generated video.
pub(crate) const VIDEO: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::VideoBatchSize,
        &["video-batch-size", "batch-size-video"],
        ValueKind::Int,
        "Number of videos per request.",
    )
    .at_least(0.0)
    .default("0; 1 with a size")
    .supported(),
    OptionSpec::new(OptionId::VideoDuration, &["video-duration"], ValueKind::Float, "Length of a video.")
        .above(0.0)
        .unit("s")
        .default("1")
        .supported(),
    OptionSpec::new(OptionId::VideoFps, &["video-fps"], ValueKind::Int, "Frames per second of a video.")
        .at_least(1.0)
        .unit("fps")
        .default("4")
        .supported(),
    OptionSpec::new(OptionId::VideoWidth, &["video-width"], ValueKind::Int, "Width of a video frame.")
        .at_least(1.0)
        .unit("px")
        .supported(),
    OptionSpec::new(OptionId::VideoHeight, &["video-height"], ValueKind::Int, "Height of a video frame.")
        .at_least(1.0)
        .unit("px")
        .supported(),
    OptionSpec::new(
        OptionId::VideoSynthType,
        &["video-synth-type"],
        ValueKind::Choice(&["moving_shapes", "grid_clock", "noise"]),
        "What a generated video shows.",
    )
    .default("moving_shapes")
    .supported(),
    OptionSpec::new(
        OptionId::VideoFormat,
        &["video-format"],
        ValueKind::Choice(&["mp4", "webm"]),
        "Container format of a video.",
    )
    .default("webm")
    .supported(),
    OptionSpec::new(OptionId::VideoCodec, &["video-codec"], ValueKind::Text, "Video encoder, by its FFmpeg name.")
        .default("libvpx-vp9")
        .supported(),
    OptionSpec::new(
        OptionId::VideoAudioSampleRate,
        &["video-audio-sample-rate"],
        ValueKind::Float,
        "Sample rate of a video's sound track; values up to 96 are taken as kHz.",
    )
    .at_least(8.0)
    .at_most(96000.0)
    .unit("Hz or kHz")
    .default("44100")
    .supported(),
    OptionSpec::new(
        OptionId::VideoAudioNumChannels,
        &["video-audio-num-channels"],
        ValueKind::Int,
        "Channels of a video's sound track; 0 for no sound.",
    )
    .at_least(0.0)
    .at_most(2.0)
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::VideoAudioCodec,
        &["video-audio-codec"],
        ValueKind::Choice(&["aac", "libvorbis", "libopus"]),
        "Audio encoder of a video's sound track.",
    )
    .default("libvorbis for webm, libopus for mp4")
    .supported(),
    OptionSpec::new(
        OptionId::VideoAudioDepth,
        &["video-audio-depth"],
        ValueKind::Literal(&["8", "16", "24", "32"]),
        "Bit depth of a video's sound track.",
    )
    .unit("bits")
    .default("16")
    .supported(),
];

pub(super) const OPTIONS: &[OptionId] = &[
    OptionId::VideoBatchSize,
    OptionId::VideoWidth,
    OptionId::VideoHeight,
    OptionId::VideoDuration,
    OptionId::VideoFps,
    OptionId::VideoSynthType,
    OptionId::VideoFormat,
    OptionId::VideoCodec,
    OptionId::VideoAudioNumChannels,
    OptionId::VideoAudioSampleRate,
    OptionId::VideoAudioCodec,
    OptionId::VideoAudioDepth,
];
const DEFAULT_SECONDS: f64 = 1.0;
const DEFAULT_FPS: u32 = 4;
const DEFAULT_CODEC: &str = "libvpx-vp9";
const DEFAULT_SOUND_HZ: u32 = 44_100;

pub(super) fn resolve(raw: &RawOptions) -> Result<Option<VideoSpec>, ConfigError> {
    // Every option about films but their number implies one of them; without a size there is none to make.
    let switches = &OPTIONS[1..];
    let batch_size = batch_size(raw, OptionId::VideoBatchSize, switches, &[], OPTIONS)?;
    let width = raw.int(OptionId::VideoWidth)?;
    let height = raw.int(OptionId::VideoHeight)?;
    let duration_s = raw.float(OptionId::VideoDuration)?.unwrap_or(DEFAULT_SECONDS);
    let fps = raw.int(OptionId::VideoFps)?.unwrap_or(DEFAULT_FPS);
    let picture = match raw.choice(OptionId::VideoSynthType)? {
        Some("grid_clock") => VideoPicture::GridClock,
        Some("noise") => VideoPicture::Noise,
        _ => VideoPicture::MovingShapes,
    };
    let container = match raw.choice(OptionId::VideoFormat)? {
        Some("mp4") => VideoContainer::Mp4,
        _ => VideoContainer::Webm,
    };
    let codec = raw.text(OptionId::VideoCodec).unwrap_or(DEFAULT_CODEC).to_owned();
    if codec.is_empty() || codec.starts_with('-') {
        return Err(raw.bad(OptionId::VideoCodec, &codec, "must be an FFmpeg encoder, such as libvpx-vp9"));
    }
    let sound = sound(raw, container)?;
    let Some(batch_size) = batch_size else { return Ok(None) };
    let (width, height) = match (width, height) {
        (Some(width), Some(height)) => (width, height),
        (Some(_), None) => {
            return Err(raw.needs(
                OptionId::VideoWidth,
                OptionId::VideoHeight,
                "a video frame needs a width and a height",
            ));
        }
        (None, Some(_)) => {
            return Err(raw.needs(
                OptionId::VideoHeight,
                OptionId::VideoWidth,
                "a video frame needs a width and a height",
            ));
        }
        (None, None) => {
            let id = super::given(raw, OPTIONS).unwrap_or(OptionId::VideoBatchSize);
            return Err(raw.needs_text(id, "--video-width and --video-height", "a video has no default size"));
        }
    };
    let spec = VideoSpec { batch_size, width, height, duration_s, fps, picture, container, codec, sound };
    if spec.frames() == 0 {
        let id = OptionId::VideoDuration;
        let expected = format!("at {fps} frames per second that is less than one frame");
        return Err(raw.bad(id, &duration_s.to_string(), &expected));
    }
    Ok(Some(spec))
}

fn sound(raw: &RawOptions, container: VideoContainer) -> Result<Option<SoundTrack>, ConfigError> {
    let id = OptionId::VideoAudioNumChannels;
    let channels = match raw.int::<u16>(id)?.unwrap_or(0) {
        0 => None,
        1 => Some(Channels::Mono),
        _ => Some(Channels::Stereo),
    };
    let rate_id = OptionId::VideoAudioSampleRate;
    let rate = raw.float(rate_id)?.map(|rate| rate_hz(raw, rate_id, rate, &rate.to_string())).transpose()?;
    let depth = raw.choice(OptionId::VideoAudioDepth)?.and_then(|bits| BitDepth::from_bits(bits.parse().ok()?));
    let codec = match raw.choice(OptionId::VideoAudioCodec)? {
        Some("aac") => Some(SoundCodec::Aac),
        Some("libvorbis") => Some(SoundCodec::Vorbis),
        Some(_) => Some(SoundCodec::Opus),
        None => None,
    };
    let Some(channels) = channels else {
        let described = [OptionId::VideoAudioCodec, rate_id, OptionId::VideoAudioDepth];
        return match super::given(raw, &described) {
            None => Ok(None),
            Some(other) => {
                Err(raw.needs_text(other, "--video-audio-num-channels 1 or 2", "without it there is no sound"))
            }
        };
    };
    if (codec, container) == (Some(SoundCodec::Aac), VideoContainer::Webm) {
        let why = "webm supports libvorbis and libopus only";
        return Err(raw.needs_text(OptionId::VideoAudioCodec, "--video-format mp4", why));
    }
    Ok(Some(SoundTrack {
        rate_hz: rate.unwrap_or(DEFAULT_SOUND_HZ),
        channels,
        depth: depth.unwrap_or(BitDepth::Sixteen),
        codec: codec.unwrap_or(match container {
            VideoContainer::Webm => SoundCodec::Vorbis,
            VideoContainer::Mp4 => SoundCodec::Opus,
        }),
    }))
}
