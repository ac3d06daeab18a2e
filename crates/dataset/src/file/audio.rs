//! How long an audio file plays, from its headers alone.

/// Of a RIFF file: the bytes of its `data` by the bytes of a second that `fmt ` names.
pub(crate) fn wav_seconds(bytes: &[u8]) -> Option<f64> {
    if bytes.get(..4)? != b"RIFF" || bytes.get(8..12)? != b"WAVE" {
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
        // Chunks begin at even places.
        rest = body.get(length.checked_add(length % 2)?..)?;
    }
}

/// Of MPEG audio, layer III: the samples of all frames. `None` where there is no frame.
pub(crate) fn mp3_seconds(bytes: &[u8]) -> Option<f64> {
    let mut at = tag_length(bytes);
    let mut seconds = 0.0;
    while let Some(frame) = bytes.get(at..).and_then(Frame::read) {
        seconds += frame.seconds;
        at = at.saturating_add(frame.length);
    }
    (seconds > 0.0).then_some(seconds)
}

/// The length of an `ID3v2` tag in front of the frames: four bytes of seven bits.
fn tag_length(bytes: &[u8]) -> usize {
    match bytes {
        [b'I', b'D', b'3', _, _, _, a, b, c, d, ..] => {
            10 + [a, b, c, d].iter().fold(0, |length, byte| length << 7 | usize::from(**byte & 0x7f))
        }
        _ => 0,
    }
}

/// One frame of layer III.
struct Frame {
    /// Bytes from its header to the next.
    length: usize,
    seconds: f64,
}

/// kbit/s by the header's index, MPEG 1; 0 where the header is not one.
const RATES_1: [usize; 16] = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0];
/// The same for MPEG 2 and 2.5.
const RATES_2: [usize; 16] = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0];

impl Frame {
    fn read(bytes: &[u8]) -> Option<Self> {
        let [0xff, second, third, ..] = *bytes else { return None };
        // Eleven bits of sync, two of version (1 is reserved), two of layer (1 is III).
        if second & 0xe6 != 0xe2 {
            return None;
        }
        let version = second >> 3 & 3;
        let rate_index = usize::from(third >> 4);
        let (kbits, samples, divisor) = match version {
            3 => (RATES_1[rate_index], 1152, 1),
            2 => (RATES_2[rate_index], 576, 2),
            0 => (RATES_2[rate_index], 576, 4),
            _ => return None,
        };
        let hertz = [44_100, 48_000, 32_000].get(usize::from(third >> 2 & 3))? / divisor;
        if kbits == 0 {
            return None;
        }
        let padding = usize::from(third >> 1 & 1);
        let length = samples / 8 * kbits * 1000 / hertz + padding;
        Some(Self { length, seconds: samples as f64 / hertz as f64 })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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

    #[test]
    fn an_mp3_plays_as_long_as_its_frames() {
        // MPEG 1, 128 kbit/s, 44.1 kHz: 417 bytes and 1152 samples each.
        let frame = [&[0xff, 0xfb, 0x90, 0x00][..], &[0; 413]].concat();
        let tagged = [b"ID3\x04\0\0\0\0\x01\x02".to_vec(), vec![0; 130], frame.repeat(10)].concat();
        for bytes in [frame.repeat(10), tagged] {
            let seconds = mp3_seconds(&bytes).unwrap();
            assert!((seconds - 10.0 * 1152.0 / 44_100.0).abs() < 1e-9, "{seconds}");
        }
        assert_eq!(mp3_seconds(b"no frames"), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_readers_panic(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = (wav_seconds(&bytes), mp3_seconds(&bytes));
            let _ = wav_seconds(&[b"RIFF\0\0\0\0WAVE", &bytes[..]].concat());
            let _ = mp3_seconds(&[&[0xff, 0xfb], &bytes[..]].concat());
        }
    }
}
