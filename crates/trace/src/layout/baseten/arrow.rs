//! The rows of an Arrow file, in the file format with a footer and in the stream format.

use std::io::Cursor;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMillisecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, TimeUnit};

use super::{BasetenCell, arrow_size};

/// The first bytes of the file format.
const FILE: &[u8] = b"ARROW1";
const STREAM: &[u8] = &[0xff, 0xff, 0xff, 0xff];

pub(super) fn is_arrow(bytes: &[u8]) -> bool {
    bytes.starts_with(FILE) || bytes.starts_with(STREAM)
}

/// The record batches of a file.
pub(super) fn batches(bytes: &[u8]) -> Result<Vec<RecordBatch>, String> {
    let unreadable = |error: ArrowError| format!("not a readable Arrow file ({error})");
    let batches: Result<Vec<RecordBatch>, ArrowError> = if bytes.starts_with(FILE) {
        arrow_size::check_file(bytes)?;
        FileReader::try_new(Cursor::new(bytes), None).map_err(unreadable)?.collect()
    } else {
        arrow_size::check_stream(bytes)?;
        StreamReader::try_new(Cursor::new(bytes), None).map_err(unreadable)?.collect()
    };
    batches.map_err(unreadable)
}

/// The value of a column in a row; `None` if it is null or has a type that is not needed.
pub(super) fn cell(column: &ArrayRef, row: usize) -> Option<BasetenCell> {
    if column.is_null(row) {
        return None;
    }
    let text = match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row),
        DataType::Utf8View => column.as_string_view().value(row),
        DataType::List(_) => return Some(numbers(&column.as_list::<i32>().value(row))),
        DataType::LargeList(_) => return Some(numbers(&column.as_list::<i64>().value(row))),
        _ => return number(column, row).map(BasetenCell::Number),
    };
    Some(BasetenCell::Text(text.to_owned()))
}

fn numbers(list: &ArrayRef) -> BasetenCell {
    BasetenCell::Numbers(
        (0..list.len()).filter(|place| list.is_valid(*place)).filter_map(|at| number(list, at)).collect(),
    )
}

/// A whole number of any width.
fn number(column: &ArrayRef, row: usize) -> Option<i128> {
    Some(match column.data_type() {
        DataType::Int8 => column.as_primitive::<Int8Type>().value(row).into(),
        DataType::Int16 => column.as_primitive::<Int16Type>().value(row).into(),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into(),
        DataType::UInt8 => column.as_primitive::<UInt8Type>().value(row).into(),
        DataType::UInt16 => column.as_primitive::<UInt16Type>().value(row).into(),
        DataType::UInt32 => column.as_primitive::<UInt32Type>().value(row).into(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).into(),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            column.as_primitive::<TimestampMillisecondType>().value(row).into()
        }
        DataType::Float64 => super::whole_float(column.as_primitive::<Float64Type>().value(row))?,
        _ => return None,
    })
}
