//! Video Input: generated video.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
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
