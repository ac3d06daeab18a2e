//! A column of optional whole numbers that takes four bytes a row until a value needs eight.

use std::ops::Range;

const NARROW_MISSING: u32 = u32::MAX;
const WIDE_MISSING: u64 = u64::MAX;

/// Rows at the end that hold nothing need not be stored.
#[derive(Debug, Clone)]
pub(crate) enum FactColumn {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Default for FactColumn {
    fn default() -> Self {
        Self::Narrow(Vec::new())
    }
}

impl FactColumn {
    pub(crate) fn get(&self, row: usize) -> Option<u64> {
        match self {
            Self::Narrow(cells) => cells.get(row).filter(|cell| **cell != NARROW_MISSING).map(|cell| u64::from(*cell)),
            Self::Wide(cells) => cells.get(row).filter(|cell| **cell != WIDE_MISSING).copied(),
        }
    }

    /// Sets a row at or beyond the present end.
    pub(crate) fn put(&mut self, row: usize, value: u64) {
        let narrow = u32::try_from(value).ok().filter(|value| *value != NARROW_MISSING);
        match (&mut *self, narrow) {
            (Self::Narrow(cells), Some(value)) => {
                cells.resize(row, NARROW_MISSING);
                cells.push(value);
            }
            (Self::Wide(cells), _) => {
                cells.resize(row, WIDE_MISSING);
                cells.push(value);
            }
            (Self::Narrow(_), None) => {
                self.widen();
                self.put(row, value);
            }
        }
    }

    pub(crate) fn push(&mut self, value: u64) {
        self.put(self.len(), value);
    }

    /// Rows stored, which may be fewer than the table has.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Narrow(cells) => cells.len(),
            Self::Wide(cells) => cells.len(),
        }
    }

    /// Puts the other column's rows after row `at`, and frees them.
    pub(crate) fn append(&mut self, at: usize, other: Self) {
        if other.len() == 0 {
            return;
        }
        if self.len() == 0 && at == 0 && self.room() < other.len() {
            *self = other;
            return;
        }
        self.reserve(at + other.len());
        match (&mut *self, &other) {
            (Self::Narrow(cells), Self::Narrow(more)) => {
                cells.resize(at, NARROW_MISSING);
                cells.extend_from_slice(more);
            }
            (Self::Wide(cells), Self::Wide(more)) => {
                cells.resize(at, WIDE_MISSING);
                cells.extend_from_slice(more);
            }
            _ => {
                for row in 0..other.len() {
                    if let Some(value) = other.get(row) {
                        self.put(at + row, value);
                    }
                }
            }
        }
    }

    /// Rows that have a place without asking for more memory.
    fn room(&self) -> usize {
        match self {
            Self::Narrow(cells) => cells.capacity(),
            Self::Wide(cells) => cells.capacity(),
        }
    }

    /// The cells of these rows, one after the other.
    pub(crate) fn gather(&self, rows: &[u32]) -> Self {
        match self {
            Self::Narrow(cells) => Self::Narrow(gathered(cells, rows, NARROW_MISSING)),
            Self::Wide(cells) => Self::Wide(gathered(cells, rows, WIDE_MISSING)),
        }
    }

    /// Puts these rows of another column at the end. Both have a value in every row.
    pub(crate) fn extend_from(&mut self, other: &Self, rows: Range<usize>) {
        match (self, other) {
            (Self::Narrow(cells), Self::Narrow(more)) => cells.extend_from_slice(more.get(rows).unwrap_or_default()),
            (Self::Wide(cells), Self::Wide(more)) => cells.extend_from_slice(more.get(rows).unwrap_or_default()),
            (column, other) => rows.filter_map(|row| other.get(row)).for_each(|value| column.push(value)),
        }
    }

    /// Reserves room for this many rows at once: growing step by step would end with up to twice the room needed.
    pub(crate) fn reserve(&mut self, rows: usize) {
        let more = rows.saturating_sub(self.len());
        match self {
            Self::Narrow(cells) => cells.reserve_exact(more),
            Self::Wide(cells) => cells.reserve_exact(more),
        }
    }

    fn widen(&mut self) {
        if let Self::Narrow(cells) = self {
            let widened = cells.iter().map(|c| if *c == NARROW_MISSING { WIDE_MISSING } else { u64::from(*c) });
            *self = Self::Wide(widened.collect());
        }
    }
}

fn gathered<T: Copy>(cells: &[T], rows: &[u32], missing: T) -> Vec<T> {
    if cells.is_empty() {
        return Vec::new();
    }
    rows.iter().map(|row| cells.get(*row as usize).copied().unwrap_or(missing)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gathered_rows_hold_what_they_held() {
        for widest in [7, 1 << 40] {
            let mut column = FactColumn::default();
            column.put(1, 5);
            column.put(3, widest);
            let gathered = column.gather(&[3, 0, 9, 1]);
            let rows: Vec<_> = (0..5).map(|row| gathered.get(row)).collect();
            assert_eq!(rows, [Some(widest), None, None, Some(5), None]);
        }
    }

    #[test]
    fn rows_are_taken_over_from_a_wider_column() {
        let column = |values: &[u64]| {
            let mut column = FactColumn::default();
            for value in values {
                column.push(*value);
            }
            column
        };
        let (narrow, wide) = (column(&[1, 2]), column(&[3, 1 << 40, 4]));
        let mut all = FactColumn::default();
        all.extend_from(&narrow, 1..2);
        all.extend_from(&wide, 0..2);
        all.extend_from(&wide, 2..3);
        let rows: Vec<_> = (0..all.len()).map(|row| all.get(row)).collect();
        assert_eq!(rows, [Some(2), Some(3), Some(1 << 40), Some(4)]);
    }

    #[test]
    fn a_column_widens_without_losing_rows() {
        let mut column = FactColumn::default();
        column.put(1, 7);
        column.put(3, u64::from(u32::MAX));
        column.put(4, 1 << 40);
        let rows: Vec<_> = (0..6).map(|row| column.get(row)).collect();
        assert_eq!(rows, [None, Some(7), None, Some(u64::from(u32::MAX)), Some(1 << 40), None]);
    }
}
