//! R9: gaps between chunks over time, counted while the records are read, because there are too many to keep.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::number::shorts;
use crate::time_bins::TimeBins;

/// Gaps below this count as no gap: their chunks were read together.
const SMALLEST_MS: f64 = 0.05;
/// Rows for each doubling of the gap.
const ROWS_PER_OCTAVE: f64 = 4.0;
/// The last row holds everything above 50 µs times 2^15, which is 1.6 s.
const ROWS: usize = 62;
const FIRST_WIDTH_NS: u64 = 1 << 20;
const MOST_COLUMNS: usize = 240;
const NANOS_PER_MS: f64 = 1e6;

/// Counts by time and by length of the gap. The time is cut into equal parts, which become twice as long when there are
/// too many.
#[derive(Debug)]
pub(crate) struct GapCounts {
    width_ns: u64,
    columns: BTreeMap<u64, Box<[u32; ROWS]>>,
}

impl Default for GapCounts {
    fn default() -> Self {
        Self { width_ns: FIRST_WIDTH_NS, columns: BTreeMap::new() }
    }
}

impl GapCounts {
    /// The gaps of one request after its first chunk at `first_ns`.
    pub(crate) fn add(&mut self, first_ns: u64, gaps_ms: &[f64]) {
        let mut at = first_ns as f64;
        for gap in gaps_ms {
            at += gap * NANOS_PER_MS;
            let column = at as u64 / self.width_ns;
            let counts = self.columns.entry(column).or_insert_with(|| Box::new([0; ROWS]));
            counts[row(*gap)] += 1;
        }
        while self.columns.len() > MOST_COLUMNS {
            self.widen();
        }
    }

    fn widen(&mut self) {
        self.width_ns *= 2;
        for (column, counts) in std::mem::take(&mut self.columns) {
            let into = self.columns.entry(column / 2).or_insert_with(|| Box::new([0; ROWS]));
            into.iter_mut().zip(counts.iter()).for_each(|(sum, count)| *sum += count);
        }
    }

    pub(crate) fn json(&self, bins: &TimeBins) -> Value {
        let (Some(first), Some(last)) = (self.columns.keys().next(), self.columns.keys().last()) else {
            return Value::Null;
        };
        let used = |row: &usize| self.columns.values().any(|counts| counts[*row] > 0);
        let lowest = (0..ROWS).find(used).unwrap_or(0);
        let highest = (0..ROWS).rev().find(used).unwrap_or(0);
        let mut cells = Vec::new();
        for (column, counts) in &self.columns {
            for row in lowest..=highest {
                if counts[row] > 0 {
                    cells.push(json!([column - first, row - lowest, counts[row]]));
                }
            }
        }
        json!({
            "x_start": crate::number::short(bins.offset_s(first * self.width_ns)),
            "x_step": self.width_ns as f64 / 1e9,
            "columns": last - first + 1,
            "y_edges": shorts((lowest..=highest + 1).map(edge_ms)),
            "first_row_is_below": lowest == 0,
            "last_row_is_above": highest == ROWS - 1,
            "cells": cells,
        })
    }
}

fn row(gap_ms: f64) -> usize {
    if gap_ms < SMALLEST_MS {
        return 0;
    }
    let octaves = (gap_ms / SMALLEST_MS).log2() * ROWS_PER_OCTAVE;
    (octaves as usize + 1).min(ROWS - 1)
}

/// Where a row begins.
fn edge_ms(row: usize) -> f64 {
    if row == 0 { 0.0 } else { SMALLEST_MS * 2_f64.powf((row - 1) as f64 / ROWS_PER_OCTAVE) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gap_is_in_the_row_and_column_of_its_length_and_time() {
        let gaps = [0.0, 0.049, 0.05, 1.0, 8.0, 8.5, 4_000.0];
        for gap in gaps {
            let row = row(gap);
            assert!(edge_ms(row) <= gap && (gap < edge_ms(row + 1) || row == ROWS - 1), "{gap} in {row}");
        }
        let mut counts = GapCounts::default();
        for request in 0..500_u64 {
            counts.add(request * 1_000_000_000, &[10.0, 10.0, 0.0]);
        }
        assert!(counts.columns.len() <= MOST_COLUMNS);
        let total: u32 = counts.columns.values().flat_map(|column| column.iter()).sum();
        assert_eq!(total, 1_500);
        // Independent of how often the columns were joined: all gaps of the first second are in the first columns.
        let shown = counts.json(&TimeBins::of((0, 500_000_000_000), 500));
        let step = shown["x_step"].as_f64().unwrap();
        let in_first: u64 = shown["cells"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|cell| cell[0] == 0)
            .map(|cell| cell[2].as_u64().unwrap())
            .sum();
        assert_eq!(in_first, 3 * (step.floor() as u64 + 1));
    }
}
