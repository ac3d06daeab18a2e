//! The bytes that a scenario spells out: texts, streamed events, whole replies, compressed bodies.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use serde::Deserialize;
use serde_json::{Value, json};

/// Each is one token of the built-in tokenizer, with the space before it.
const WORDS: [&str; 8] = ["one", " two", " three", " four", " five", " six", " seven", " eight"];
/// Long repeats are made in blocks of this size.
const BLOCK: usize = 64 * 1024;

/// A list of parts; each part is a piece of its own when a body is sent in chunks.
pub(crate) type ScriptedBody = Vec<BodyPart>;

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum BodyPart {
    /// This text, unchanged.
    Text(String),
    /// Bytes in hexadecimal; blanks are ignored.
    Hex(String),
    /// A streamed event with this delta for each of this many tokens.
    Tokens(usize),
    /// A streamed event whose content is this text.
    Delta(String),
    /// A streamed event whose `delta` is this JSON text, which need not be valid.
    DeltaJson(String),
    /// A streamed event with this text after `data: `.
    Event(String),
    /// A streamed event that has only `usage`, with this JSON text.
    Usage(String),
    /// A whole chat completion of this many tokens.
    Whole(usize),
    /// A whole chat completion with this JSON text in place of its `choices`.
    Choices(String),
    /// The event that ends a stream.
    Done,
    /// The parts, repeated this many times.
    Repeat {
        times: usize,
        of: ScriptedBody,
    },
    /// One byte, repeated this many times.
    Fill {
        byte: u8,
        bytes: usize,
    },
    Packed(Packed),
    /// UTF-16 with a byte-order mark, little-endian.
    Utf16(String),
}

/// Compressed parts.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Packed {
    coding: Coding,
    of: ScriptedBody,
    /// Bytes that are missing at the end.
    #[serde(default)]
    cut: usize,
    /// Offset from the end of a byte that is wrong.
    #[serde(default)]
    spoiled: Option<usize>,
    /// Bytes after the end.
    #[serde(default)]
    then: String,
    /// zstd: the window's size as a power of two.
    #[serde(default)]
    window_log: Option<u32>,
    /// Each part can be unpacked when its bytes are there, as servers that stream do it.
    #[serde(default)]
    flushed: bool,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Coding {
    Gzip,
    Deflate,
    RawDeflate,
    Br,
    Zstd,
}

/// The bytes of all parts.
pub(crate) fn bytes(body: &[BodyPart]) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    body.iter().try_for_each(|part| part.write(&mut all))?;
    Ok(all)
}

/// The bytes of each part; every token is a piece of its own.
pub(crate) fn pieces(body: &[BodyPart]) -> io::Result<Vec<Vec<u8>>> {
    let mut pieces = Vec::new();
    for part in body {
        match part {
            BodyPart::Tokens(count) => pieces.extend((0..*count).map(token_event)),
            BodyPart::Packed(packed) if packed.flushed => pieces.extend(packed.pieces()?),
            other => pieces.push(bytes(std::slice::from_ref(other))?),
        }
    }
    Ok(pieces)
}

fn event(data: &str) -> Vec<u8> {
    format!("data: {data}\n\n").into_bytes()
}

fn delta_event(delta: &str) -> Vec<u8> {
    event(&format!(
        r#"{{"id":"lab","object":"chat.completion.chunk","model":"lab","choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#
    ))
}

fn token_event(index: usize) -> Vec<u8> {
    delta_event(&json!({ "content": word(index) }).to_string())
}

fn word(index: usize) -> &'static str {
    // A text begins without a space, and begins only once.
    if index == 0 { WORDS[0] } else { WORDS[1 + (index - 1) % (WORDS.len() - 1)] }
}

fn whole(choices: &str) -> Vec<u8> {
    format!(r#"{{"id":"lab","object":"chat.completion","model":"lab","choices":{choices}}}"#).into_bytes()
}

impl BodyPart {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Text(text) => out.write_all(text.as_bytes()),
            Self::Hex(text) => out.write_all(&hex(text)?),
            Self::Tokens(count) => (0..*count).try_for_each(|index| out.write_all(&token_event(index))),
            Self::Delta(text) => out.write_all(&delta_event(&json!({ "content": text }).to_string())),
            Self::DeltaJson(text) => out.write_all(&delta_event(text)),
            Self::Event(data) => out.write_all(&event(data)),
            Self::Usage(usage) => {
                out.write_all(&event(&format!(r#"{{"id":"lab","model":"lab","choices":[],"usage":{usage}}}"#)))
            }
            Self::Whole(count) => {
                let text: String = (0..*count).map(word).collect();
                let choice: Value = json!([{"index": 0, "message": {"role": "assistant", "content": text},
                    "finish_reason": "stop"}]);
                out.write_all(&whole(&choice.to_string()))
            }
            Self::Choices(choices) => out.write_all(&whole(choices)),
            Self::Done => out.write_all(&event("[DONE]")),
            Self::Repeat { times, of } => {
                let once = bytes(of)?;
                (0..*times).try_for_each(|_| out.write_all(&once))
            }
            Self::Fill { byte, bytes } => {
                let block = vec![*byte; BLOCK.min(*bytes)];
                let mut left = *bytes;
                while left > 0 {
                    let now = left.min(BLOCK);
                    out.write_all(&block[..now])?;
                    left -= now;
                }
                Ok(())
            }
            Self::Packed(packed) => out.write_all(&packed.bytes()?),
            Self::Utf16(text) => {
                out.write_all(&[0xff, 0xfe])?;
                text.encode_utf16().try_for_each(|unit| out.write_all(&unit.to_le_bytes()))
            }
        }
    }
}

impl Packed {
    fn bytes(&self) -> io::Result<Vec<u8>> {
        let mut packed = self.encode(Vec::new())?;
        packed.truncate(packed.len().saturating_sub(self.cut));
        if let Some(offset) = self.spoiled {
            let at = packed.len().saturating_sub(1 + offset);
            packed[at] ^= 0x55;
        }
        packed.extend_from_slice(self.then.as_bytes());
        Ok(packed)
    }

    fn encode(&self, out: Vec<u8>) -> io::Result<Vec<u8>> {
        let level = Compression::fast();
        let write_into = |encoder: &mut dyn Write| self.of.iter().try_for_each(|part| part.write(encoder));
        match self.coding {
            Coding::Gzip => {
                let mut encoder = GzEncoder::new(out, level);
                write_into(&mut encoder)?;
                encoder.finish()
            }
            Coding::Deflate => {
                let mut encoder = ZlibEncoder::new(out, level);
                write_into(&mut encoder)?;
                encoder.finish()
            }
            Coding::RawDeflate => {
                let mut encoder = DeflateEncoder::new(out, level);
                write_into(&mut encoder)?;
                encoder.finish()
            }
            Coding::Br => {
                let mut encoder = brotli::CompressorWriter::new(out, 4096, 2, 20);
                write_into(&mut encoder)?;
                Ok(encoder.into_inner())
            }
            Coding::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(out, 1)?;
                if let Some(log) = self.window_log {
                    encoder.window_log(log)?;
                }
                write_into(&mut encoder)?;
                encoder.finish()
            }
        }
    }

    /// One piece for each part, and the end of the coding.
    fn pieces(&self) -> io::Result<Vec<Vec<u8>>> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let mut packed = Vec::new();
        for piece in pieces(&self.of)? {
            encoder.write_all(&piece)?;
            encoder.flush()?;
            packed.push(std::mem::take(encoder.get_mut()));
        }
        packed.push(encoder.finish()?);
        Ok(packed)
    }
}

pub(crate) fn hex(text: &str) -> io::Result<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let wrong = || io::Error::other(format!("not hexadecimal: {text:?}"));
    let pairs = digits.chunks(2);
    pairs
        .map(|pair| {
            let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2).ok_or_else(wrong)?;
            u8::from_str_radix(pair, 16).map_err(|_| wrong())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_tokens_is_the_same_streamed_and_whole() {
        let words: String = (0..10).map(word).collect();
        assert_eq!(words, "one two three four five six seven eight two three");
    }

    #[test]
    fn a_spoiled_body_differs_in_one_byte() {
        let body = |spoiled| Packed {
            coding: Coding::Gzip,
            of: vec![BodyPart::Tokens(3)],
            cut: 0,
            spoiled,
            then: String::new(),
            window_log: None,
            flushed: false,
        };
        let (good, bad) = (body(None).bytes().unwrap(), body(Some(7)).bytes().unwrap());
        assert_eq!(good.iter().zip(&bad).filter(|(one, other)| one != other).count(), 1);
    }

    #[test]
    fn hexadecimal_bytes_may_have_blanks() {
        assert_eq!(hex("00 ff\n0a").unwrap(), [0, 255, 10]);
        assert!(hex("0").is_err() && hex("zz").is_err());
    }
}
