//! A file of rows, read one row at a time by what it is: Parquet, or JSON in an array or line by line.

use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use super::cell::Row;
use super::{json_rows, parquet_rows};

const PARQUET: &[u8] = b"PAR1";

/// What takes rows, and says when it has enough.
pub(super) type Take<'t> = dyn FnMut(Row) -> Result<ControlFlow<()>, String> + 't;

/// Gives each row to `take` until it breaks off. Of a Parquet file only these columns are read.
pub(super) fn each(path: &Path, columns: Option<&[&str]>, take: &mut Take<'_>) -> Result<ControlFlow<()>, String> {
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let mut start = [0; 4];
    // A file that is shorter is no Parquet.
    let is_parquet = file.read_exact(&mut start).is_ok() && start == PARQUET;
    let file = File::open(path).map_err(|error| error.to_string())?;
    if is_parquet { parquet_rows::each(file, columns, take) } else { json_rows::each(file, take) }
}
