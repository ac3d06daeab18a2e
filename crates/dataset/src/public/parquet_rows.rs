//! Rows of Parquet, row group by row group, with only the columns that are needed.

use std::ops::ControlFlow;

use aiperf_trace::{catch_panic, check_pages};
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row as Record};
use parquet::schema::types::Type;

use super::row_file::Take;
use super::table_row::{ColumnValue, TableRow};

/// The number of values that are read from a column at once; small, since values may be images.
const BATCH: usize = 16;

pub(super) fn each<R: ChunkReader + 'static>(
    file: R,
    columns: Option<&[&str]>,
    take: &mut Take<'_>,
) -> Result<ControlFlow<()>, String> {
    catch_panic("not a readable Parquet file: it is damaged", || rows(file, columns, take))
}

fn rows<R: ChunkReader + 'static>(
    file: R,
    columns: Option<&[&str]>,
    take: &mut Take<'_>,
) -> Result<ControlFlow<()>, String> {
    let unreadable = |error: parquet::errors::ParquetError| format!("not a readable Parquet file: {error}");
    check_pages(&file)?;
    let reader = SerializedFileReader::new(file).map_err(unreadable)?;
    let schema = reader.metadata().file_metadata().schema();
    let projection = columns.map(|columns| projection(schema, columns)).transpose()?;
    let rows = RowIter::from_file(projection, &reader).map_err(unreadable)?.with_batch_size(BATCH);
    for row in rows {
        if take(columns_of(row.map_err(unreadable)?))?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn projection(schema: &Type, columns: &[&str]) -> Result<Type, String> {
    let all = schema.get_fields();
    for column in columns {
        if !all.iter().any(|field| field.name() == *column) {
            let names = all.iter().map(|field| field.name()).collect::<Vec<_>>().join(", ");
            return Err(format!("column {column} is missing; the file has the columns {names}"));
        }
    }
    let wanted = all.iter().filter(|field| columns.contains(&field.name())).cloned().collect();
    Type::group_type_builder(schema.name()).with_fields(wanted).build().map_err(|error| error.to_string())
}

fn columns_of(record: Record) -> TableRow {
    TableRow(record.into_columns().into_iter().map(|(name, field)| (name, cell(field))).collect())
}

fn cell(field: Field) -> ColumnValue {
    match field {
        Field::Null => ColumnValue::Null,
        Field::Bool(value) => ColumnValue::Bool(value),
        Field::Byte(number) => ColumnValue::Number(number.into()),
        Field::Short(number) => ColumnValue::Number(number.into()),
        Field::Int(number) | Field::Date(number) | Field::TimeMillis(number) => ColumnValue::Number(number.into()),
        Field::Long(number)
        | Field::TimeMicros(number)
        | Field::TimestampMillis(number)
        | Field::TimestampMicros(number) => ColumnValue::Number(number.into()),
        Field::UByte(number) => ColumnValue::Number(number.into()),
        Field::UShort(number) => ColumnValue::Number(number.into()),
        Field::UInt(number) => ColumnValue::Number(number.into()),
        Field::ULong(number) => ColumnValue::Number(number.into()),
        Field::Float16(number) => ColumnValue::float(number.to_f64()),
        Field::Float(number) => ColumnValue::float(f64::from(number)),
        Field::Double(number) => ColumnValue::float(number),
        Field::Str(text) => ColumnValue::Text(text),
        Field::Bytes(bytes) => ColumnValue::Bytes(bytes.data().to_vec()),
        Field::Decimal(decimal) => ColumnValue::Text(Field::Decimal(decimal).to_string()),
        Field::Group(record) => ColumnValue::Record(columns_of(record)),
        Field::ListInternal(list) => ColumnValue::List(list.elements().iter().cloned().map(cell).collect()),
        Field::MapInternal(map) => {
            let name = |key: &Field| match key {
                Field::Str(text) => text.clone(),
                other => other.to_string(),
            };
            let entries = map.entries().iter().map(|(key, value)| (name(key), cell(value.clone())));
            ColumnValue::Record(TableRow(entries.collect()))
        }
    }
}

#[cfg(test)]
mod tests {
    use aiperf_loopback_hub::{TestColumn, parquet_file};
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::*;

    fn sample() -> Vec<u8> {
        let schema = "message m { optional binary a (STRING);
            optional group l (LIST) { repeated group list { optional group element { optional binary x; optional binary y (STRING); } } } }";
        let group = |text: &str| {
            let list = [text, "2"];
            vec![
                TestColumn::texts(&[text, ""]),
                TestColumn::lists(&[&list, &["3"]], 4),
                TestColumn::lists(&[&list, &["3"]], 4),
            ]
        };
        parquet_file(schema, &[group("one"), group("two")])
    }

    fn read(file: Vec<u8>, columns: Option<&[&str]>) -> Result<Vec<TableRow>, String> {
        let mut rows = Vec::new();
        let flow = each(Bytes::from(file), columns, &mut |row| {
            rows.push(row);
            Ok(ControlFlow::Continue(()))
        });
        flow.map(|_| rows)
    }

    #[test]
    fn all_row_groups_and_nested_columns_are_read() {
        let rows = read(sample(), None).unwrap();
        assert_eq!(rows.len(), 4);
        assert_eq!(rows[2].text("a").unwrap(), "two");
        let list = rows[0].list("l").unwrap();
        let ColumnValue::Record(first) = &list[0] else { panic!("no record: {list:?}") };
        assert_eq!((first.get("x"), first.text("y")), (Some(&ColumnValue::Bytes(b"one".to_vec())), Ok("one")));
        assert_eq!(read(sample(), Some(&["a"])).unwrap()[0].names(), "a");
    }

    proptest! {
        #[test]
        fn no_damage_makes_the_reader_panic(places in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
            let mut file = sample();
            for (place, byte) in places {
                let place = place.index(file.len());
                file[place] = byte;
            }
            let _ = read(file, None);
        }
    }
}
