//! Audio Input: generated audio.

use crate::catalogue::{OptionId, OptionSpec, Tokens, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::AudioBatchSize,
        &["audio-batch-size", "batch-size-audio"],
        ValueKind::Int,
        "Number of audio clips per request.",
    )
    .at_least(0.0)
    .default("0; 1 with a length")
    .supported(),
    OptionSpec::new(
        OptionId::AudioLengthMean,
        &["audio-length-mean"],
        ValueKind::Float,
        "Mean length of an audio clip.",
    )
    .at_least(0.0)
    .unit("s")
    .default("10 when audio is on")
    .supported(),
    OptionSpec::new(
        OptionId::AudioLengthStddev,
        &["audio-length-stddev"],
        ValueKind::Float,
        "Standard deviation of the length of an audio clip.",
    )
    .at_least(0.0)
    .unit("s")
    .default("0")
    .supported(),
    OptionSpec::new(
        OptionId::AudioFormat,
        &["audio-format"],
        ValueKind::Choice(&["wav", "mp3", "random"]),
        "File format of audio clips; `random` draws WAV or MP3 for each clip.",
    )
    .default("wav")
    .supported(),
    OptionSpec::new(
        OptionId::AudioDepths,
        &["audio-depths"],
        ValueKind::Int,
        "Bit depths of audio clips to draw from.",
    )
    .several(Tokens::OneOrMore)
    .above(0.0)
    .unit("bits")
    .default("16")
    .supported(),
    OptionSpec::new(
        OptionId::AudioSampleRates,
        &["audio-sample-rates"],
        ValueKind::Float,
        "Sample rates of audio clips to draw from; values above 96 are taken as Hz.",
    )
    .several(Tokens::OneOrMore)
    .above(0.0)
    .unit("kHz")
    .default("16")
    .supported(),
    OptionSpec::new(
        OptionId::AudioNumChannels,
        &["audio-num-channels"],
        ValueKind::Int,
        "Channels of an audio clip: 1 for mono, 2 for stereo.",
    )
    .at_least(1.0)
    .at_most(2.0)
    .default("1")
    .supported(),
];
