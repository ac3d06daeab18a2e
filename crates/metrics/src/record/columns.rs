//! All records of a phase, as columns. Each record thread fills its own; they are merged when the phase is over, and
//! no number that comes out depends on which thread had which record.

use std::ops::Range;

use crate::record::column::FactColumn;
use crate::record::fact::{Fact, Facts};
use crate::record::failures::{FailureGroup, Failures};
use crate::summary::values;
use crate::{Metric, MetricContext, MetricKind, Observation, RecordValues};

#[derive(Debug, Clone)]
pub struct Columns {
    rows: usize,
    facts: Vec<FactColumn>,
    /// Gaps between contents of all records, one record after the other.
    gaps: FactColumn,
    failures: Failures,
    undecodable: Undecodable,
    /// How many verification steps accepted 0, 1, 2, ... drafts, over all requests.
    acceptance: Vec<u64>,
}

/// Events that were passed over because they could not be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Undecodable {
    pub events: u64,
    /// Requests with such events among those that succeeded all the same.
    pub requests: u64,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            rows: 0,
            facts: vec![FactColumn::default(); Fact::COUNT],
            gaps: FactColumn::default(),
            failures: Failures::default(),
            undecodable: Undecodable::default(),
            acceptance: Vec::new(),
        }
    }
}

impl Columns {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.rows
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    pub fn push(&mut self, seen: &Observation, values: &RecordValues) {
        for (index, column) in self.facts.iter_mut().enumerate() {
            if let Some(value) = values.stored(index) {
                column.put(self.rows, value);
            }
        }
        for gap in values.gaps() {
            self.gaps.push(*gap);
        }
        if let Some(failure) = &seen.failure {
            self.failures.add(failure, 1, seen.end);
        } else if let Some(spec) = &seen.spec_decode {
            self.pool(&spec.acceptance_histogram);
        }
        self.undecodable.events += u64::from(seen.undecodable_events);
        self.undecodable.requests += u64::from(seen.undecodable_events > 0);
        self.rows += 1;
    }

    pub fn merge(&mut self, other: Self) {
        self.merge_all(vec![other]);
    }

    /// Makes room for this many times the rows that there are now, in every column that has a value: growing step by step would end with
    /// up to twice the room needed.
    pub fn expect_times(&mut self, times: f64) {
        let rows = |present: usize| (present as f64 * times).ceil() as usize;
        for column in self.facts.iter_mut().filter(|column| column.len() > 0) {
            column.reserve(rows(self.rows));
        }
        self.gaps.reserve(rows(self.gaps.len()));
    }

    /// The rows of all of them. Column after column, so that memory for one more column is enough.
    pub fn merge_all(&mut self, mut others: Vec<Self>) {
        let rows = self.rows + others.iter().map(|other| other.rows).sum::<usize>();
        for (place, column) in self.facts.iter_mut().enumerate() {
            let mut at = self.rows;
            for other in &mut others {
                let more = std::mem::take(&mut other.facts[place]);
                if more.len() > 0 {
                    column.reserve(rows);
                }
                column.append(at, more);
                at += other.rows;
            }
        }
        self.gaps.reserve(self.gaps.len() + others.iter().map(|other| other.gaps.len()).sum::<usize>());
        for other in others {
            self.take_rest(other);
        }
    }

    /// All but the columns of facts.
    fn take_rest(&mut self, other: Self) {
        self.gaps.append(self.gaps.len(), other.gaps);
        self.failures.merge(other.failures);
        self.undecodable.events += other.undecodable.events;
        self.undecodable.requests += other.undecodable.requests;
        self.pool(&other.acceptance);
        self.rows += other.rows;
    }

    fn pool(&mut self, histogram: &[u64]) {
        self.acceptance.resize(self.acceptance.len().max(histogram.len()), 0);
        self.acceptance.iter_mut().zip(histogram).for_each(|(all, more)| *all = all.saturating_add(*more));
    }

    /// How many verification steps accepted 0, 1, 2, ... drafts; empty if no server said so.
    pub(crate) fn acceptance(&self) -> &[u64] {
        &self.acceptance
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = RecordRow<'_>> {
        (0..self.rows).map(|row| self.row(row))
    }

    pub(crate) fn row(&self, row: usize) -> RecordRow<'_> {
        RecordRow { columns: self, row }
    }

    pub(crate) fn gap(&self, index: usize) -> u64 {
        self.gaps.get(index).unwrap_or(0)
    }

    pub(crate) fn gap_count(&self) -> usize {
        self.gaps.len()
    }

    pub(crate) fn undecodable(&self) -> Undecodable {
        self.undecodable
    }

    /// The values of a record metric in the unit that is shown, one for each record that has it, in the order of rows.
    pub fn shown_values(&self, metric: Metric, context: &MetricContext) -> Vec<f64> {
        let definition = metric.definition();
        if definition.kind == MetricKind::RecordList {
            return (0..self.gap_count()).map(|gap| definition.show(self.gap(gap) as f64)).collect();
        }
        values(metric, self, context).into_iter().map(|value| definition.show(value)).collect()
    }

    /// Where the gaps of each row are.
    pub(crate) fn gap_places(&self) -> GapPlaces {
        let mut first = FactColumn::default();
        if self.gap_count() > 0 {
            first.reserve(self.rows);
            let mut before = 0;
            for row in self.rows() {
                first.push(before);
                before += row.fact(Fact::Gaps).unwrap_or(0);
            }
        }
        GapPlaces { first }
    }

    /// Some of the rows, without what failed ones said.
    pub(crate) fn subset(&self, rows: &[u32], places: &GapPlaces) -> Self {
        let facts = self.facts.iter().map(|column| column.gather(rows)).collect();
        let mut gaps = FactColumn::default();
        for row in rows {
            gaps.extend_from(&self.gaps, places.of(self, *row));
        }
        Self { rows: rows.len(), facts, gaps, ..Self::default() }
    }

    /// Failed requests, merged by what they say, in order of first appearance.
    pub fn failure_groups(&self) -> Vec<FailureGroup> {
        self.failures.clone().into_groups()
    }
}

/// Where the gaps of each row are among those of all.
#[derive(Debug, Clone)]
pub(crate) struct GapPlaces {
    /// Empty when there are no gaps.
    first: FactColumn,
}

impl GapPlaces {
    /// `columns`: those that it was made of.
    pub(crate) fn of(&self, columns: &Columns, row: u32) -> Range<usize> {
        let first = self.first.get(row as usize).unwrap_or(0) as usize;
        let count = columns.row(row as usize).fact(Fact::Gaps).unwrap_or(0) as usize;
        first..first + count
    }
}

/// The facts of one record.
#[derive(Clone, Copy)]
pub(crate) struct RecordRow<'a> {
    columns: &'a Columns,
    row: usize,
}

impl Facts for RecordRow<'_> {
    fn fact(&self, fact: Fact) -> Option<u64> {
        self.columns.facts.get(fact as usize)?.get(self.row)
    }
}
