//! The rows of an Arrow file, in the file format with a footer and in the stream format. The reader is our own because the
//! `arrow` crates take a tenth of the build time of the whole program, and only a few column types are needed.

mod batch;
mod flatbuffer;
mod schema;

use self::batch::{ArrowColumn, BatchReader};
use self::flatbuffer::{Damaged, FlatTable, number};
use self::schema::{ColumnType, ValueType};
use super::BasetenCell;
use crate::MOST_UNPACKED;

/// The first and last bytes of a file with a footer.
const FILE: &[u8] = b"ARROW1";
/// The bytes before each message of a stream.
const MARKER: &[u8] = &[0xff; 4];
/// The type of a message that describes columns.
const SCHEMA: u8 = 1;
/// The type of a message that contains rows.
const BATCH: u8 = 3;

impl From<Damaged> for String {
    fn from(_: Damaged) -> Self {
        "the Arrow file is damaged".to_owned()
    }
}

/// Some rows of a file.
#[derive(Debug)]
pub(super) struct ArrowBatch<'a> {
    pub(super) rows: usize,
    columns: Vec<(String, ArrowColumn<'a>)>,
}

pub(super) fn is_arrow(bytes: &[u8]) -> bool {
    bytes.starts_with(FILE) || bytes.starts_with(MARKER)
}

/// The batches of a file, one after the other.
pub(super) fn batches(bytes: &[u8]) -> Result<Vec<ArrowBatch<'_>>, String> {
    let mut left = MOST_UNPACKED;
    if bytes.starts_with(FILE) { file_batches(bytes, &mut left) } else { stream_batches(bytes, &mut left) }
}

/// The batches of a file, whose footer lists their positions.
fn file_batches<'a>(bytes: &'a [u8], left: &mut u64) -> Result<Vec<ArrowBatch<'a>>, String> {
    let (front, end) = bytes.split_last_chunk::<10>().ok_or(Damaged)?;
    let length = i32::from_le_bytes(number(end, 0)?);
    let start = usize::try_from(length).ok().and_then(|length| front.len().checked_sub(length)).ok_or(Damaged)?;
    if !end.ends_with(FILE) {
        return Err(Damaged.into());
    }
    let footer = FlatTable::root(&front[start..])?;
    let columns = schema::columns(footer.table(1)?.ok_or(Damaged)?)?;
    let blocks = footer.items(3, 24)?.unwrap_or_default();
    let place = |number: i64| usize::try_from(number).map_err(|_| Damaged);
    let mut batches = Vec::new();
    for block in blocks.chunks_exact(24) {
        let start = place(i64::from_le_bytes(number(block, 0)?))?;
        let body = place(i32::from_le_bytes(number(block, 8)?).into())?.checked_add(start).ok_or(Damaged)?;
        let end = place(i64::from_le_bytes(number(block, 16)?))?.checked_add(body).ok_or(Damaged)?;
        let (head, body) = bytes.get(start..body).zip(bytes.get(body..end)).ok_or(Damaged)?;
        // Files of before 2019 have no marker before the length.
        let head = head.get(if head.starts_with(MARKER) { 8 } else { 4 }..).ok_or(Damaged)?;
        let message = FlatTable::root(head)?;
        batches.push(batch(&columns, message.table(2)?.ok_or(Damaged)?, body, left)?);
    }
    Ok(batches)
}

/// The batches of a stream of messages; the first message describes the columns.
fn stream_batches<'a>(mut bytes: &'a [u8], left: &mut u64) -> Result<Vec<ArrowBatch<'a>>, String> {
    let mut columns = None;
    let mut batches = Vec::new();
    while let Some((head, rest)) = bytes.split_first_chunk::<8>().filter(|(head, _)| head.starts_with(MARKER)) {
        let length = u32::from_le_bytes(number(head, 4)?) as usize;
        if length == 0 {
            break;
        }
        let (head, rest) = rest.split_at_checked(length).ok_or(Damaged)?;
        let message = FlatTable::root(head)?;
        let length = usize::try_from(message.long(3)?.unwrap_or(0)).map_err(|_| Damaged)?;
        let (body, rest) = rest.split_at_checked(length).ok_or(Damaged)?;
        let header = message.table(2)?.ok_or(Damaged)?;
        match message.byte(1)? {
            Some(SCHEMA) => columns = Some(schema::columns(header)?),
            Some(BATCH) => batches.push(batch(columns.as_deref().ok_or(Damaged)?, header, body, left)?),
            _ => {}
        }
        bytes = rest;
    }
    if columns.is_none() {
        return Err(Damaged.into());
    }
    Ok(batches)
}

fn batch<'a>(
    types: &[ColumnType],
    header: FlatTable<'a>,
    body: &'a [u8],
    left: &mut u64,
) -> Result<ArrowBatch<'a>, String> {
    let columns = BatchReader::new(header, body, left)?.columns(types)?;
    // Skipped columns may claim any number of rows. One row is enough to report a table that has only such columns.
    let read = columns.iter().filter(|column| column.is_read()).map(|column| column.rows);
    let rows = read.min().unwrap_or(1);
    let names = types.iter().map(|column| column.name.clone());
    Ok(ArrowBatch { rows, columns: names.zip(columns).collect() })
}

impl ArrowBatch<'_> {
    pub(super) fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// The value of a column in a row; `None` if it is null or has a type that is not needed.
    pub(super) fn cell(&self, name: &str, row: usize) -> Option<BasetenCell> {
        let (_, column) = self.columns.iter().find(|(known, _)| known == name)?;
        if !column.is_valid(row) {
            return None;
        }
        match column.values {
            ValueType::Text { offset_bytes } => {
                let (start, end) = column.span(offset_bytes, row)?;
                text(column.buffer(1).get(start..end)?)
            }
            ValueType::TextView => text(view(column, row)?),
            ValueType::List { offset_bytes } => {
                let (start, end) = column.span(offset_bytes, row)?;
                let items = column.children.first()?;
                let end = end.min(items.rows);
                let valid = (start..end).filter(|item| items.is_valid(*item));
                Some(BasetenCell::Numbers(valid.filter_map(|item| integer(items, item)).collect()))
            }
            _ => integer(column, row).map(BasetenCell::Number),
        }
    }
}

fn text(bytes: &[u8]) -> Option<BasetenCell> {
    str::from_utf8(bytes).ok().map(|text| BasetenCell::Text(text.to_owned()))
}

/// The bytes of a view: its length, then the text itself if it is short, otherwise the buffer and the offset of the text.
fn view<'a>(column: &'a ArrowColumn<'_>, row: usize) -> Option<&'a [u8]> {
    let at = row.checked_mul(16)?;
    let view = column.buffer(0).get(at..)?.first_chunk::<16>()?;
    let part = |at: usize| number(view, at).ok().and_then(|bytes| usize::try_from(i32::from_le_bytes(bytes)).ok());
    let length = part(0)?;
    if length <= 12 {
        return column.buffer(0).get(at + 4..at + 4 + length);
    }
    let (buffer, start) = (part(8)?, part(12)?);
    column.buffer(1 + buffer).get(start..start.checked_add(length)?)
}

/// A whole number of any width.
fn integer(column: &ArrowColumn<'_>, row: usize) -> Option<i128> {
    let values = column.buffer(0);
    let at = |bytes: usize| row.checked_mul(bytes);
    Some(match column.values {
        ValueType::Double => return super::whole_float(f64::from_le_bytes(number(values, at(8)?).ok()?)),
        ValueType::Integer { bytes, is_signed } => match (bytes, is_signed) {
            (1, false) => u8::from_le_bytes(number(values, at(1)?).ok()?).into(),
            (1, true) => i8::from_le_bytes(number(values, at(1)?).ok()?).into(),
            (2, false) => u16::from_le_bytes(number(values, at(2)?).ok()?).into(),
            (2, true) => i16::from_le_bytes(number(values, at(2)?).ok()?).into(),
            (4, false) => u32::from_le_bytes(number(values, at(4)?).ok()?).into(),
            (4, true) => i32::from_le_bytes(number(values, at(4)?).ok()?).into(),
            (8, false) => u64::from_le_bytes(number(values, at(8)?).ok()?).into(),
            (8, true) => i64::from_le_bytes(number(values, at(8)?).ok()?).into(),
            _ => return None,
        },
        _ => return None,
    })
}
