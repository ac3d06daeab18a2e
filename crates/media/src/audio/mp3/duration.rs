//! How long an MP3 file plays, from the headers of its frames alone.

/// How long an MP3 file plays: the samples of all its frames. `None` if it has no frame.
pub fn mp3_seconds(bytes: &[u8]) -> Option<f64> {
    let mut at = tag_length(bytes);
    let mut seconds = 0.0;
    while let Some(frame) = bytes.get(at..).and_then(Mp3Frame::read) {
        seconds += frame.seconds;
        at = at.saturating_add(frame.length);
    }
    (seconds > 0.0).then_some(seconds)
}

/// The length of an `ID3v2` tag before the frames, stored as four bytes of seven bits each.
fn tag_length(bytes: &[u8]) -> usize {
    match bytes {
        [b'I', b'D', b'3', _, _, _, a, b, c, d, ..] => {
            10 + [a, b, c, d].iter().fold(0, |length, byte| length << 7 | usize::from(**byte & 0x7f))
        }
        _ => 0,
    }
}

/// One frame of MPEG audio, layer III.
struct Mp3Frame {
    /// Bytes from the start of this header to the next.
    length: usize,
    seconds: f64,
}

/// MPEG 1: kbit/s by the index in the header; 0 marks an index that is not valid.
const RATES_1: [usize; 16] = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0];
/// MPEG 2 and 2.5: kbit/s by the index in the header; 0 marks an index that is not valid.
const RATES_2: [usize; 16] = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0];

impl Mp3Frame {
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
        fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = mp3_seconds(&bytes);
            let _ = mp3_seconds(&[&[0xff, 0xfb], &bytes[..]].concat());
        }
    }
}
