//! Audio clips.

use aiperf_config::{AudioFormat, AudioSpec, BitDepth, Channels, ClipLength};

use super::{batch_size, given, numbers, rate_hz};
use crate::catalogue::{OptionId, OptionSpec, Tokens, ValueKind};
use crate::{ConfigError, RawOptions};

/// Audio Input: generated audio.
pub(crate) const AUDIO: &[OptionSpec] = &[
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

pub(super) const OPTIONS: &[OptionId] = &[
    OptionId::AudioBatchSize,
    OptionId::AudioLengthMean,
    OptionId::AudioLengthStddev,
    OptionId::AudioFormat,
    OptionId::AudioDepths,
    OptionId::AudioSampleRates,
    OptionId::AudioNumChannels,
];
const SWITCHES: &[OptionId] = &[OptionId::AudioLengthMean, OptionId::AudioLengthStddev];
const DEFAULT_SECONDS: f64 = 10.0;
const DEFAULT_RATE_HZ: u32 = 16_000;
/// The sample rates that MP3 has.
const MP3_RATES_HZ: [u32; 9] = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];

pub(super) fn resolve(raw: &RawOptions) -> Result<Option<AudioSpec>, ConfigError> {
    let sizes = [OptionId::AudioLengthMean];
    let batch_size = batch_size(raw, OptionId::AudioBatchSize, SWITCHES, &sizes, OPTIONS)?;
    let length = ClipLength {
        mean_s: raw.float(OptionId::AudioLengthMean)?.unwrap_or(DEFAULT_SECONDS),
        stddev_s: raw.float(OptionId::AudioLengthStddev)?.unwrap_or(0.0),
    };
    let formats = match raw.choice(OptionId::AudioFormat)? {
        Some("mp3") => vec![AudioFormat::Mp3],
        Some("random") => AudioFormat::ALL.to_vec(),
        _ => vec![AudioFormat::Wav],
    };
    let rates_hz = rates(raw, &formats)?;
    let depths = depths(raw)?;
    if formats == [AudioFormat::Mp3] && given(raw, &[OptionId::AudioDepths]).is_some() {
        let why = "MP3 has no bit depth";
        return Err(raw.needs_text(OptionId::AudioDepths, "--audio-format wav", why));
    }
    let channels = match raw.int::<u16>(OptionId::AudioNumChannels)? {
        Some(2) => Channels::Stereo,
        _ => Channels::Mono,
    };
    check_size(raw, length, &rates_hz, &depths, channels)?;
    Ok(batch_size.map(|batch_size| AudioSpec { batch_size, length, formats, rates_hz, depths, channels }))
}

/// The longest clips that are likely must fit into a WAV file, and into memory.
fn check_size(
    raw: &RawOptions,
    length: ClipLength,
    rates_hz: &[u32],
    depths: &[BitDepth],
    channels: Channels,
) -> Result<(), ConfigError> {
    const MOST_BYTES: f64 = 1e9;
    let rate = f64::from(rates_hz.iter().copied().max().unwrap_or(DEFAULT_RATE_HZ));
    let depth = f64::from(depths.iter().map(|depth| depth.bits()).max().unwrap_or(16));
    let per_second = rate * depth / 8.0 * f64::from(channels.count());
    let longest = MOST_BYTES / per_second;
    if length.mean_s + 10.0 * length.stddev_s <= longest {
        return Ok(());
    }
    let expected = format!("audio clips of more than {longest:.0} s would be larger than a gigabyte each");
    Err(raw.bad(OptionId::AudioLengthMean, &length.mean_s.to_string(), &expected))
}

fn rates(raw: &RawOptions, formats: &[AudioFormat]) -> Result<Vec<u32>, ConfigError> {
    let id = OptionId::AudioSampleRates;
    let mut rates = Vec::new();
    for (value, text) in numbers(raw, id)? {
        let rate = rate_hz(raw, id, value, &text)?;
        if formats.contains(&AudioFormat::Mp3) && !MP3_RATES_HZ.contains(&rate) {
            let expected = "MP3 supports 8, 11.025, 12, 16, 22.05, 24, 32, 44.1 and 48 kHz; --audio-format wav supports any \
         rate";
            return Err(raw.bad(id, &text, expected));
        }
        rates.push(rate);
    }
    Ok(if rates.is_empty() { vec![DEFAULT_RATE_HZ] } else { rates })
}

fn depths(raw: &RawOptions) -> Result<Vec<BitDepth>, ConfigError> {
    let id = OptionId::AudioDepths;
    let depths: Vec<BitDepth> = numbers(raw, id)?
        .into_iter()
        .map(|(value, text)| {
            let found = BitDepth::from_bits(value as u16).filter(|_| value.fract() == 0.0);
            found.ok_or_else(|| raw.bad(id, &text, "must be 8, 16, 24 or 32 bits"))
        })
        .collect::<Result<_, _>>()?;
    Ok(if depths.is_empty() { vec![BitDepth::Sixteen] } else { depths })
}
