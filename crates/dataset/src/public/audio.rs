//! Recorded speech in a form that servers accept: WAV and MP3 as they are stored, FLAC converted to 16-bit WAV.

use std::io::Cursor;

use aiperf_media::{PcmFormat, is_wav, wav_seconds};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use claxon::FlacReader;

use super::table_row::ColumnValue;

/// Longer recordings are left out, as in benchmarks of speech recognition.
const MOST_SECONDS: f64 = 30.0;

/// A recording as `format,base64`.
#[derive(Debug, PartialEq)]
pub(super) struct Clip {
    pub(super) content: String,
    /// `None` if the format does not say.
    pub(super) seconds: Option<f64>,
}

/// The recording in a column; `None` if there is none or it is too long.
pub(super) fn clip(cell: &ColumnValue) -> Result<Option<Clip>, String> {
    let bytes = match cell {
        ColumnValue::Null => return Ok(None),
        ColumnValue::Bytes(bytes) => bytes,
        ColumnValue::Record(row) => match row.get("bytes") {
            Some(ColumnValue::Bytes(bytes)) => bytes,
            _ => return Ok(None),
        },
        _ => return Err("its audio column does not contain bytes".to_owned()),
    };
    let clip = match bytes[..] {
        _ if is_wav(bytes) => Clip { content: encoded("wav", bytes), seconds: wav_seconds(bytes) },
        [b'f', b'L', b'a', b'C', ..] => match decode(bytes)? {
            Some((wav, seconds)) => Clip { content: encoded("wav", &wav), seconds: Some(seconds) },
            None => return Ok(None),
        },
        [b'I', b'D', b'3', ..] | [0xff, 0xe2..=0xff, ..] => Clip { content: encoded("mp3", bytes), seconds: None },
        _ => return Err("its audio is not WAV, FLAC or MP3".to_owned()),
    };
    Ok(Some(clip).filter(|clip| clip.seconds.is_none_or(|seconds| seconds <= MOST_SECONDS)))
}

fn encoded(format: &str, bytes: &[u8]) -> String {
    format!("{format},{}", STANDARD.encode(bytes))
}

/// The samples as a WAV file and how long they play; `None` if that is too long.
fn decode(flac: &[u8]) -> Result<Option<(Vec<u8>, f64)>, String> {
    let unreadable = |error: claxon::Error| format!("its FLAC cannot be read: {error}");
    let mut reader = FlacReader::new(Cursor::new(flac)).map_err(unreadable)?;
    let facts = reader.streaminfo();
    let per_second = f64::from(facts.sample_rate.max(1)) * f64::from(facts.channels.max(1));
    let most = (MOST_SECONDS * per_second) as usize;
    let mut samples: Vec<u8> = Vec::new();
    for sample in reader.samples() {
        let sample = sample.map_err(unreadable)?;
        let sample = match facts.bits_per_sample {
            bits @ 17.. => sample >> (bits - 16).min(31),
            bits => sample << (16 - bits),
        };
        samples.extend_from_slice(&(sample as i16).to_le_bytes());
        if samples.len() / 2 > most {
            return Ok(None);
        }
    }
    let seconds = samples.len() as f64 / 2.0 / per_second;
    let format = PcmFormat { rate_hz: facts.sample_rate, channels: facts.channels as u16, bits: 16 };
    Ok(Some((format.wav(&samples), seconds)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn silence(seconds: usize) -> Vec<u8> {
        PcmFormat { rate_hz: 8_000, channels: 1, bits: 16 }.wav(&vec![0; 16_000 * seconds])
    }

    #[test]
    fn wav_passes_through_with_its_length() {
        let bytes = silence(2);
        let clip = clip(&ColumnValue::Bytes(bytes.clone())).unwrap().unwrap();
        assert_eq!(clip, Clip { content: encoded("wav", &bytes), seconds: Some(2.0) });
    }

    #[test]
    fn long_recordings_are_left_out() {
        assert!(clip(&ColumnValue::Bytes(silence(30))).unwrap().is_some());
        assert!(clip(&ColumnValue::Bytes(silence(31))).unwrap().is_none());
    }

    #[test]
    fn flac_becomes_wav() {
        let bytes = include_bytes!("../../tests/fixtures/media/tone.flac");
        let clip = clip(&ColumnValue::Bytes(bytes.to_vec())).unwrap().unwrap();
        assert_eq!(clip.seconds, Some(0.25));
        let wav = STANDARD.decode(clip.content.strip_prefix("wav,").unwrap()).unwrap();
        assert_eq!(wav_seconds(&wav), Some(0.25));
        assert_eq!(wav.len(), 44 + 2 * 4_000);
        assert!(wav[44..].iter().any(|byte| *byte != 0), "the samples are there");
    }

    #[test]
    fn other_audio_is_refused() {
        assert!(clip(&ColumnValue::Bytes(b"OggS".to_vec())).unwrap_err().contains("not WAV"));
        assert!(clip(&ColumnValue::Bytes(b"fLaC".to_vec())).unwrap_err().contains("FLAC cannot be read"));
        assert!(clip(&ColumnValue::Null).unwrap().is_none());
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_decoder_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&[b"fLaC", &bytes[..]].concat());
        }
    }
}
