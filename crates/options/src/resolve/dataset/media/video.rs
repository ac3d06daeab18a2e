//! Films.

use aiperf_config::{BitDepth, Channels, SoundCodec, SoundTrack, VideoContainer, VideoPicture, VideoSpec};

use super::{batch_size, rate_hz};
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

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
        return Err(raw.bad(OptionId::VideoCodec, &codec, "an encoder of FFmpeg is expected, such as libvpx-vp9"));
    }
    let sound = sound(raw, container)?;
    let Some(batch_size) = batch_size else { return Ok(None) };
    let (width, height) = match (width, height) {
        (Some(width), Some(height)) => (width, height),
        (Some(_), None) => return Err(raw.needs(OptionId::VideoWidth, OptionId::VideoHeight, "a frame has both")),
        (None, Some(_)) => return Err(raw.needs(OptionId::VideoHeight, OptionId::VideoWidth, "a frame has both")),
        (None, None) => {
            let id = super::given(raw, OPTIONS).unwrap_or(OptionId::VideoBatchSize);
            return Err(raw.needs_text(id, "--video-width and --video-height", "a film has no size by default"));
        }
    };
    let spec = VideoSpec { batch_size, width, height, duration_s, fps, picture, container, codec, sound };
    if spec.frames() == 0 {
        let id = OptionId::VideoDuration;
        let expected = format!("at {fps} frames a second that is less than one frame");
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
        let why = "webm holds libvorbis and libopus only";
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
