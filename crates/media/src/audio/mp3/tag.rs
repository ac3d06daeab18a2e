//! The first frame of a file: silent, with a tag that says how many frames follow and how many samples at both ends are
//! padding. Without it a clip could only be a whole number of frames long. Decoders recognise the tag by the encoder names
//! `Info` and `LAME`, and ignore the padding lengths without them.

use aiperf_config::Channels;

use super::{Bits, FrameLayout};

/// Samples that every decoder adds before the encoded sound.
const DECODER_DELAY: u64 = 529;
/// Samples of encoder delay, which decoders skip in addition; the usual number.
const DELAY: u64 = 576;
const TAG_BYTES: u32 = 156;

/// How a number of samples is spread over frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Padding {
    pub(super) frames: u64,
    /// Samples of padding after the sound.
    behind: u64,
}

impl Padding {
    pub(super) fn around(samples: u64, frame_samples: u64) -> Self {
        let frames = (samples + DELAY + DECODER_DELAY).div_ceil(frame_samples);
        Self { frames, behind: frames * frame_samples - samples - DELAY }
    }
}

pub(super) fn frame(layout: FrameLayout, padding: Padding, sound_bytes: usize) -> Vec<u8> {
    let start = 4 + layout.side_bytes();
    let fits = |kbps: &&u32| layout.frame_bytes(**kbps) >= start + TAG_BYTES;
    let kbps = layout.bit_rates()[1..].iter().find(fits).copied().unwrap_or(layout.bit_rate_kbps());
    let length = layout.frame_bytes(kbps) as usize;
    let mut bits = Bits::default();
    layout.write_header(kbps, false, &mut bits);
    let mut frame = bits.into_bytes();
    frame.resize(start as usize, 0);
    let whole = (length + sound_bytes) as u32;
    // Constant bit rate; with numbers of frames and bytes, a table of places and a quality.
    frame.extend(b"Info");
    frame.extend(0b1111_u32.to_be_bytes());
    frame.extend((padding.frames as u32).to_be_bytes());
    frame.extend(whole.to_be_bytes());
    frame.extend((0..100_u32).map(|percent| (percent * 256 / 100) as u8));
    frame.extend(50_u32.to_be_bytes());
    frame.extend(b"LAME3.100");
    // Constant bit rate, no filter, no loudness known.
    frame.push(1);
    frame.extend([0; 10]);
    frame.push(kbps_byte(layout));
    let ends = (DELAY as u32) << 12 | padding.behind as u32;
    frame.extend(&ends.to_be_bytes()[1..]);
    frame.push(if layout.channels == Channels::Mono { 0 } else { 1 << 2 });
    frame.extend([0; 3]);
    frame.extend(whole.to_be_bytes());
    frame.extend([0; 2]);
    let checksum = crc16(&frame);
    frame.extend(checksum.to_be_bytes());
    frame.resize(length, 0);
    frame
}

fn kbps_byte(layout: FrameLayout) -> u8 {
    layout.bit_rate_kbps().min(255) as u8
}

/// CRC-16/ARC.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xa001 } else { crc >> 1 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_well_known_one() {
        assert_eq!(crc16(b"123456789"), 0xbb3d);
    }

    #[test]
    fn padding_leaves_exactly_the_samples_that_were_asked_for() {
        for samples in [1, 575, 576, 1_151, 16_000, 160_000] {
            for frame in [576, 1_152] {
                let padding = Padding::around(samples, frame);
                assert_eq!(padding.frames * frame - DELAY - padding.behind, samples);
                assert!((DECODER_DELAY..4_096).contains(&padding.behind), "{padding:?}");
            }
        }
    }
}
