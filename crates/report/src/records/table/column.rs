//! The values of one column until they are written.

use aiperf_metrics::{Flags, Metric, MetricKind};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedColumnWriter;

/// Values that are there, and for each row whether it has one.
#[derive(Debug)]
pub(crate) struct ParquetColumn {
    values: ColumnValues,
    /// `None` if every row has a value. For lists: 0 for none, 2 for an element.
    present: Option<Vec<i16>>,
    /// Of lists: 0 where a row begins.
    repeats: Option<Vec<i16>>,
}

#[derive(Debug)]
enum ColumnValues {
    Whole(Vec<i64>),
    Double(Vec<f64>),
    Flag(Vec<bool>),
    Text(Vec<ByteArray>),
}

impl ParquetColumn {
    pub(crate) fn new(kind: &str, required: bool) -> Self {
        let values = match kind {
            "INT64" => ColumnValues::Whole(Vec::new()),
            "BOOLEAN" => ColumnValues::Flag(Vec::new()),
            _ => ColumnValues::Text(Vec::new()),
        };
        Self { values, present: (!required).then(Vec::new), repeats: None }
    }

    /// Whole numbers that rows may lack.
    pub(crate) fn whole_numbers() -> Self {
        Self { values: ColumnValues::Whole(Vec::new()), present: Some(Vec::new()), repeats: None }
    }

    /// Numbers that rows may lack.
    pub(crate) fn numbers() -> Self {
        Self { values: ColumnValues::Double(Vec::new()), present: Some(Vec::new()), repeats: None }
    }

    /// Texts that rows may lack.
    pub(crate) fn texts() -> Self {
        Self { values: ColumnValues::Text(Vec::new()), present: Some(Vec::new()), repeats: None }
    }

    pub(crate) fn of_metric(metric: Metric) -> Self {
        let definition = metric.definition();
        let is_list = definition.kind == MetricKind::RecordList;
        let whole = definition.flags.has(Flags::WHOLE) && !is_list;
        let values = if whole { ColumnValues::Whole(Vec::new()) } else { ColumnValues::Double(Vec::new()) };
        Self { values, present: Some(Vec::new()), repeats: is_list.then(Vec::new) }
    }

    pub(crate) fn whole(&mut self, value: Option<u64>) {
        self.mark(value.is_some());
        if let (ColumnValues::Whole(values), Some(value)) = (&mut self.values, value) {
            values.push(value as i64);
        }
    }

    pub(crate) fn flag(&mut self, value: bool) {
        if let ColumnValues::Flag(values) = &mut self.values {
            values.push(value);
        }
    }

    pub(crate) fn text(&mut self, value: Option<&str>) {
        self.mark(value.is_some());
        if let (ColumnValues::Text(values), Some(value)) = (&mut self.values, value) {
            values.push(ByteArray::from(value.as_bytes().to_vec()));
        }
    }

    /// The value of a metric.
    pub(crate) fn number(&mut self, value: Option<f64>) {
        self.mark(value.is_some());
        match (&mut self.values, value) {
            (ColumnValues::Whole(values), Some(value)) => values.push(value as i64),
            (ColumnValues::Double(values), Some(value)) => values.push(value),
            _ => {}
        }
    }

    /// An empty list has no value.
    pub(crate) fn list(&mut self, elements: impl Iterator<Item = f64>) {
        let (ColumnValues::Double(values), Some(present), Some(repeats)) =
            (&mut self.values, &mut self.present, &mut self.repeats)
        else {
            return;
        };
        let before = values.len();
        for (place, element) in elements.enumerate() {
            values.push(element);
            present.push(2);
            repeats.push(i16::from(place > 0));
        }
        if values.len() == before {
            present.push(0);
            repeats.push(0);
        }
    }

    fn mark(&mut self, there: bool) {
        if let Some(present) = &mut self.present {
            present.push(i16::from(there));
        }
    }

    /// Writes what was gathered, and forgets it.
    pub(crate) fn write(&mut self, writer: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let (present, repeats) = (self.present.as_deref(), self.repeats.as_deref());
        match &mut self.values {
            ColumnValues::Whole(values) => {
                writer.typed::<Int64Type>().write_batch(values, present, repeats)?;
                values.clear();
            }
            ColumnValues::Double(values) => {
                writer.typed::<DoubleType>().write_batch(values, present, repeats)?;
                values.clear();
            }
            ColumnValues::Flag(values) => {
                writer.typed::<BoolType>().write_batch(values, present, repeats)?;
                values.clear();
            }
            ColumnValues::Text(values) => {
                writer.typed::<ByteArrayType>().write_batch(values, present, repeats)?;
                values.clear();
            }
        }
        self.present.iter_mut().chain(&mut self.repeats).for_each(Vec::clear);
        Ok(())
    }
}
