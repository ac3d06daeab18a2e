//! Messages of the stream of a run: pieces of the files of a node, and how the node ended. A message is a line of JSON and, for a
//! piece of a file, its compressed bytes.

use serde::{Deserialize, Serialize};

use crate::ClusterError;
use crate::clock_offset::ClockReading;
use crate::message::{Counters, KilledNode, NodeEnd, decode, encode};

/// Compression that costs less than sending the bytes.
const LEVEL: i32 = 1;
/// The longest piece of a file in one message. NATS allows messages of 1 MiB unless its configuration says otherwise; bytes that
/// cannot be compressed must fit too.
pub(crate) const LONGEST: usize = 512 * 1024;

/// The line of JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ChunkHead {
    pub(crate) node: String,
    pub(crate) index: u64,
    pub(crate) content: ChunkContent,
    /// The last measurement of the node's clock.
    pub(crate) clock: Option<ClockReading>,
    pub(crate) counters: Counters,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ChunkContent {
    /// Bytes of a file, from `offset` on.
    Piece { file: String, offset: u64, length: u64 },
    /// The process was killed; what it had left on its disk follows.
    Killed(KilledNode),
    /// Nothing follows.
    End(NodeEnd),
}

impl ChunkHead {
    /// The same for the same content, so that the stream drops what is sent twice.
    pub(crate) fn message_id(&self, run: &str) -> String {
        let index = self.index;
        match &self.content {
            ChunkContent::Piece { file, offset, length } => {
                format!("{run}/{index}/{file}/{offset}/{length}")
            }
            ChunkContent::Killed(_) => format!("{run}/{index}/killed"),
            ChunkContent::End(_) => format!("{run}/{index}/end"),
        }
    }

    pub(crate) fn message(&self, bytes: &[u8]) -> Result<Vec<u8>, ClusterError> {
        let mut message = encode(self);
        message.push(b'\n');
        if matches!(self.content, ChunkContent::Piece { .. }) {
            let packed = zstd::bulk::compress(bytes, LEVEL)
                .map_err(|cause| ClusterError::Message { place: "a chunk".to_owned(), reason: cause.to_string() })?;
            message.extend_from_slice(&packed);
        }
        Ok(message)
    }

    /// Reads a message; the bytes are those of its piece.
    pub(crate) fn read(message: &[u8]) -> Result<(Self, Vec<u8>), ClusterError> {
        const PLACE: &str = "the stream of the run";
        let bad = |reason: &str| ClusterError::Message { place: PLACE.to_owned(), reason: reason.to_owned() };
        let end = message.iter().position(|byte| *byte == b'\n').ok_or_else(|| bad("no line"))?;
        let head: Self = decode(PLACE, &message[..end])?;
        let ChunkContent::Piece { length, .. } = head.content else { return Ok((head, Vec::new())) };
        let length = usize::try_from(length).ok().filter(|length| *length <= LONGEST).ok_or_else(|| bad("too long"))?;
        let bytes = zstd::bulk::decompress(&message[end + 1..], length).map_err(|cause| bad(&cause.to_string()))?;
        if bytes.len() == length { Ok((head, bytes)) } else { Err(bad("another length than announced")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(content: ChunkContent) -> ChunkHead {
        let counters = Counters { sent: 7, ..Counters::default() };
        ChunkHead { node: "a".into(), index: 2, content, clock: None, counters }
    }

    #[test]
    fn a_piece_comes_back_and_its_id_depends_on_its_place() {
        let bytes = b"{\"metadata\":{}}\n".repeat(1000);
        let content = |offset| ChunkContent::Piece { file: "x.jsonl".into(), offset, length: bytes.len() as u64 };
        let piece = head(content(0));
        let message = piece.message(&bytes).unwrap();
        assert!(message.len() < bytes.len() / 4);
        assert_eq!(ChunkHead::read(&message).unwrap(), (piece.clone(), bytes.clone()));
        assert_ne!(piece.message_id("r"), head(content(1)).message_id("r"));
        let end = head(ChunkContent::End(NodeEnd::new(None, Counters::default())));
        assert_eq!(ChunkHead::read(&end.message(&[]).unwrap()).unwrap(), (end, Vec::new()));
    }

    #[test]
    fn what_is_not_a_chunk_is_refused() {
        for bad in [&b""[..], b"{}\n", b"no json\nabc", b"{\"node\":1}\n"] {
            assert!(ChunkHead::read(bad).is_err());
        }
        let mut message =
            head(ChunkContent::Piece { file: "f".into(), offset: 0, length: 5 }).message(b"hello").unwrap();
        message.pop();
        assert!(ChunkHead::read(&message).is_err());
    }
}
