//! How a response body is delimited, and the decoder for each way: a pure function over the bytes of one read.

use std::str;

/// RFC 9112 section 6.3, for responses to POST.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyFraming {
    Length(u64),
    Chunked(ChunkState),
    UntilClose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChunkState {
    /// Reading the hexadecimal size; digits read so far.
    Size {
        value: u64,
        digits: u8,
    },
    /// After the size, up to the end of its line (extensions are skipped).
    SizeLine {
        size: u64,
    },
    Data {
        left: u64,
    },
    /// The line end after a chunk's data.
    DataEnd,
    /// A trailer line; how many bytes it has so far, not counting its line end.
    Trailer {
        length: u32,
    },
    Done,
}

impl BodyFraming {
    pub(crate) const fn chunked() -> Self {
        Self::Chunked(ChunkState::Size { value: 0, digits: 0 })
    }

    /// Whether the body is complete.
    pub(crate) const fn is_done(self) -> bool {
        matches!(self, Self::Length(0) | Self::Chunked(ChunkState::Done))
    }

    /// Decodes `input` into `out` and says how many bytes of it belong to this body.
    pub(crate) fn decode(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<usize, String> {
        match self {
            Self::UntilClose => {
                out.extend_from_slice(input);
                Ok(input.len())
            }
            Self::Length(left) => {
                let take = input.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                out.extend_from_slice(&input[..take]);
                *left -= take as u64;
                Ok(take)
            }
            Self::Chunked(state) => state.decode(input, out),
        }
    }
}

impl ChunkState {
    fn decode(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<usize, String> {
        let mut at = 0;
        while at < input.len() && *self != Self::Done {
            let byte = input[at];
            match *self {
                Self::Data { left } => {
                    let take = (input.len() - at).min(usize::try_from(left).unwrap_or(usize::MAX));
                    out.extend_from_slice(&input[at..at + take]);
                    at += take;
                    let left = left - take as u64;
                    *self = if left == 0 { Self::DataEnd } else { Self::Data { left } };
                    continue;
                }
                Self::Size { value, digits } => *self = Self::size_digit(value, digits, byte)?,
                Self::SizeLine { size } => {
                    if byte == b'\n' {
                        *self = if size == 0 { Self::Trailer { length: 0 } } else { Self::Data { left: size } };
                    }
                }
                Self::DataEnd => match byte {
                    b'\r' => {}
                    b'\n' => *self = Self::Size { value: 0, digits: 0 },
                    _ => return Err(format!("a chunk is longer than its size says (byte {byte:#04x} after its data)")),
                },
                Self::Trailer { length } => {
                    *self = match byte {
                        b'\n' if length == 0 => Self::Done,
                        b'\n' => Self::Trailer { length: 0 },
                        b'\r' => Self::Trailer { length },
                        _ => Self::Trailer { length: length.saturating_add(1) },
                    };
                }
                Self::Done => {}
            }
            at += 1;
        }
        Ok(at)
    }

    fn size_digit(value: u64, digits: u8, byte: u8) -> Result<Self, String> {
        if let Some(digit) = (byte as char).to_digit(16) {
            if digits >= 16 {
                return Err("a chunk size has more than 16 digits".into());
            }
            return Ok(Self::Size { value: value << 4 | u64::from(digit), digits: digits + 1 });
        }
        match byte {
            b'\n' if digits > 0 => {
                Ok(if value == 0 { Self::Trailer { length: 0 } } else { Self::Data { left: value } })
            }
            b';' | b'\r' | b' ' | b'\t' if digits > 0 => Ok(Self::SizeLine { size: value }),
            _ => Err(format!("found {byte:#04x} instead of a chunk size")),
        }
    }
}

/// Reads a `Content-Length` value; several equal ones in one header are one (RFC 9112 section 6.3).
pub(crate) fn content_length(value: &[u8]) -> Result<u64, String> {
    let text = str::from_utf8(value).map_err(|_| "Content-Length is not text".to_owned())?;
    let mut lengths = text.split(',').map(|part| part.trim().parse::<u64>());
    let bad = || format!("Content-Length '{text}' is not a number");
    let first = lengths.next().and_then(Result::ok).ok_or_else(bad)?;
    if lengths.all(|other| other.is_ok_and(|n| n == first)) { Ok(first) } else { Err(bad()) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chunked(parts: &[Vec<u8>]) -> Vec<u8> {
        let mut wire = Vec::new();
        for part in parts.iter().filter(|p| !p.is_empty()) {
            wire.extend_from_slice(format!("{:X};ext=1\r\n", part.len()).as_bytes());
            wire.extend_from_slice(part);
            wire.extend_from_slice(b"\r\n");
        }
        wire.extend_from_slice(b"0\r\nTrailer: x\r\n\r\n");
        wire
    }

    proptest! {
        #[test]
        fn chunks_decode_alike_however_the_wire_cuts_them(
            parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..8),
            step in 1_usize..13,
        ) {
            let wire = chunked(&parts);
            let mut framing = BodyFraming::chunked();
            let mut out = Vec::new();
            for piece in wire.chunks(step) {
                prop_assert!(!framing.is_done());
                prop_assert_eq!(framing.decode(piece, &mut out).unwrap(), piece.len());
            }
            prop_assert!(framing.is_done());
            prop_assert_eq!(out, parts.concat());
        }

        #[test]
        fn no_bytes_make_the_decoder_panic(wire in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = BodyFraming::chunked().decode(&wire, &mut Vec::new());
        }
    }

    #[test]
    fn bytes_after_the_end_are_left_alone() {
        let mut framing = BodyFraming::Length(3);
        let mut out = Vec::new();
        assert_eq!(framing.decode(b"abcdef", &mut out), Ok(3));
        assert!(framing.is_done());
        let mut framing = BodyFraming::chunked();
        assert_eq!(framing.decode(b"0\r\n\r\nHTTP", &mut out), Ok(5));
        assert!(framing.is_done());
    }

    #[test]
    fn a_bad_chunk_size_is_refused() {
        assert!(BodyFraming::chunked().decode(b"zz\r\n", &mut Vec::new()).is_err());
        assert!(BodyFraming::chunked().decode(b"2\r\nabc\r\n", &mut Vec::new()).is_err());
        assert!(BodyFraming::chunked().decode(b"11111111111111111\r\n", &mut Vec::new()).is_err());
    }

    #[test]
    fn repeated_equal_lengths_are_one() {
        assert_eq!(content_length(b"5, 5"), Ok(5));
        assert!(content_length(b"5, 6").is_err());
        assert!(content_length(b"-1").is_err());
    }
}
