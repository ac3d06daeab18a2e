//! The record file of an offline run: a header, then records in the log format of LevelDB. Blocks have 32 KiB; a record that does
//! not fit into the rest of its block is cut, and each piece has its checksum, its length and its place in the record.

use std::io::{self, Write};

const BLOCK: usize = 32 * 1024;
/// Checksum, length and kind of a piece.
const PIECE_HEAD: usize = 7;
/// The first bytes of the file: a name, a number and the version of the format.
const FILE_HEAD: [u8; 7] = [b':', b'W', b'&', b'B', 0xE1, 0xBE, 0];

/// The place of a piece in its record.
#[derive(Debug, Clone, Copy)]
#[repr(u8)]
enum PieceKind {
    Whole = 1,
    First = 2,
    Middle = 3,
    Last = 4,
}

/// Writes records.
#[derive(Debug)]
pub(crate) struct RecordFileWriter<W> {
    file: W,
    /// Bytes of the current block that are used.
    used: usize,
}

impl<W: Write> RecordFileWriter<W> {
    pub(crate) fn new(mut file: W) -> io::Result<Self> {
        file.write_all(&FILE_HEAD)?;
        Ok(Self { file, used: FILE_HEAD.len() })
    }

    pub(crate) fn write(&mut self, record: &[u8]) -> io::Result<()> {
        let mut rest = record;
        let mut is_first = true;
        loop {
            let mut room = BLOCK - self.used;
            if room < PIECE_HEAD {
                // The end of a block that has no room for a head is filled with zeros.
                self.file.write_all(&[0; PIECE_HEAD][..room])?;
                self.used = 0;
                room = BLOCK;
            }
            let (piece, after) = rest.split_at(rest.len().min(room - PIECE_HEAD));
            let kind = match (is_first, after.is_empty()) {
                (true, true) => PieceKind::Whole,
                (true, false) => PieceKind::First,
                (false, false) => PieceKind::Middle,
                (false, true) => PieceKind::Last,
            };
            self.write_piece(kind, piece)?;
            if after.is_empty() {
                return Ok(());
            }
            (rest, is_first) = (after, false);
        }
    }

    fn write_piece(&mut self, kind: PieceKind, piece: &[u8]) -> io::Result<()> {
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&[kind as u8]);
        checksum.update(piece);
        self.file.write_all(&checksum.finalize().to_le_bytes())?;
        self.file.write_all(&(piece.len() as u16).to_le_bytes())?;
        self.file.write_all(&[kind as u8])?;
        self.file.write_all(piece)?;
        self.used = (self.used + PIECE_HEAD + piece.len()) % BLOCK;
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.file.flush()?;
        Ok(self.file)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads a file back by the rules of the format.
    pub(crate) fn read_back(bytes: &[u8]) -> Vec<Vec<u8>> {
        assert_eq!(bytes[..7], FILE_HEAD);
        let (mut at, mut records, mut record) = (7, Vec::new(), Vec::new());
        while at < bytes.len() {
            let room = BLOCK - at % BLOCK;
            if room < PIECE_HEAD {
                assert!(bytes[at..at + room].iter().all(|byte| *byte == 0));
                at += room;
                continue;
            }
            let head = &bytes[at..at + PIECE_HEAD];
            let length = usize::from(u16::from_le_bytes([head[4], head[5]]));
            let body = &bytes[at + PIECE_HEAD..at + PIECE_HEAD + length];
            let mut checked = vec![head[6]];
            checked.extend_from_slice(body);
            assert_eq!(head[..4], crc32fast::hash(&checked).to_le_bytes());
            assert!(length + PIECE_HEAD <= room, "a piece lies in one block");
            record.extend_from_slice(body);
            at += PIECE_HEAD + length;
            if matches!(head[6], 1 | 4) {
                records.push(std::mem::take(&mut record));
            }
        }
        records
    }

    proptest! {
        #[test]
        fn records_of_any_length_come_back(lengths in prop::collection::vec(0..100_000usize, 0..12)) {
            let records: Vec<Vec<u8>> =
                lengths.iter().enumerate().map(|(number, length)| vec![number as u8 + 1; *length]).collect();
            let mut writer = RecordFileWriter::new(Vec::new()).unwrap();
            for record in &records {
                writer.write(record).unwrap();
            }
            prop_assert_eq!(read_back(&writer.finish().unwrap()), records);
        }
    }

    #[test]
    fn the_end_of_a_block_without_room_for_a_head_is_filled() {
        for left in 0..9 {
            let mut writer = RecordFileWriter::new(Vec::new()).unwrap();
            let records = [vec![1; BLOCK - 7 - PIECE_HEAD - left], vec![2; 10]];
            for record in &records {
                writer.write(record).unwrap();
            }
            assert_eq!(read_back(&writer.finish().unwrap()), records, "{left}");
        }
    }
}
