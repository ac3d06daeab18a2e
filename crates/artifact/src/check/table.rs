//! The records as a Parquet table: a row for each line.

use std::fs::File;

use parquet::file::reader::{FileReader, SerializedFileReader};

use super::FolderCheck;

impl FolderCheck<'_> {
    pub(super) fn table(&mut self) {
        let path = self.folder.paths().records_parquet();
        let Ok(file) = File::open(&path) else { return };
        let name = self.folder.name(&path);
        self.files += 1;
        match SerializedFileReader::new(file) {
            Err(error) => self.find(&name, format!("cannot be read: {error}")),
            Ok(reader) => {
                let rows = reader.metadata().file_metadata().num_rows();
                let records = self.seen.as_ref().map(|seen| seen.count as i64);
                if let Some(records) = records.filter(|records| *records != rows) {
                    self.find(&name, format!("{rows} rows, the records have {records} lines"));
                }
            }
        }
    }
}
