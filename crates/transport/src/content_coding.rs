//! Unpacks a response body that came compressed, read by read, so that each read still has its own bytes and its own time.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{DParameter, Decoder as ZstdDecoder, Operation};

/// How much is unpacked at a time; between two such steps the limit is looked at.
const STEP: usize = 16 * 1024;
/// Largest window of `zstd` as a content coding: 8 MiB (RFC 9659).
const ZSTD_WINDOW_LOG: u32 = 23;
const GZIP_WINDOW_BITS: u8 = 15;
const GZIP_MAGIC: u8 = 0x1f;

/// More codings than this on top of each other are a trap.
const MOST_LAYERS: usize = 4;

/// The decoder of one body: what was put on last comes off first.
#[derive(Debug)]
pub struct ContentCoding(Vec<CodingLayer>);

struct CodingLayer {
    codec: Codec,
    limit: usize,
    /// Something was fed in.
    begun: bool,
    /// What was fed in is whole.
    ended: bool,
    /// What came after the end does not belong to the body, and neither does anything after that.
    closed: bool,
}

enum Codec {
    Gzip(Decompress),
    /// With or without zlib's frame; the first byte tells.
    Deflate(Option<Decompress>),
    Brotli(Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>),
    Zstd(ZstdDecoder<'static>),
}

/// One step of unpacking.
struct DecodeStep {
    read: usize,
    written: usize,
    ended: bool,
}

impl std::fmt::Debug for CodingLayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self.codec {
            Codec::Gzip(_) => "gzip",
            Codec::Deflate(_) => "deflate",
            Codec::Brotli(_) => "br",
            Codec::Zstd(_) => "zstd",
        };
        f.debug_tuple("CodingLayer").field(&name).finish()
    }
}

impl ContentCoding {
    /// For the value of `Content-Encoding`, with what its lines say joined by commas; `None` if the body is not encoded. It
    /// stops when a body has unpacked to more than `limit` bytes.
    pub fn named(value: &[u8], limit: usize) -> Result<Option<Self>, String> {
        let mut layers = Vec::new();
        for name in String::from_utf8_lossy(value).split(',').rev() {
            layers.extend(CodingLayer::named(&name.trim().to_ascii_lowercase(), limit)?);
        }
        if layers.len() > MOST_LAYERS {
            return Err(format!("the body is packed {} times over; {MOST_LAYERS} are unpacked at most", layers.len()));
        }
        Ok((!layers.is_empty()).then_some(Self(layers)))
    }

    /// Unpacks all that `packed` completes, at the end of `out`.
    pub fn decode(&mut self, packed: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let Some((last, outer)) = self.0.split_last_mut() else { return Ok(()) };
        let mut within: Option<Vec<u8>> = None;
        for layer in outer {
            let mut unpacked = Vec::new();
            layer.decode(within.as_deref().unwrap_or(packed), &mut unpacked)?;
            within = Some(unpacked);
        }
        last.decode(within.as_deref().unwrap_or(packed), out)
    }

    /// The body is over: what came must be whole.
    pub fn finish(&self) -> Result<(), String> {
        self.0.iter().try_for_each(CodingLayer::finish)
    }
}

impl CodingLayer {
    fn named(name: &str, limit: usize) -> Result<Option<Self>, String> {
        let codec = match name {
            "" | "identity" => return Ok(None),
            "gzip" | "x-gzip" => Codec::Gzip(Decompress::new_gzip(GZIP_WINDOW_BITS)),
            "deflate" => Codec::Deflate(None),
            "br" => {
                let memory = StandardAlloc::default;
                Codec::Brotli(Box::new(BrotliState::new_strict(memory(), memory(), memory())))
            }
            "zstd" => Codec::Zstd(zstd_decoder().map_err(|error| format!("zstd cannot be unpacked: {error}"))?),
            _ => return Err(format!("the body is packed by {name:?}, which is not gzip, deflate, br or zstd")),
        };
        Ok(Some(Self { codec, limit, begun: false, ended: false, closed: false }))
    }

    fn decode(&mut self, packed: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        self.begun |= !packed.is_empty();
        let mut rest = packed;
        loop {
            if self.ended {
                self.closed |= !rest.is_empty() && !self.begin_next(rest);
                if rest.is_empty() || self.closed {
                    return Ok(());
                }
                self.ended = false;
            }
            let start = out.len();
            out.resize(start + STEP, 0);
            let step = self.codec.step(rest, &mut out[start..]);
            out.truncate(start + step.as_ref().map_or(0, |step| step.written));
            let DecodeStep { read, written, ended } = step?;
            if out.len() > self.limit {
                return Err(format!("the compressed body unpacks to more than {} bytes", self.limit));
            }
            rest = &rest[read..];
            self.ended = ended;
            // With room left over, all that could be unpacked has been.
            if !ended && written < STEP && (rest.is_empty() || read == 0) {
                return Ok(());
            }
        }
    }

    fn finish(&self) -> Result<(), String> {
        if self.begun && !self.ended { Err("the compressed body ends too early".into()) } else { Ok(()) }
    }

    /// Gzip and zstd may follow themselves. Anything else after the end is not part of the body.
    fn begin_next(&mut self, rest: &[u8]) -> bool {
        match &mut self.codec {
            Codec::Gzip(inflate) if rest[0] == GZIP_MAGIC => *inflate = Decompress::new_gzip(GZIP_WINDOW_BITS),
            Codec::Zstd(_) => {}
            Codec::Gzip(_) | Codec::Deflate(_) | Codec::Brotli(_) => return false,
        }
        true
    }
}

impl Codec {
    fn step(&mut self, packed: &[u8], out: &mut [u8]) -> Result<DecodeStep, String> {
        match self {
            Self::Gzip(inflate) => inflated(inflate, packed, out, "gzip"),
            Self::Deflate(inflate) => {
                let Some(first) = packed.first() else {
                    return Ok(DecodeStep { read: 0, written: 0, ended: false });
                };
                // RFC 1950: the low four bits of zlib's first byte are 8. Some servers send bare RFC 1951 instead.
                let inflate = inflate.get_or_insert_with(|| Decompress::new(first & 0x0f == 8));
                inflated(inflate, packed, out, "deflate")
            }
            Self::Brotli(state) => {
                let (mut left, mut read, mut room, mut written) = (packed.len(), 0, out.len(), 0);
                let mut total = 0;
                let result = BrotliDecompressStream(
                    &mut left,
                    &mut read,
                    packed,
                    &mut room,
                    &mut written,
                    out,
                    &mut total,
                    state,
                );
                match result {
                    BrotliResult::ResultFailure => Err("the body is not valid br".to_owned()),
                    ended => Ok(DecodeStep { read, written, ended: matches!(ended, BrotliResult::ResultSuccess) }),
                }
            }
            Self::Zstd(decoder) => {
                let status = decoder
                    .run_on_buffers(packed, out)
                    .map_err(|error| format!("the body is not valid zstd: {error}"))?;
                Ok(DecodeStep { read: status.bytes_read, written: status.bytes_written, ended: status.remaining == 0 })
            }
        }
    }
}

fn zstd_decoder() -> std::io::Result<ZstdDecoder<'static>> {
    let mut decoder = ZstdDecoder::new()?;
    decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG))?;
    Ok(decoder)
}

fn inflated(inflate: &mut Decompress, packed: &[u8], out: &mut [u8], name: &str) -> Result<DecodeStep, String> {
    let (read, written) = (inflate.total_in(), inflate.total_out());
    let status = inflate
        .decompress(packed, out, FlushDecompress::Sync)
        .map_err(|error| format!("the body is not valid {name}: {error}"))?;
    Ok(DecodeStep {
        read: (inflate.total_in() - read) as usize,
        written: (inflate.total_out() - written) as usize,
        ended: status == Status::StreamEnd,
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;

    use super::*;

    /// The parts packed so that each can be unpacked when its bytes are there: coding, and bytes of each part.
    fn packed(parts: &[&[u8]]) -> Vec<(&'static str, Vec<Vec<u8>>)> {
        fn flushed<W: Write>(mut encoder: W, parts: &[&[u8]], taken: impl Fn(&mut W) -> Vec<u8>) -> (W, Vec<Vec<u8>>) {
            let mut pieces = Vec::new();
            for part in parts {
                encoder.write_all(part).unwrap();
                encoder.flush().unwrap();
                pieces.push(taken(&mut encoder));
            }
            (encoder, pieces)
        }
        let level = Compression::default();
        let mut all = Vec::new();
        let (encoder, mut pieces) = flushed(GzEncoder::new(Vec::new(), level), parts, |e| std::mem::take(e.get_mut()));
        pieces.push(encoder.finish().unwrap());
        all.push(("gzip", pieces));
        let (encoder, mut pieces) =
            flushed(ZlibEncoder::new(Vec::new(), level), parts, |e| std::mem::take(e.get_mut()));
        pieces.push(encoder.finish().unwrap());
        all.push(("deflate", pieces));
        let (encoder, mut pieces) =
            flushed(DeflateEncoder::new(Vec::new(), level), parts, |e| std::mem::take(e.get_mut()));
        pieces.push(encoder.finish().unwrap());
        all.push((" Deflate", pieces));
        let zstd = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
        let (encoder, mut pieces) = flushed(zstd, parts, |e| std::mem::take(e.get_mut()));
        pieces.push(encoder.finish().unwrap());
        all.push(("ZSTD", pieces));
        let brotli = brotli::CompressorWriter::new(Vec::new(), 4096, 5, 20);
        let (encoder, mut pieces) = flushed(brotli, parts, |e| std::mem::take(e.get_mut()));
        pieces.push(encoder.into_inner());
        all.push(("br", pieces));
        all
    }

    fn coding(name: &str) -> ContentCoding {
        ContentCoding::named(name.as_bytes(), 1 << 28).unwrap().unwrap()
    }

    #[test]
    fn each_part_is_there_when_its_last_byte_is() {
        let parts: [&[u8]; 3] = [b"data: one\n\n", b"data: two\n\n", b"data: [DONE]\n\n"];
        for (name, pieces) in packed(&parts) {
            let mut coding = coding(name);
            let mut out = Vec::new();
            for (piece, part) in pieces.iter().zip(parts) {
                assert!(coding.finish().is_ok() || !out.is_empty());
                let before = out.len();
                coding.decode(piece, &mut out).unwrap();
                assert_eq!(&out[before..], part, "{name}");
            }
            assert!(coding.finish().unwrap_err().contains("too early"), "{name}");
            coding.decode(&pieces[3], &mut out).unwrap();
            coding.finish().unwrap();
            assert_eq!(out, parts.concat(), "{name}");
        }
    }

    #[test]
    fn a_body_that_never_ends_unpacking_is_given_up() {
        let zeros = vec![0_u8; 1 << 20];
        for (name, pieces) in packed(&[&zeros]) {
            let mut coding = coding(name);
            coding.0[0].limit = 100_000;
            let mut out = Vec::new();
            let error = coding.decode(&pieces.concat(), &mut out).unwrap_err();
            assert!(error.contains("more than 100000"), "{name}: {error}");
            assert!(out.len() <= 100_000 + STEP, "{name}");
        }
    }

    #[test]
    fn what_follows_itself_is_one_body() {
        for (name, pieces) in packed(&[b"again "]) {
            let twice = [pieces.concat(), pieces.concat()].concat();
            let mut out = Vec::new();
            let mut coding = coding(name);
            coding.decode(&twice, &mut out).unwrap();
            coding.finish().unwrap();
            let expected: &[u8] = if ["gzip", "ZSTD"].contains(&name) { b"again again " } else { b"again " };
            assert_eq!(out, expected, "{name}");
        }
    }

    #[test]
    fn what_follows_the_end_is_ignored_however_the_wire_cuts_it() {
        let body = packed(&[b"body"]).remove(0).1.concat();
        // The second byte would begin another body, if it came first.
        let wire = [&body[..], &[0, GZIP_MAGIC, 0, 0]].concat();
        for step in [1, wire.len()] {
            let (mut coding, mut out) = (coding("gzip"), Vec::new());
            wire.chunks(step).for_each(|piece| coding.decode(piece, &mut out).unwrap());
            coding.finish().unwrap();
            assert_eq!(out, b"body");
        }
    }

    #[test]
    fn names_that_mean_nothing_pack_nothing_and_unknown_ones_are_refused() {
        assert!(ContentCoding::named(b"identity", 1 << 28).unwrap().is_none());
        assert!(ContentCoding::named(b"", 1 << 28).unwrap().is_none());
        assert!(ContentCoding::named(b"compress", 1 << 28).unwrap_err().contains("\"compress\""));
        assert!(coding("gzip").decode(b"plain text", &mut Vec::new()).is_err());
        coding("gzip").finish().unwrap();
    }

    #[test]
    fn codings_on_top_of_each_other_come_off_in_turn() {
        let parts: [&[u8]; 2] = [b"data: one\n\n", b"data: two\n\n"];
        let within = packed(&parts);
        for (inner, pieces) in &within {
            let wrapped: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
            for (outer, pieces) in packed(&wrapped) {
                let mut coding = coding(&format!("{inner},identity ,{outer}"));
                let mut out = Vec::new();
                for (piece, expected) in pieces.iter().zip([parts[0].to_vec(), parts.concat()]) {
                    coding.decode(piece, &mut out).unwrap();
                    assert_eq!(out, expected, "{inner} in {outer}");
                }
                assert!(coding.finish().is_err(), "{inner} in {outer}");
                pieces[2..].iter().for_each(|piece| coding.decode(piece, &mut out).unwrap());
                coding.finish().unwrap();
                assert_eq!(out, parts.concat());
            }
        }
        assert!(ContentCoding::named(b"gzip,gzip,gzip,gzip,gzip", 1 << 28).unwrap_err().contains("5 times"));
        assert!(ContentCoding::named(b"gzip, compress", 1 << 28).unwrap_err().contains("\"compress\""));
    }

    proptest! {
        #[test]
        fn a_body_unpacks_alike_however_the_wire_cuts_it(
            body in prop::collection::vec(any::<u8>(), 0..3000),
            repeats in 1_usize..20,
            step in 1_usize..700,
        ) {
            let body = body.repeat(repeats);
            for (name, pieces) in packed(&[&body]) {
                let mut coding = coding(name);
                let mut out = Vec::new();
                for piece in pieces.concat().chunks(step) {
                    coding.decode(piece, &mut out).unwrap();
                }
                prop_assert!(coding.finish().is_ok());
                prop_assert_eq!(&out, &body);
            }
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), step in 1_usize..50) {
            for name in ["gzip", "deflate", "br", "zstd"] {
                let mut coding = coding(name);
                let _ = bytes.chunks(step).try_for_each(|piece| coding.decode(piece, &mut Vec::new()));
            }
        }
    }
}
