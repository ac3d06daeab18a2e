//! How messages are framed in the body of a call: each after a flag and its length.

use thiserror::Error;

/// Bytes before each message: one flag, four of length.
pub const FRAME_HEAD: usize = 5;

/// The place of one message in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrpcFrame {
    pub start: usize,
    /// One past its last byte: the message is there when this much of the body is.
    pub end: usize,
}

impl GrpcFrame {
    pub fn of(self, body: &[u8]) -> &[u8] {
        body.get(self.start..self.end).unwrap_or_default()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FrameError {
    #[error("message {number} is compressed, which was not requested")]
    Compressed { number: usize },
    #[error("message {number} begins with the unknown flag {flag}")]
    Flag { number: usize, flag: u8 },
    #[error("the body ends inside message {number}: received {there} of {length} bytes")]
    CutOff { number: usize, there: usize, length: usize },
}

/// A message with its head before it.
pub fn frame(message: &[u8], body: &mut Vec<u8>) {
    body.push(0);
    // Nothing longer can be framed; messages are limited far below that.
    body.extend_from_slice(&u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes());
    body.extend_from_slice(message);
}

/// Finds messages in a body that grows.
#[derive(Debug, Clone, Default)]
pub struct GrpcFrameScanner {
    at: usize,
    number: usize,
}

impl GrpcFrameScanner {
    pub const fn new() -> Self {
        Self { at: 0, number: 0 }
    }

    /// The next message; `None` while it is not all there.
    pub fn next_frame(&mut self, body: &[u8]) -> Result<Option<GrpcFrame>, FrameError> {
        let Some((flag, length)) = self.head(body) else { return Ok(None) };
        match flag {
            0 => {}
            1 => return Err(FrameError::Compressed { number: self.number }),
            flag => return Err(FrameError::Flag { number: self.number, flag }),
        }
        let start = self.at + FRAME_HEAD;
        let end = start.saturating_add(length);
        if body.len() < end {
            return Ok(None);
        }
        self.at = end;
        self.number += 1;
        Ok(Some(GrpcFrame { start, end }))
    }

    fn head(&self, body: &[u8]) -> Option<(u8, usize)> {
        let head = body.get(self.at..self.at + FRAME_HEAD)?;
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
        Some((head[0], length as usize))
    }

    /// What is wrong with a body that ended here, if anything.
    pub fn finish(&self, body: &[u8]) -> Result<(), FrameError> {
        if self.at >= body.len() {
            return Ok(());
        }
        let length = self.head(body).map_or(0, |(_, length)| length);
        let there = body.len().saturating_sub(self.at + FRAME_HEAD);
        Err(FrameError::CutOff { number: self.number, there, length })
    }
}

/// All messages of a whole body.
pub fn frames(body: &[u8]) -> Result<Vec<GrpcFrame>, FrameError> {
    let mut scanner = GrpcFrameScanner::new();
    let mut all = Vec::new();
    while let Some(frame) = scanner.next_frame(body)? {
        all.push(frame);
    }
    scanner.finish(body)?;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_message_is_found_when_its_last_byte_is_there() {
        let mut body = Vec::new();
        frame(b"abc", &mut body);
        frame(b"", &mut body);
        let mut scanner = GrpcFrameScanner::new();
        assert_eq!(scanner.next_frame(&body[..7]), Ok(None));
        let first = scanner.next_frame(&body).unwrap().unwrap();
        assert_eq!((first.of(&body), first.end), (&b"abc"[..], 8));
        assert_eq!(scanner.next_frame(&body).unwrap(), Some(GrpcFrame { start: 13, end: 13 }));
        assert_eq!(scanner.next_frame(&body), Ok(None));
    }

    #[test]
    fn what_is_no_frame_is_named() {
        assert_eq!(frames(&[1, 0, 0, 0, 0]), Err(FrameError::Compressed { number: 0 }));
        assert_eq!(frames(&[7, 0, 0, 0, 0]), Err(FrameError::Flag { number: 0, flag: 7 }));
        assert_eq!(frames(&[0, 0, 0, 0, 2, 1]), Err(FrameError::CutOff { number: 0, there: 1, length: 2 }));
        assert_eq!(frames(&[0, 0]), Err(FrameError::CutOff { number: 0, there: 0, length: 0 }));
    }

    proptest! {
        #[test]
        fn messages_come_back_as_they_went_in(messages in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..6)) {
            let mut body = Vec::new();
            for message in &messages {
                frame(message, &mut body);
            }
            let found: Vec<Vec<u8>> = frames(&body).unwrap().into_iter().map(|f| f.of(&body).to_vec()).collect();
            prop_assert_eq!(found, messages);
        }

        #[test]
        fn no_bytes_panic(body in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = frames(&body);
        }
    }
}
