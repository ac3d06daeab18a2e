//! WAV files: PCM samples after a header of 44 bytes. Also how long any WAV file plays.

use aiperf_config::BitDepth;
use aiperf_seed::Stream;

/// Standard deviation of generated noise as a share of full scale: clearly not silence, and few samples are clipped.
const SIGMA: f64 = 0.3;
const HEADER_BYTES: usize = 44;

/// How the samples of a WAV file are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PcmFormat {
    pub rate_hz: u32,
    pub channels: u16,
    /// Bits per sample: 8, 16, 24 or 32.
    pub bits: u16,
}

impl PcmFormat {
    /// A WAV file with these samples: little-endian, the channels interleaved.
    pub fn wav(self, samples: &[u8]) -> Vec<u8> {
        let mut file = self.header(samples.len());
        file.extend_from_slice(samples);
        pad(&mut file);
        file
    }

    /// The header, in a buffer that has room for the samples as well.
    fn header(self, data_bytes: usize) -> Vec<u8> {
        const PCM: u16 = 1;
        let (data, frame) = (data_bytes as u32, self.channels * self.bits / 8);
        let mut file = Vec::with_capacity(HEADER_BYTES + data_bytes + 1);
        file.extend(b"RIFF");
        file.extend((36 + data + data % 2).to_le_bytes());
        file.extend(b"WAVEfmt ");
        file.extend(16_u32.to_le_bytes());
        file.extend(PCM.to_le_bytes());
        file.extend(self.channels.to_le_bytes());
        file.extend(self.rate_hz.to_le_bytes());
        file.extend((self.rate_hz * u32::from(frame)).to_le_bytes());
        file.extend(frame.to_le_bytes());
        file.extend(self.bits.to_le_bytes());
        file.extend(b"data");
        file.extend(data.to_le_bytes());
        file
    }
}

/// RIFF chunks have an even number of bytes; the length field does not count the padding byte.
fn pad(file: &mut Vec<u8>) {
    if file.len() % 2 == 1 {
        file.push(0);
    }
}

/// A file of Gaussian noise with this many samples per channel.
pub(super) fn noise(samples: u64, format: PcmFormat, depth: BitDepth, stream: &mut Stream) -> Vec<u8> {
    let count = samples as usize * usize::from(format.channels);
    let mut file = format.header(count * usize::from(format.bits / 8));
    for _ in 0..count {
        let level = (stream.standard_normal() * SIGMA).clamp(-1.0, 1.0);
        match depth {
            // WAV stores eight bits unsigned: the upper half of a sixteen-bit sample.
            BitDepth::Eight => file.push((((level * 32_767.0).round() as i32 >> 8) + 128) as u8),
            BitDepth::Sixteen => file.extend(((level * 32_767.0).round() as i16).to_le_bytes()),
            BitDepth::TwentyFour => file.extend(&((level * 8_388_607.0).round() as i32).to_le_bytes()[..3]),
            BitDepth::ThirtyTwo => file.extend(((level * 2_147_483_647.0).round() as i32).to_le_bytes()),
        }
    }
    pad(&mut file);
    file
}

/// Whether these bytes begin a WAV file.
pub fn is_wav(bytes: &[u8]) -> bool {
    bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WAVE")
}

/// How long a WAV file plays: the length of its `data` chunk divided by the byte rate in its `fmt ` chunk. `None` for
/// anything that is not a WAV file.
pub fn wav_seconds(bytes: &[u8]) -> Option<f64> {
    if !is_wav(bytes) {
        return None;
    }
    let mut rest = &bytes[12..];
    let mut bytes_per_second = 0;
    loop {
        let (head, body) = rest.split_at_checked(8)?;
        let length = u32::from_le_bytes(head[4..].try_into().ok()?) as usize;
        match &head[..4] {
            b"fmt " => bytes_per_second = u32::from_le_bytes(body.get(8..12)?.try_into().ok()?),
            // A writer that does not know the length in advance leaves a large one behind.
            b"data" if bytes_per_second > 0 => {
                return Some(length.min(body.len()) as f64 / f64::from(bytes_per_second));
            }
            _ => {}
        }
        // Chunks begin at even offsets.
        rest = body.get(length.checked_add(length % 2)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_written_wav_file_plays_as_long_as_its_samples() {
        let format = PcmFormat { rate_hz: 8_000, channels: 2, bits: 16 };
        let file = format.wav(&[0; 16_000]);
        assert_eq!((file.len(), wav_seconds(&file)), (HEADER_BYTES + 16_000, Some(0.5)));
        let odd = PcmFormat { rate_hz: 8_000, channels: 1, bits: 8 }.wav(&[0; 3]);
        assert_eq!((odd.len(), odd[4], odd[40]), (HEADER_BYTES + 4, 40, 3));
    }

    fn wav(declared: u32, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"RIFF\0\0\0\0WAVEodd \x03\0\0\0abc\0fmt \x10\0\0\0\x01\0\x01\0".to_vec();
        bytes.extend(8000_u32.to_le_bytes());
        bytes.extend(16_000_u32.to_le_bytes());
        bytes.extend(b"\x02\0\x10\0data");
        bytes.extend(declared.to_le_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn a_wav_plays_as_long_as_its_data() {
        assert_eq!(wav_seconds(&wav(8000, &[0; 8000])), Some(0.5));
        assert_eq!(wav_seconds(&wav(u32::MAX, &[0; 8000])), Some(0.5), "of unknown length");
        assert_eq!(wav_seconds(b"RIFF"), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = wav_seconds(&bytes);
            let _ = wav_seconds(&[b"RIFF\0\0\0\0WAVE", &bytes[..]].concat());
        }
    }
}
