//! Reads a file row by row: Parquet, CSV by its name, or JSON as an array or line by line.

use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use bytes::Bytes;

use super::table_row::TableRow;
use super::{csv_rows, json_rows, parquet_rows};

const PARQUET: &[u8] = b"PAR1";

/// A callback for rows, which breaks when it has enough.
pub(super) type Take<'t> = dyn FnMut(TableRow) -> Result<ControlFlow<()>, String> + 't;

/// Passes each row to `take` until it breaks. Of a Parquet file only these columns are read.
pub(super) fn each(path: &Path, columns: Option<&[&str]>, take: &mut Take<'_>) -> Result<ControlFlow<()>, String> {
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let mut start = [0; 4];
    // A shorter file is not Parquet.
    let is_parquet = file.read_exact(&mut start).is_ok() && start == PARQUET;
    let file = File::open(path).map_err(|error| error.to_string())?;
    let is_csv = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("csv"));
    if is_parquet {
        parquet_rows::each(file, columns, take)
    } else if is_csv {
        csv_rows::each(file, take)
    } else {
        json_rows::each(file, take)
    }
}

/// Passes each row of a file in memory to `take` until it breaks.
pub(super) fn each_of(data: &[u8], columns: Option<&[&str]>, take: &mut Take<'_>) -> Result<ControlFlow<()>, String> {
    if data.starts_with(PARQUET) {
        parquet_rows::each(Bytes::copy_from_slice(data), columns, take)
    } else {
        json_rows::each(data, take)
    }
}
