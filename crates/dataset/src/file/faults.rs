//! Rows that cannot be used: the first one ends the reading, unless the user wants to go without them.

use std::path::Path;

use aiperf_config::BadRows;

use crate::{DatasetError, RowPlace};

/// How many reasons are kept. The count is always whole.
const MOST_REASONS: usize = 5;

/// Rows of a file that were left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkippedRows {
    pub count: usize,
    /// File, place and problem of the first few.
    pub reasons: Vec<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Faults {
    policy: BadRows,
    skipped: SkippedRows,
}

impl Faults {
    pub(crate) fn new(policy: BadRows) -> Self {
        Self { policy, skipped: SkippedRows::default() }
    }

    pub(crate) fn skips(&self) -> bool {
        self.policy == BadRows::Skip
    }

    /// A row is bad: an error, or one row less.
    pub(crate) fn note(&mut self, path: &Path, place: RowPlace, problem: String) -> Result<(), DatasetError> {
        if !self.skips() {
            let problem = problem + "; --skip-bad-rows leaves such rows out";
            return Err(DatasetError::Row { path: path.to_owned(), place, problem });
        }
        self.skip(path, place, &problem);
        Ok(())
    }

    /// One row less, whatever the user said of bad ones.
    pub(crate) fn skip(&mut self, path: &Path, place: RowPlace, problem: &str) {
        self.skipped.count += 1;
        if self.skipped.reasons.len() < MOST_REASONS {
            self.skipped.reasons.push(format!("{}, {place}: {problem}", path.display()));
        }
    }

    pub(crate) fn into_skipped(self) -> SkippedRows {
        self.skipped
    }

    /// What to say of a file that no conversation came from.
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
        let mut strict = Faults::new(BadRows::Refuse);
        let error = strict.note(Path::new("a"), RowPlace::Line(3), "bad".to_owned()).unwrap_err();
        assert_eq!(error.to_string(), "--input-file a, line 3: bad; --skip-bad-rows leaves such rows out");
        let mut lenient = Faults::new(BadRows::Skip);
        for index in 0..20 {
            lenient.note(Path::new("a"), RowPlace::Entry(index), "bad".to_owned()).unwrap();
        }
        let SkippedRows { count, reasons } = lenient.into_skipped();
        assert_eq!((count, reasons.len(), reasons[0].as_str()), (20, MOST_REASONS, "a, data[0]: bad"));
    }
}
