//! Parquet files with columns of bytes and text, as on the hub.

use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

/// One column of a row group: its values, and the levels that locate them.
#[derive(Debug, Clone)]
pub struct TestColumn {
    pub values: Vec<Vec<u8>>,
    pub definition: Vec<i16>,
    /// The repetition levels of a column within lists.
    pub repetition: Option<Vec<i16>>,
}

impl TestColumn {
    /// A column without lists. `depth` is the number of optional levels down to the value: 1 for `optional binary text`, 2 for
    /// `optional group image { optional binary bytes }`.
    pub fn flat(values: &[Option<&[u8]>], depth: i16) -> Self {
        Self {
            definition: values.iter().map(|value| if value.is_some() { depth } else { depth - 1 }).collect(),
            values: values.iter().flatten().map(|value| value.to_vec()).collect(),
            repetition: None,
        }
    }

    pub fn texts(values: &[&str]) -> Self {
        Self::flat(&values.iter().map(|text| Some(text.as_bytes())).collect::<Vec<_>>(), 1)
    }

    /// A column of lists, none of them empty. `depth` is the number of optional and repeated levels down to the value: 3 for
    /// `optional group turns (LIST) { repeated group list { optional binary element } }`.
    pub fn lists(rows: &[&[&str]], depth: i16) -> Self {
        let all: Vec<&&str> = rows.iter().flat_map(|row| row.iter()).collect();
        Self {
            definition: vec![depth; all.len()],
            repetition: Some(rows.iter().flat_map(|row| (0..row.len()).map(|place| i16::from(place > 0))).collect()),
            values: all.iter().map(|text| text.as_bytes().to_vec()).collect(),
        }
    }
}

/// A file of this message type with these row groups.
pub fn parquet_file(message_type: &str, groups: &[Vec<TestColumn>]) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(message_type).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(Compression::SNAPPY).build());
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut file, schema, properties).unwrap();
    for group in groups {
        let mut rows = writer.next_row_group().unwrap();
        for column in group {
            let mut values = rows.next_column().unwrap().unwrap();
            let bytes: Vec<ByteArray> = column.values.iter().map(|value| ByteArray::from(value.clone())).collect();
            values
                .typed::<ByteArrayType>()
                .write_batch(&bytes, Some(&column.definition), column.repetition.as_deref())
                .unwrap();
            values.close().unwrap();
        }
        rows.close().unwrap();
    }
    writer.close().unwrap();
    file
}
