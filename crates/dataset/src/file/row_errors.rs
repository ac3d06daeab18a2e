//! Rows that cannot be used. The first one is an error, unless the user chose to skip such rows.

use std::path::Path;

use aiperf_config::BadRows;

use crate::{DatasetError, RowPlace};

/// The number of reasons that are kept. All rows are counted.
const MOST_REASONS: usize = 5;

/// Rows of a file that were left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkippedRows {
    pub count: usize,
    /// File, place and problem of the first few.
    pub reasons: Vec<String>,
}

#[derive(Debug, Default)]
pub(crate) struct RowErrors {
    policy: BadRows,
    skipped: SkippedRows,
}

impl RowErrors {
    pub(crate) fn new(policy: BadRows) -> Self {
        Self { policy, skipped: SkippedRows::default() }
    }

    pub(crate) fn skips(&self) -> bool {
        self.policy == BadRows::Skip
    }

    /// Reports a bad row: returns an error, or counts it as skipped.
    pub(crate) fn note(&mut self, path: &Path, place: RowPlace, problem: String) -> Result<(), DatasetError> {
        if !self.skips() {
            let problem = problem + "; --skip-bad-rows leaves such rows out";
            return Err(DatasetError::Row { path: path.to_owned(), place, problem });
        }
        self.skip(path, place, &problem);
        Ok(())
    }

    /// Counts a row as skipped, whatever the policy for bad rows is.
    pub(crate) fn skip(&mut self, path: &Path, place: RowPlace, problem: &str) {
        self.skipped.count += 1;
        if self.skipped.reasons.len() < MOST_REASONS {
            self.skipped.reasons.push(format!("{}, {place}: {problem}", path.display()));
        }
    }

    pub(crate) fn into_skipped(self) -> SkippedRows {
        self.skipped
    }

    /// The error for a file without any usable conversation.
    pub(crate) fn nothing_left(self, path: &Path) -> DatasetError {
        let path = path.to_owned();
        match self.skipped {
            SkippedRows { count: 0, .. } => DatasetError::NoRows { path },
            SkippedRows { count, reasons } => {
                DatasetError::AllRowsBad { path, count, first: reasons.into_iter().next().unwrap_or_default() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_refused_unless_they_are_to_be_skipped() {
        let mut strict = RowErrors::new(BadRows::Refuse);
        let error = strict.note(Path::new("a"), RowPlace::Line(3), "bad".to_owned()).unwrap_err();
        assert_eq!(error.to_string(), "--input-file a, line 3: bad; --skip-bad-rows leaves such rows out");
        let mut lenient = RowErrors::new(BadRows::Skip);
        for index in 0..20 {
            lenient.note(Path::new("a"), RowPlace::Entry(index), "bad".to_owned()).unwrap();
        }
        let SkippedRows { count, reasons } = lenient.into_skipped();
        assert_eq!((count, reasons.len(), reasons[0].as_str()), (20, MOST_REASONS, "a, data[0]: bad"));
    }
}
