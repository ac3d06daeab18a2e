//! The rows of one batch: the buffers of its columns, decompressed.

use std::borrow::Cow;
use std::io::Read;

use super::flatbuffer::{Damaged, FlatTable, number};
use super::schema::{ColumnType, ValueType};

const TOO_LARGE: &str = "is larger when decompressed than is read into memory";

pub(super) type Buffer<'a> = Cow<'a, [u8]>;

/// The values of one column in one batch.
#[derive(Debug)]
pub(super) struct ArrowColumn<'a> {
    pub(super) values: ValueType,
    pub(super) rows: usize,
    /// A bit for each row that has a value; empty if all have one.
    validity: Buffer<'a>,
    buffers: Vec<Buffer<'a>>,
    pub(super) children: Vec<ArrowColumn<'a>>,
}

impl ArrowColumn<'_> {
    pub(super) fn is_valid(&self, row: usize) -> bool {
        self.validity.is_empty() || self.validity.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1)
    }

    pub(super) fn is_read(&self) -> bool {
        !matches!(self.values, ValueType::Skipped { .. })
    }

    /// The start and the end of the value of a row.
    pub(super) fn span(&self, offset_bytes: usize, row: usize) -> Option<(usize, usize)> {
        Some((self.offset(offset_bytes, row)?, self.offset(offset_bytes, row + 1)?))
    }

    fn offset(&self, offset_bytes: usize, index: usize) -> Option<usize> {
        let at = index.checked_mul(offset_bytes)?;
        let offset = match offset_bytes {
            4 => i64::from(i32::from_le_bytes(number(self.buffer(0), at).ok()?)),
            _ => i64::from_le_bytes(number(self.buffer(0), at).ok()?),
        };
        usize::try_from(offset).ok()
    }

    /// Whether the offsets are in order and at most `end`.
    fn has_ordered_spans(&self, offset_bytes: usize, end: usize) -> bool {
        if self.buffer(0).len() / offset_bytes < self.rows {
            return false;
        }
        let spans = || (0..self.rows).map(|row| self.span(offset_bytes, row));
        spans().all(|span| span.is_some_and(|(start, stop)| start <= stop && stop <= end))
    }

    /// The buffer at this index after the validity buffer.
    pub(super) fn buffer(&self, index: usize) -> &[u8] {
        self.buffers.get(index).map_or(&[], |buffer| buffer)
    }
}

/// Reads the columns of a batch in the order of the schema.
pub(super) struct BatchReader<'a, 'b> {
    nodes: &'a [u8],
    buffers: &'a [u8],
    variadic: &'a [u8],
    codec: Option<u8>,
    body: &'a [u8],
    /// The number of bytes that may still be decompressed.
    left: &'b mut u64,
}

impl<'a, 'b> BatchReader<'a, 'b> {
    pub(super) fn new(batch: FlatTable<'a>, body: &'a [u8], left: &'b mut u64) -> Result<Self, Damaged> {
        let codec = batch.table(3)?.map(|compression| compression.byte(0)).transpose()?;
        Ok(Self {
            nodes: batch.items(1, 16)?.unwrap_or_default(),
            buffers: batch.items(2, 16)?.unwrap_or_default(),
            variadic: batch.items(4, 8)?.unwrap_or_default(),
            // LZ4 is the default of the field, and defaults are not stored.
            codec: codec.map(|codec| codec.unwrap_or(0)),
            body,
            left,
        })
    }

    pub(super) fn columns(&mut self, types: &[ColumnType]) -> Result<Vec<ArrowColumn<'a>>, String> {
        types.iter().map(|column| self.column(column)).collect()
    }

    fn column(&mut self, column: &ColumnType) -> Result<ArrowColumn<'a>, String> {
        let (node, nodes) = self.nodes.split_first_chunk::<16>().ok_or(Damaged)?;
        self.nodes = nodes;
        let rows = length(i64::from_le_bytes(number(node, 0)?))?;
        let mut buffers = Vec::new();
        let has_variadic = column.values == ValueType::TextView
            || matches!(column.values, ValueType::Skipped { has_variadic: true, .. });
        let count = match column.values {
            ValueType::Integer { .. } | ValueType::Double | ValueType::List { .. } | ValueType::TextView => 2,
            ValueType::Text { .. } => 3,
            ValueType::Skipped { buffers, .. } => buffers,
        };
        let count = count + if has_variadic { self.variadic()? } else { 0 };
        for _ in 0..count {
            let buffer = self.buffer(matches!(column.values, ValueType::Skipped { .. }))?;
            buffers.push(buffer);
        }
        let validity = if buffers.is_empty() { Buffer::default() } else { buffers.remove(0) };
        let children = self.columns(&column.children)?;
        let column = ArrowColumn { values: column.values, rows, validity, buffers, children };
        self.check(&column)?;
        Ok(column)
    }

    /// Checks that a column has values for all of its rows, and that its texts and lists lie within its buffers.
    fn check(&mut self, column: &ArrowColumn<'_>) -> Result<(), String> {
        let first = column.buffer(0).len();
        let holds = |bytes: usize| first / bytes >= column.rows;
        let is_whole = match column.values {
            ValueType::Integer { bytes, .. } => holds(bytes),
            ValueType::Double => holds(8),
            ValueType::Text { offset_bytes } => column.has_ordered_spans(offset_bytes, column.buffer(1).len()),
            ValueType::List { offset_bytes } => {
                column.has_ordered_spans(offset_bytes, column.children.first().map_or(0, |items| items.rows))
            }
            ValueType::TextView => {
                // Several rows may refer to the same bytes, and each becomes a separate text.
                let lengths =
                    column.buffer(0).chunks_exact(16).map(|view| number(view, 0).map_or(0, u32::from_le_bytes));
                let size = lengths.map(u64::from).sum();
                *self.left = self.left.checked_sub(size).ok_or(TOO_LARGE)?;
                holds(16)
            }
            ValueType::Skipped { .. } => true,
        };
        if is_whole { Ok(()) } else { Err(Damaged.into()) }
    }

    fn variadic(&mut self) -> Result<usize, Damaged> {
        let (count, rest) = self.variadic.split_first_chunk::<8>().ok_or(Damaged)?;
        self.variadic = rest;
        length(i64::from_le_bytes(*count))
    }

    /// The next buffer; a skipped one is not decompressed.
    fn buffer(&mut self, is_skipped: bool) -> Result<Buffer<'a>, String> {
        let (place, rest) = self.buffers.split_first_chunk::<16>().ok_or(Damaged)?;
        self.buffers = rest;
        let start = length(i64::from_le_bytes(number(place, 0)?))?;
        let size = length(i64::from_le_bytes(number(place, 8)?))?;
        let bytes = start.checked_add(size).and_then(|end| self.body.get(start..end)).ok_or(Damaged)?;
        match self.codec {
            _ if is_skipped || bytes.is_empty() => Ok(Buffer::default()),
            None => Ok(Buffer::Borrowed(bytes)),
            Some(codec) => self.unpacked(codec, bytes),
        }
    }

    /// Decompresses a buffer, which begins with its decompressed size.
    fn unpacked(&mut self, codec: u8, bytes: &'a [u8]) -> Result<Buffer<'a>, String> {
        let (size, packed) = bytes.split_first_chunk::<8>().ok_or(Damaged)?;
        let size = i64::from_le_bytes(*size);
        if size == -1 {
            return Ok(Buffer::Borrowed(packed));
        }
        let size = u64::try_from(size).map_err(|_| Damaged)?;
        *self.left = self.left.checked_sub(size).ok_or(TOO_LARGE)?;
        let mut unpacked = Vec::new();
        let read = match codec {
            0 => lz4_flex::frame::FrameDecoder::new(packed).take(size).read_to_end(&mut unpacked),
            1 => zstd::Decoder::new(packed).and_then(|decoder| decoder.take(size).read_to_end(&mut unpacked)),
            other => return Err(format!("the Arrow file is compressed with codec {other}, which is not supported")),
        };
        match read {
            Ok(read) if read as u64 == size => Ok(Buffer::Owned(unpacked)),
            _ => Err(Damaged.into()),
        }
    }
}

fn length(number: i64) -> Result<usize, Damaged> {
    usize::try_from(number).map_err(|_| Damaged)
}
