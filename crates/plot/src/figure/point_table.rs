//! The points of a chart as a table: what the CSV file next to a picture has.

use std::fmt;

/// One value of the table.
#[derive(Debug, Clone, PartialEq)]
pub enum PointCell {
    Number(f64),
    Text(String),
    None,
}

impl From<f64> for PointCell {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for PointCell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Option<f64>> for PointCell {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Self::None, Self::Number)
    }
}

impl fmt::Display for PointCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) if value.is_finite() => write!(f, "{value}"),
            Self::Number(_) | Self::None => Ok(()),
            Self::Text(text) if text.contains([',', '"', '\n', '\r']) => write!(f, "\"{}\"", text.replace('"', "\"\"")),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// Named columns and rows of values.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PointTable {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<PointCell>>,
}

impl PointTable {
    pub fn new<T: Into<String>>(columns: impl IntoIterator<Item = T>) -> Self {
        Self { columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    pub fn push(&mut self, row: Vec<PointCell>) {
        self.rows.push(row);
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// As a CSV file with a head line.
    pub fn csv(&self) -> String {
        let line = |cells: &[PointCell]| cells.iter().map(PointCell::to_string).collect::<Vec<_>>().join(",");
        let head: Vec<PointCell> = self.columns.iter().map(|name| name.as_str().into()).collect();
        let mut text = line(&head);
        text.push('\n');
        for row in &self.rows {
            text.push_str(&line(row));
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_becomes_csv_with_quotes_only_as_needed() {
        let mut table = PointTable::new(["series", "x", "y"]);
        table.push(vec!["a, \"b\"".into(), 1.5.into(), PointCell::None]);
        table.push(vec!["c".into(), 0.1.into(), f64::NAN.into()]);
        assert_eq!(table.csv(), "series,x,y\n\"a, \"\"b\"\"\",1.5,\nc,0.1,\n");
    }
}
