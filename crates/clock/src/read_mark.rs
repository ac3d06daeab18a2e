//! When the bytes of a stream arrived: kept beside the bytes, so that whoever parses them later knows each part's time.

use crate::Mono;

/// Everything up to byte `end` of the stream had been read at `at`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadMark {
    pub end: usize,
    pub at: Mono,
}
