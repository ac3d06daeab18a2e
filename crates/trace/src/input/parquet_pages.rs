//! Checks the footer and the page headers of a Parquet file before they are used. The Parquet crate takes as much time and
//! memory as they claim, which can be minutes and gigabytes for a damaged file of a few bytes.

use bytes::Bytes;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::reader::ChunkReader;

/// The largest decompressed size of a page, as a multiple of its size in the file, in addition to `LITTLE`.
const MOST_PACKED: u64 = 1_024;
const LITTLE: u64 = 1 << 20;
/// A plain value takes at least one bit.
const VALUES_PER_BYTE: u64 = 8;
/// The most rows per byte. Equal rows take almost no space, but rows of data sets differ.
const ROWS_PER_BYTE: u64 = 64;
/// The bytes that are read for a header at first; a longer header is read again.
const WINDOW: u64 = 4 << 10;
/// The deepest nesting. Headers have about three levels, footers about ten.
const DEEPEST: usize = 32;
/// The bytes after the footer: its length and the name of the format.
const TAIL: u64 = 8;

/// Checks all pages of a file; the error says what is wrong with one.
pub fn check_pages<R: ChunkReader>(file: &R) -> Result<(), String> {
    let unreadable = |error: parquet::errors::ParquetError| format!("not a readable Parquet file: {error}");
    check_footer(file).ok_or("not a readable Parquet file: its footer is damaged")?;
    let metadata = ParquetMetaDataReader::new().parse_and_finish(file).map_err(unreadable)?;
    let groups = metadata.row_groups();
    let rows =
        groups.iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(u64::MAX)).fold(0, u64::saturating_add);
    if rows > ROWS_PER_BYTE.saturating_mul(file.len()) {
        return Err(format!("not a readable Parquet file: it claims {rows} rows, too many for {} bytes", file.len()));
    }
    for column in groups.iter().flat_map(RowGroupMetaData::columns) {
        check_column(file, column).ok_or("not a readable Parquet file: a page claims more data than it can contain")?;
    }
    Ok(())
}

/// Checks that every list of the footer is as long as it claims.
fn check_footer<R: ChunkReader>(file: &R) -> Option<()> {
    let end = file.len().checked_sub(TAIL)?;
    let tail = file.get_bytes(end, TAIL as usize).ok()?;
    let length = u32::from_le_bytes(tail.get(..4)?.try_into().ok()?);
    let bytes = file.get_bytes(end.checked_sub(u64::from(length))?, length as usize).ok()?;
    CompactReader { bytes: &bytes, at: 0 }.skip(ThriftType::Struct, DEEPEST)
}

fn check_column<R: ChunkReader>(file: &R, column: &ColumnChunkMetaData) -> Option<()> {
    let (mut at, length) = column.byte_range();
    let end = at.checked_add(length)?.min(file.len());
    while at < end {
        let (header, length) = header_at(file, at, end)?;
        if header.unpacked > LITTLE + MOST_PACKED * header.packed
            || header.dictionary_values.is_some_and(|values| values > VALUES_PER_BYTE * header.unpacked)
        {
            return None;
        }
        at = at.checked_add(length)?.checked_add(header.packed)?;
    }
    Some(())
}

/// The header at an offset, and its length.
fn header_at<R: ChunkReader>(file: &R, at: u64, end: u64) -> Option<(PageHeader, u64)> {
    for size in [WINDOW.min(end - at), end - at] {
        let bytes = file.get_bytes(at, usize::try_from(size).ok()?).ok()?;
        let mut reader = CompactReader { bytes: &bytes, at: 0 };
        if let Some(header) = PageHeader::read(&mut reader) {
            return Some((header, reader.at as u64));
        }
    }
    None
}

#[derive(Debug, Default, PartialEq, Eq)]
struct PageHeader {
    unpacked: u64,
    packed: u64,
    /// The number of values, if the page is a dictionary.
    dictionary_values: Option<u64>,
}

impl PageHeader {
    fn read(reader: &mut CompactReader<'_>) -> Option<Self> {
        let mut header = Self::default();
        let mut id = 0;
        while let ThriftField::Of(kind) = reader.field(&mut id)? {
            match (id, kind) {
                (2, ThriftType::Int) => header.unpacked = reader.size()?,
                (3, ThriftType::Int) => header.packed = reader.size()?,
                (7, ThriftType::Struct) => {
                    let mut inner = 0;
                    while let ThriftField::Of(kind) = reader.field(&mut inner)? {
                        match (inner, kind) {
                            (1, ThriftType::Int) => header.dictionary_values = Some(reader.size()?),
                            _ => reader.skip(kind, DEEPEST)?,
                        }
                    }
                }
                _ => reader.skip(kind, DEEPEST)?,
            }
        }
        Some(header)
    }
}

/// Types of Thrift's compact protocol.
#[derive(Debug, Clone, Copy)]
enum ThriftType {
    Bool,
    Byte,
    Int,
    Double,
    Binary,
    List,
    Map,
    Struct,
}

impl ThriftType {
    fn of(number: u8) -> Option<Self> {
        Some(match number {
            1 | 2 => Self::Bool,
            3 => Self::Byte,
            4..=6 => Self::Int,
            7 => Self::Double,
            8 => Self::Binary,
            9 | 10 => Self::List,
            11 => Self::Map,
            12 => Self::Struct,
            _ => return None,
        })
    }
}

/// The next part of a structure.
enum ThriftField {
    Of(ThriftType),
    End,
}

/// A reader of the parts of Thrift's compact protocol that headers use.
struct CompactReader<'b> {
    bytes: &'b Bytes,
    at: usize,
}

impl CompactReader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A non-negative number of at most 32 bits.
    fn size(&mut self) -> Option<u64> {
        let zigzag = self.varint()?;
        (zigzag & 1 == 0).then_some(zigzag >> 1).filter(|size| u32::try_from(*size).is_ok())
    }

    /// The next field of a structure; its number is stored in `id`.
    fn field(&mut self, id: &mut u64) -> Option<ThriftField> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(ThriftField::End);
        }
        *id = match u64::from(byte >> 4) {
            0 => self.size()?,
            step => id.checked_add(step)?,
        };
        ThriftType::of(byte & 0x0f).map(ThriftField::Of)
    }

    fn pass(&mut self, count: u64) -> Option<()> {
        self.at = self.at.checked_add(usize::try_from(count).ok()?)?;
        (self.at <= self.bytes.len()).then_some(())
    }

    fn skip(&mut self, kind: ThriftType, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            // The value is part of the field header.
            ThriftType::Bool => {}
            ThriftType::Byte => self.pass(1)?,
            ThriftType::Int => drop(self.varint()?),
            ThriftType::Double => self.pass(8)?,
            ThriftType::Binary => {
                let length = self.varint()?;
                self.pass(length)?;
            }
            ThriftType::Struct => {
                let mut id = 0;
                while let ThriftField::Of(kind) = self.field(&mut id)? {
                    self.skip(kind, depth)?;
                }
            }
            ThriftType::List => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                self.items(ThriftType::of(head & 0x0f)?, count, depth)?;
            }
            ThriftType::Map => {
                let count = self.varint()?;
                if count > 0 {
                    let kinds = self.byte()?;
                    let (key, value) = (ThriftType::of(kinds >> 4)?, ThriftType::of(kinds & 0x0f)?);
                    for _ in 0..count {
                        self.items(key, 1, depth)?;
                        self.items(value, 1, depth)?;
                    }
                }
            }
        }
        Some(())
    }

    /// Skips the items of a list, in which a boolean takes one byte.
    fn items(&mut self, kind: ThriftType, count: u64, depth: usize) -> Option<()> {
        let kind = if matches!(kind, ThriftType::Bool) { ThriftType::Byte } else { kind };
        for _ in 0..count {
            self.skip(kind, depth)?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &[u8] = include_bytes!("../../tests/fixtures/baseten_trace.parquet");

    #[test]
    fn a_good_file_passes() {
        check_pages(&Bytes::from_static(SAMPLE)).unwrap();
    }

    #[test]
    fn a_dictionary_of_more_values_than_bits_is_refused() {
        // type 2, 6 bytes unpacked and packed, a dictionary of 1 << 30 values.
        let header = |values: &[u8]| [&[0x15, 4, 0x15, 12, 0x15, 12, 0x4c, 0x15][..], values, &[0, 0]].concat();
        let read = |bytes: Vec<u8>| PageHeader::read(&mut CompactReader { bytes: &Bytes::from(bytes), at: 0 });
        let expected = PageHeader { unpacked: 6, packed: 6, dictionary_values: Some(3) };
        assert_eq!(read(header(&[6])), Some(expected));
        let greedy = read(header(&[0x80, 0x80, 0x80, 0x80, 8])).unwrap();
        assert!(greedy.dictionary_values.unwrap() > VALUES_PER_BYTE * greedy.unpacked);
        assert_eq!(read(header(&[0x80])), None, "it ends too early");
        assert_eq!(
            read(header(&[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1])),
            None,
            "no size is that great"
        );
    }
}
