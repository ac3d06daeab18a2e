//! `baseten_trace`: a Parquet table of literal prompts with their lengths, block hashes, sessions and durations. Times
//! become milliseconds since the first request.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use aiperf_config::SessionColumn;
use bytes::Bytes;
use parquet::file::reader::SerializedFileReader;
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};

use crate::{BlockId, Problem, Prompt, Request};

/// What a Parquet file begins with.
pub(super) const MAGIC: &[u8] = b"PAR1";
const REQUIRED: [&str; 4] = ["timestamp_start_unix_ms", "prompt", "input_tokens", "output_tokens"];

/// The rows of a file.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) requests: Vec<Request>,
    pub(super) problems: Vec<Problem>,
    /// Tokens of a block, where the table says it.
    pub(super) block_size: Option<u32>,
}

/// Reads the bytes of a file; the error says why it is none of this layout.
pub(super) fn read(bytes: &[u8], sessions: SessionColumn) -> Result<Table, String> {
    // Some damaged files make the reader panic where it should complain.
    catch_unwind(AssertUnwindSafe(|| rows(bytes, sessions)))
        .unwrap_or_else(|_| Err("the Parquet file is damaged".to_owned()))
}

fn rows(bytes: &[u8], sessions: SessionColumn) -> Result<Table, String> {
    let unreadable = |error: parquet::errors::ParquetError| {
        format!("not a Parquet file that can be read ({error}); convert Arrow IPC files to Parquet")
    };
    let reader = SerializedFileReader::new(Bytes::copy_from_slice(bytes)).map_err(unreadable)?;
    let mut table = Table::default();
    let rows = RowIter::from_file_into(Box::new(reader));
    for (index, row) in rows.enumerate() {
        let row = row.map_err(unreadable)?;
        if index == 0 {
            let names: Vec<&str> = row.get_column_iter().map(|(name, _)| name.as_str()).collect();
            if let Some(missing) = REQUIRED.iter().find(|name| !names.contains(name)) {
                return Err(format!("there is no column {missing}; there are {}", names.join(", ")));
            }
        }
        match request(index + 1, &row, sessions) {
            Ok((request, size)) => {
                table.block_size = table.block_size.or(size);
                table.requests.push(request);
            }
            Err(problem) => table.problems.push(Problem { line: index + 1, problem }),
        }
    }
    Ok(table)
}

fn request(line: usize, row: &Row, sessions: SessionColumn) -> Result<(Request, Option<u32>), String> {
    let column = |name: &str| row.get_column_iter().find(|(key, _)| *key == name).map(|(_, field)| field);
    let number = |name: &str| column(name).and_then(whole);
    let needed = |name: &str| {
        number(name)
            .and_then(|number| u64::try_from(number).ok())
            .ok_or_else(|| format!("{name}: a whole number, not negative, is expected"))
    };
    let Some(Field::Str(text)) = column("prompt") else { return Err("prompt: a text is expected".to_owned()) };
    let blocks = match column("total_hashes") {
        Some(Field::ListInternal(list)) => {
            list.elements().iter().filter_map(whole).map(|hash| BlockId(hash as i64)).collect()
        }
        _ => Vec::new(),
    };
    let request = Request {
        line,
        timestamp_ms: Some(needed("timestamp_start_unix_ms")? as f64),
        delay_ms: None,
        duration_ms: number("duration_e2e_ms").map(|duration| duration as f64),
        session: session(sessions, column),
        prompt: Prompt::Recorded { text: text.clone(), tokens: needed("input_tokens")?, blocks },
        output_tokens: Some(needed("output_tokens")?),
        extra: None,
    };
    let size = number("block_size").and_then(|size| u32::try_from(size).ok()).filter(|size| *size > 0);
    Ok((request, size))
}

/// The session of a row, by the column that is preferred, or else by the other.
fn session<'r>(preferred: SessionColumn, column: impl Fn(&str) -> Option<&'r Field>) -> Option<Arc<str>> {
    let others = SessionColumn::ALL.into_iter().filter(|other| *other != preferred);
    std::iter::once(preferred).chain(others).find_map(|session| match column(session.name()) {
        Some(Field::Str(name)) if !name.is_empty() => Some(Arc::from(name.as_str())),
        _ => None,
    })
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
        Field::Double(number) if number.fract() == 0.0 && number.abs() < 9e15 => *number as i128,
        _ => return None,
    })
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
        let Prompt::Recorded { text, tokens, .. } = &third.prompt else { panic!("{third:?}") };
        assert_eq!((text.as_str(), *tokens), ("p-a-1 p-a-2", 8));
        assert_eq!(table.requests[3].session, None);
    }

    #[test]
    fn the_preferred_column_is_the_session_and_the_other_where_it_is_empty() {
        let (given, guessed, empty) =
            (Field::Str("A".to_owned()), Field::Str("7".to_owned()), Field::Str(String::new()));
        let session = |sessions, provided: &Field| {
            session(sessions, |name| Some(if name == "provided_session_id" { provided } else { &guessed }))
        };
        assert_eq!(session(SessionColumn::Provided, &given).as_deref(), Some("A"));
        assert_eq!(session(SessionColumn::Provided, &empty).as_deref(), Some("7"));
        assert_eq!(session(SessionColumn::Guessed, &given).as_deref(), Some("7"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_damage_makes_the_reader_panic(place in 0..SAMPLE.len(), byte: u8, end in 0..SAMPLE.len()) {
            let mut bytes = SAMPLE.to_vec();
            bytes[place] = byte;
            let _ = read(&bytes, SessionColumn::Provided);
            let _ = read(&bytes[..end], SessionColumn::Provided);
        }
    }
}
