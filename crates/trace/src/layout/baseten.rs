//! `baseten_trace`: a Parquet or Arrow table of literal prompts with their lengths, block hashes, sessions and durations. Times
//! become milliseconds since the first request.

mod arrow;

use std::sync::Arc;

use aiperf_config::SessionColumn;
use bytes::Bytes;
use parquet::file::reader::SerializedFileReader;
use parquet::record::Field;
use parquet::record::reader::RowIter;

use crate::{BlockId, RowProblem, TracePrompt, TraceRequest, catch_panic, check_pages};

/// The first bytes of a Parquet file.
const PARQUET: &[u8] = b"PAR1";
const REQUIRED: [&str; 4] = ["timestamp_start_unix_ms", "prompt", "input_tokens", "output_tokens"];

/// The rows of a file.
#[derive(Debug, Default)]
pub(super) struct BasetenTable {
    pub(super) requests: Vec<TraceRequest>,
    pub(super) problems: Vec<RowProblem>,
    /// The number of tokens per block, if the table contains it.
    pub(super) block_size: Option<u32>,
}

/// Whether a file is a Parquet or Arrow file.
pub(super) fn is_table(bytes: &[u8]) -> bool {
    bytes.starts_with(PARQUET) || arrow::is_arrow(bytes)
}

/// Reads the bytes of a file; the error says why it does not have this layout.
pub(super) fn read(bytes: &[u8], sessions: SessionColumn) -> Result<BasetenTable, String> {
    catch_panic("the file is damaged", || rows(bytes, sessions))
}

/// The value of a column in a row, independent of the file format.
#[derive(Debug, Clone, PartialEq)]
enum BasetenCell {
    Number(i128),
    Text(String),
    Numbers(Vec<i128>),
}

fn rows(bytes: &[u8], sessions: SessionColumn) -> Result<BasetenTable, String> {
    let mut table = BasetenTable::default();
    if arrow::is_arrow(bytes) {
        for batch in arrow::batches(bytes)? {
            check_columns(&batch.names())?;
            for row in 0..batch.rows {
                table.take(sessions, |name| batch.cell(name, row));
            }
        }
        return Ok(table);
    }
    let unreadable = |error: parquet::errors::ParquetError| format!("not a readable Parquet or Arrow file ({error})");
    let bytes = Bytes::copy_from_slice(bytes);
    check_pages(&bytes)?;
    let reader = SerializedFileReader::new(bytes).map_err(unreadable)?;
    let rows = RowIter::from_file_into(Box::new(reader));
    for (index, row) in rows.enumerate() {
        let row = row.map_err(unreadable)?;
        if index == 0 {
            check_columns(&row.get_column_iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>())?;
        }
        table.take(sessions, |name| cell(row.get_column_iter().find(|(key, _)| *key == name)?.1));
    }
    Ok(table)
}

fn check_columns(names: &[&str]) -> Result<(), String> {
    match REQUIRED.iter().find(|name| !names.contains(name)) {
        Some(missing) => Err(format!("column {missing} is missing; the file has the columns {}", names.join(", "))),
        None => Ok(()),
    }
}

impl BasetenTable {
    /// Adds a row from the values of its columns.
    fn take(&mut self, sessions: SessionColumn, column: impl Fn(&str) -> Option<BasetenCell>) {
        let line = self.requests.len() + self.problems.len() + 1;
        match request(line, sessions, column) {
            Ok((request, size)) => {
                self.block_size = self.block_size.or(size);
                self.requests.push(request);
            }
            Err(problem) => self.problems.push(RowProblem { line, problem }),
        }
    }
}

fn request(
    line: usize,
    sessions: SessionColumn,
    column: impl Fn(&str) -> Option<BasetenCell>,
) -> Result<(TraceRequest, Option<u32>), String> {
    let number = |name: &str| match column(name) {
        Some(BasetenCell::Number(number)) => Some(number),
        _ => None,
    };
    let needed = |name: &str| {
        number(name)
            .and_then(|number| u64::try_from(number).ok())
            .ok_or_else(|| format!("{name}: a non-negative whole number is expected"))
    };
    let Some(BasetenCell::Text(text)) = column("prompt") else { return Err("prompt: a text is expected".to_owned()) };
    let hashes = match column("total_hashes") {
        Some(BasetenCell::Numbers(hashes)) => hashes,
        _ => Vec::new(),
    };
    let has_signed_ids = hashes.iter().any(|hash| *hash < 0);
    let blocks = hashes.into_iter().map(|hash| BlockId(hash as i64)).collect();
    let session = session(sessions, &column);
    let request = TraceRequest {
        line,
        timestamp_ms: Some(needed("timestamp_start_unix_ms")? as f64),
        delay_ms: None,
        duration_ms: number("duration_e2e_ms").map(|duration| duration as f64),
        session,
        holds_history: true,
        prompt: TracePrompt::Recorded { text, tokens: needed("input_tokens")?, blocks, has_signed_ids },
        output_tokens: Some(needed("output_tokens")?),
        extra: None,
    };
    let size = number("block_size").and_then(|size| u32::try_from(size).ok()).filter(|size| *size > 0);
    Ok((request, size))
}

/// The session of a row, from the preferred column or else from the other one.
fn session(preferred: SessionColumn, column: impl Fn(&str) -> Option<BasetenCell>) -> Option<Arc<str>> {
    let others = SessionColumn::ALL.into_iter().filter(|other| *other != preferred);
    std::iter::once(preferred).chain(others).find_map(|session| match column(session.name()) {
        Some(BasetenCell::Text(name)) if !name.is_empty() => Some(Arc::from(name)),
        _ => None,
    })
}

fn cell(field: &Field) -> Option<BasetenCell> {
    match field {
        Field::Str(text) => Some(BasetenCell::Text(text.clone())),
        Field::ListInternal(list) => Some(BasetenCell::Numbers(list.elements().iter().filter_map(whole).collect())),
        other => whole(other).map(BasetenCell::Number),
    }
}

/// A whole number of any width.
fn whole(field: &Field) -> Option<i128> {
    Some(match field {
        Field::Byte(number) => (*number).into(),
        Field::Short(number) => (*number).into(),
        Field::Int(number) => (*number).into(),
        Field::Long(number) | Field::TimestampMillis(number) => (*number).into(),
        Field::UByte(number) => (*number).into(),
        Field::UShort(number) => (*number).into(),
        Field::UInt(number) => (*number).into(),
        Field::ULong(number) => (*number).into(),
        Field::Double(number) => whole_float(*number)?,
        _ => return None,
    })
}

/// A whole number that was stored as a floating-point number; other tools do this.
fn whole_float(number: f64) -> Option<i128> {
    (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i128)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SAMPLE: &[u8] = include_bytes!("../../tests/fixtures/baseten_trace.parquet");

    #[test]
    fn the_sample_is_read_whole() {
        let table = read(SAMPLE, SessionColumn::Provided).unwrap();
        assert_eq!((table.requests.len(), table.problems.len(), table.block_size), (5, 0, Some(64)));
        let third = &table.requests[2];
        assert_eq!(
            (third.session.as_deref(), third.duration_ms, third.output_tokens),
            (Some("A"), Some(200.0), Some(5))
        );
        assert_eq!(third.blocks(), [BlockId(1), BlockId(2), BlockId(4)]);
        let TracePrompt::Recorded { text, tokens, .. } = &third.prompt else { panic!("{third:?}") };
        assert_eq!((text.as_str(), *tokens), ("p-a-1 p-a-2", 8));
        assert_eq!(table.requests[3].session, None);
    }

    #[test]
    fn hashes_of_64_bits_are_known_by_their_bits_and_their_sign() {
        let read = |hashes: &[i128]| {
            let column = |name: &str| match name {
                "prompt" => Some(BasetenCell::Text("a".to_owned())),
                "total_hashes" => Some(BasetenCell::Numbers(hashes.to_vec())),
                _ => Some(BasetenCell::Number(1)),
            };
            let (request, _) = request(1, SessionColumn::Provided, column).unwrap();
            let TracePrompt::Recorded { blocks, has_signed_ids, .. } = request.prompt else { panic!("{request:?}") };
            (blocks, has_signed_ids)
        };
        assert_eq!(read(&[5, u64::MAX.into()]), (vec![BlockId(5), BlockId(-1)], false));
        assert_eq!(read(&[5, -1]), (vec![BlockId(5), BlockId(-1)], true));
    }

    #[test]
    fn the_preferred_column_is_the_session_and_the_other_where_it_is_empty() {
        let (given, guessed, empty) =
            (BasetenCell::Text("A".to_owned()), BasetenCell::Text("7".to_owned()), BasetenCell::Text(String::new()));
        let session = |sessions, provided: &BasetenCell| {
            session(sessions, |name| {
                Some(if name == "provided_session_id" { provided.clone() } else { guessed.clone() })
            })
        };
        assert_eq!(session(SessionColumn::Provided, &given).as_deref(), Some("A"));
        assert_eq!(session(SessionColumn::Provided, &empty).as_deref(), Some("7"));
        assert_eq!(session(SessionColumn::Guessed, &given).as_deref(), Some("7"));
    }

    /// The sample as Arrow tables: a file packed by LZ4, one by Zstandard with wide offsets and unsigned numbers, a stream with
    /// views of texts, nulls and columns of every other type, and a stream of several batches.
    const ARROW: [&[u8]; 4] = [
        include_bytes!("../../tests/fixtures/baseten_lz4.arrow"),
        include_bytes!("../../tests/fixtures/baseten_zstd.arrow"),
        include_bytes!("../../tests/fixtures/baseten_views.arrows"),
        include_bytes!("../../tests/fixtures/baseten_batches.arrows"),
    ];

    #[test]
    fn arrow_files_and_streams_hold_the_same() {
        let table = read(SAMPLE, SessionColumn::Provided).unwrap();
        for bytes in ARROW {
            assert!(is_table(bytes));
            let read = read(bytes, SessionColumn::Provided).unwrap();
            assert_eq!((read.problems.len(), read.block_size), (0, Some(64)));
            assert_eq!(format!("{:?}", read.requests), format!("{:?}", table.requests));
        }
        let other = include_bytes!("../../tests/fixtures/other_columns.arrow");
        assert!(
            read(other, SessionColumn::Provided)
                .unwrap_err()
                .contains("column timestamp_start_unix_ms is missing; the file has the columns a")
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_damage_makes_the_reader_panic(place in 0..SAMPLE.len(), byte: u8, end in 0..SAMPLE.len()) {
            let mut bytes = SAMPLE.to_vec();
            bytes[place] = byte;
            let _ = read(&bytes, SessionColumn::Provided);
            let _ = read(&bytes[..end], SessionColumn::Provided);
            for bytes in ARROW {
                let mut bytes = bytes.to_vec();
                let (place, end) = (place % bytes.len(), end % bytes.len());
                bytes[place] = byte;
                let _ = read(&bytes, SessionColumn::Provided);
                let _ = read(&bytes[..end], SessionColumn::Provided);
            }
        }
    }
}
