//! Finds the ends of frames in one direction of a connection, however its bytes are cut (RFC 9113 section 4.1).

const HEAD: usize = 9;
/// What a client sends before its first frame.
pub(super) const PREFACE: usize = 24;

const DATA: u8 = 0x0;
const HEADERS: u8 = 0x1;
const CONTINUATION: u8 = 0x9;

const END_STREAM: u8 = 0x1;
const END_HEADERS: u8 = 0x4;
const PADDED: u8 = 0x8;

/// A frame whose last byte has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Http2Frame {
    pub stream: u32,
    kind: u8,
    flags: u8,
    /// Without the head.
    length: usize,
    /// Length and bytes of padding.
    padding: usize,
}

impl Http2Frame {
    /// Body bytes, if the frame carries any.
    pub fn data(self) -> Option<usize> {
        (self.kind == DATA).then(|| self.length.saturating_sub(self.padding))
    }

    /// Bytes of headers, if the frame carries any.
    pub fn headers(self) -> Option<usize> {
        matches!(self.kind, HEADERS | CONTINUATION).then_some(self.length)
    }

    pub fn ends_headers(self) -> bool {
        self.headers().is_some() && self.flags & END_HEADERS != 0
    }

    pub fn ends_stream(self) -> bool {
        matches!(self.kind, DATA | HEADERS) && self.flags & END_STREAM != 0
    }
}

/// The state between two pieces of one direction.
#[derive(Debug, Default)]
pub struct Http2FrameScanner {
    /// Bytes to pass over before the first frame.
    preface: usize,
    head: [u8; HEAD],
    head_filled: usize,
    /// Of the payload.
    left: usize,
    padding: usize,
}

impl Http2FrameScanner {
    pub fn after_preface() -> Self {
        Self { preface: PREFACE, ..Self::default() }
    }

    /// Calls `completed` with each frame whose last byte is in `bytes`.
    pub fn feed(&mut self, mut bytes: &[u8], mut completed: impl FnMut(Http2Frame)) {
        bytes = &bytes[take(&mut self.preface, bytes)..];
        while !bytes.is_empty() {
            if self.head_filled < HEAD {
                let count = (HEAD - self.head_filled).min(bytes.len());
                self.head[self.head_filled..][..count].copy_from_slice(&bytes[..count]);
                self.head_filled += count;
                bytes = &bytes[count..];
                if self.head_filled < HEAD {
                    return;
                }
                self.left = self.length();
                self.padding = 0;
            }
            // The payload of an empty frame has no first byte: what follows is the next frame.
            let at_start = self.left > 0 && self.left == self.length();
            if let (true, true, Some(padding)) = (at_start, self.head[4] & PADDED != 0, bytes.first()) {
                self.padding = 1 + usize::from(*padding);
            }
            bytes = &bytes[take(&mut self.left, bytes)..];
            if self.left == 0 {
                completed(self.frame());
                self.head_filled = 0;
            }
        }
    }

    fn length(&self) -> usize {
        usize::from(self.head[0]) << 16 | usize::from(self.head[1]) << 8 | usize::from(self.head[2])
    }

    fn frame(&self) -> Http2Frame {
        let [_, _, _, kind, flags, stream @ ..] = self.head;
        Http2Frame {
            stream: u32::from_be_bytes(stream) & 0x7fff_ffff,
            kind,
            flags,
            length: self.length(),
            padding: self.padding,
        }
    }
}

/// Counts `left` down by what `bytes` have of it.
fn take(left: &mut usize, bytes: &[u8]) -> usize {
    let count = (*left).min(bytes.len());
    *left -= count;
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
        let mut wire = vec![0, (payload.len() >> 8) as u8, payload.len() as u8, kind, flags, 0, 0, 0, stream];
        wire.extend_from_slice(payload);
        wire
    }

    proptest! {
        #[test]
        fn frames_are_found_however_the_wire_cuts_them(
            sizes in prop::collection::vec(0_usize..600, 1..12),
            step in 1_usize..40,
        ) {
            let mut wire = vec![b'P'; PREFACE];
            for (stream, size) in sizes.iter().enumerate() {
                wire.extend(frame(DATA, 0, stream as u8, &vec![0; *size]));
            }
            let mut scanner = Http2FrameScanner::after_preface();
            let mut seen = Vec::new();
            for piece in wire.chunks(step) {
                scanner.feed(piece, |frame| seen.push((frame.stream as usize, frame.data().unwrap())));
            }
            prop_assert_eq!(seen, sizes.into_iter().enumerate().collect::<Vec<_>>());
        }

        #[test]
        fn no_bytes_make_the_scanner_panic(wire in prop::collection::vec(any::<u8>(), 0..300)) {
            Http2FrameScanner::default().feed(&wire, |frame| { let _ = frame.data(); });
        }
    }

    #[test]
    fn an_empty_frame_takes_no_padding_from_the_next_frame() {
        let wire = [frame(DATA, PADDED, 1, b""), frame(DATA, 0, 1, b"next")].concat();
        let scan = |step: usize| {
            let (mut scanner, mut seen) = (Http2FrameScanner::default(), Vec::new());
            wire.chunks(step).for_each(|piece| scanner.feed(piece, |frame| seen.push(frame)));
            seen
        };
        assert_eq!(scan(wire.len()), scan(HEAD));
        assert_eq!(scan(wire.len())[0].padding, 0);
    }

    #[test]
    fn padding_is_no_data_and_headers_are_told_from_it() {
        let wire = [
            frame(HEADERS, 0, 1, b"abc"),
            frame(CONTINUATION, END_HEADERS, 1, b"de"),
            frame(DATA, PADDED | END_STREAM, 1, b"\x03hellopad"),
            frame(0x8, 0, 1, b"\0\0\0\x05"),
        ]
        .concat();
        let mut seen = Vec::new();
        Http2FrameScanner::default().feed(&wire, |frame| seen.push(frame));
        let facts: Vec<_> = seen.iter().map(|f| (f.headers(), f.ends_headers(), f.data(), f.ends_stream())).collect();
        assert_eq!(
            facts,
            [
                (Some(3), false, None, false),
                (Some(2), true, None, false),
                (None, false, Some(5), true),
                (None, false, None, false),
            ]
        );
    }
}
