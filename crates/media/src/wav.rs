//! Sound as WAV files: plain PCM behind a header of 44 bytes.

use aiperf_config::{BitDepth, Channels};
use aiperf_seed::Stream;

/// Loud enough to be no silence, quiet enough that few samples are clipped.
const SIGMA: f64 = 0.3;

/// Gaussian noise; `samples` for each channel.
pub(crate) fn noise(samples: u64, rate_hz: u32, depth: BitDepth, channels: Channels, stream: &mut Stream) -> Vec<u8> {
    let width = usize::from(depth.bits() / 8);
    let count = samples as usize * usize::from(channels.count());
    let mut file = header(count * width, rate_hz, depth, channels);
    file.reserve_exact(count * width);
    for _ in 0..count {
        let level = (stream.standard_normal() * SIGMA).clamp(-1.0, 1.0);
        match depth {
            // Eight bits are unsigned in WAV, the upper half of sixteen.
            BitDepth::Eight => file.push((((level * 32_767.0).round() as i32 >> 8) + 128) as u8),
            BitDepth::Sixteen => file.extend(((level * 32_767.0).round() as i16).to_le_bytes()),
            BitDepth::TwentyFour => file.extend(&((level * 8_388_607.0).round() as i32).to_le_bytes()[..3]),
            BitDepth::ThirtyTwo => file.extend(((level * 2_147_483_647.0).round() as i32).to_le_bytes()),
        }
    }
    // Chunks have an even number of bytes; the length does not count the one that fills up.
    if file.len() % 2 == 1 {
        file.push(0);
    }
    file
}

fn header(data: usize, rate_hz: u32, depth: BitDepth, channels: Channels) -> Vec<u8> {
    const PCM: u16 = 1;
    let (data, frame) = (data as u32, channels.count() * depth.bits() / 8);
    let mut file = Vec::with_capacity(44);
    file.extend(b"RIFF");
    file.extend((36 + data + data % 2).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16_u32.to_le_bytes());
    file.extend(PCM.to_le_bytes());
    file.extend(channels.count().to_le_bytes());
    file.extend(rate_hz.to_le_bytes());
    file.extend((rate_hz * u32::from(frame)).to_le_bytes());
    file.extend(frame.to_le_bytes());
    file.extend(depth.bits().to_le_bytes());
    file.extend(b"data");
    file.extend(data.to_le_bytes());
    file
}
