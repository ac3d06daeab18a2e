//! The columns of an Arrow table, and how their values are stored in the buffers of a batch.

use super::flatbuffer::{Damaged, FlatTable};

/// The deepest nesting of lists. No trace nests deeply, but a damaged file can.
const DEEPEST: usize = 16;

#[derive(Debug, Clone)]
pub(super) struct ColumnType {
    pub(super) name: String,
    pub(super) values: ValueType,
    pub(super) children: Vec<ColumnType>,
}

/// How the values of a column are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueType {
    Integer { bytes: usize, is_signed: bool },
    Double,
    Text { offset_bytes: usize },
    TextView,
    List { offset_bytes: usize },
    Skipped { buffers: usize, has_variadic: bool },
}

/// The columns of a table, from its schema.
pub(super) fn columns(schema: FlatTable<'_>) -> Result<Vec<ColumnType>, String> {
    if schema.short(0)?.unwrap_or(0) != 0 {
        return Err("the Arrow file is big-endian, which is not supported".to_owned());
    }
    Ok(fields(&schema.tables(1)?, 0)?)
}

fn fields(fields: &[FlatTable<'_>], depth: usize) -> Result<Vec<ColumnType>, Damaged> {
    if depth > DEEPEST {
        return Err(Damaged);
    }
    fields.iter().map(|field| column(*field, depth)).collect()
}

fn column(field: FlatTable<'_>, depth: usize) -> Result<ColumnType, Damaged> {
    let name = field.text(0)?.unwrap_or_default().to_owned();
    // A dictionary column contains indexes into the dictionary, which has the children.
    if field.table(4)?.is_some() {
        return Ok(ColumnType { name, values: skipped(2), children: Vec::new() });
    }
    let values = value_type(field.byte(2)?.unwrap_or(0), field.table(3)?)?;
    Ok(ColumnType { name, values, children: fields(&field.tables(5)?, depth + 1)? })
}

/// The storage of a type, by its number in the Arrow format.
fn value_type(kind: u8, details: Option<FlatTable<'_>>) -> Result<ValueType, Damaged> {
    let short = |field: usize| details.map_or(Ok(None), |details| details.short(field));
    Ok(match kind {
        // Null, and run-end encoding, whose buffers are those of its children.
        1 | 22 => skipped(0),
        2 => {
            let details = details.ok_or(Damaged)?;
            let bytes = match details.int(0)? {
                Some(8) => 1,
                Some(16) => 2,
                Some(32) => 4,
                Some(64) => 8,
                _ => return Err(Damaged),
            };
            ValueType::Integer { bytes, is_signed: details.byte(1)?.unwrap_or(0) != 0 }
        }
        3 if short(0)? == Some(2) => ValueType::Double,
        // Milliseconds. Other units are not in these traces.
        10 if short(0)? == Some(1) => ValueType::Integer { bytes: 8, is_signed: true },
        5 => ValueType::Text { offset_bytes: 4 },
        20 => ValueType::Text { offset_bytes: 8 },
        24 => ValueType::TextView,
        12 => ValueType::List { offset_bytes: 4 },
        21 => ValueType::List { offset_bytes: 8 },
        // Binary, large binary, list views.
        4 | 19 | 25 | 26 => skipped(3),
        // Structs and lists of a fixed size.
        13 | 16 => skipped(1),
        // A dense union has its types and its offsets, a sparse one only its types.
        14 => skipped(if short(0)? == Some(1) { 2 } else { 1 }),
        23 => ValueType::Skipped { buffers: 2, has_variadic: true },
        3 | 6..=11 | 15 | 17 | 18 => skipped(2),
        _ => return Err(Damaged),
    })
}

const fn skipped(buffers: usize) -> ValueType {
    ValueType::Skipped { buffers, has_variadic: false }
}
