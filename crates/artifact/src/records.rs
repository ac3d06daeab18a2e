//! The records file, read into columns.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::ops::Range;
use std::path::Path;
use std::thread;

use aiperf_metrics::{Columns, MetricContext, RecordValues};
use aiperf_protocol::PhaseKind;

use crate::ArtifactError;
use crate::line::{LineReader, RecordLine};
use crate::lines::{each_line, each_line_in};
use crate::observation::observe;
use crate::recorded::{AsRecorded, RecordFields};

/// Records after which the number of all records of a file can be guessed from its length, and how much more is made room for.
const ENOUGH_TO_GUESS: u64 = 1_000;
const MARGIN: f64 = 1.02;
/// A thread is not worth its start for fewer bytes.
const LEAST_PART: u64 = 16 << 20;

/// The records of one phase.
#[derive(Debug)]
pub(crate) struct PhaseRecords {
    pub(crate) name: String,
    pub(crate) kind: PhaseKind,
    pub(crate) index: u32,
    pub(crate) profiling_index: Option<u32>,
    /// The results of the run are about it.
    pub(crate) in_results: bool,
    pub(crate) columns: Columns,
    pub(crate) fields: RecordFields,
    pub(crate) as_recorded: AsRecorded,
    pub(crate) first_credit: u64,
    pub(crate) last_end: u64,
    /// Lines of this phase.
    pub(crate) count: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) phases: BTreeMap<u32, PhaseRecords>,
    pub(crate) count: u64,
    /// Lines that cannot be read, with why.
    pub(crate) bad: Vec<(usize, String)>,
    /// The last line has no end: whoever wrote it was stopped.
    pub(crate) torn: bool,
    pub(crate) unknown_tags: BTreeSet<String>,
    /// Lines of the file, blank ones included.
    lines: usize,
    /// Bytes of the records so far.
    bytes: u64,
}

/// What a phase of a kind with this name has.
pub(crate) type ContextOf<'a> = dyn Fn(PhaseKind, &str) -> Result<MetricContext, ArtifactError> + Sync + 'a;

impl PhaseRecords {
    /// Whether it belongs to the warmups, or to the profiling phases that count.
    pub(crate) fn is_of(&self, kind: PhaseKind) -> bool {
        self.kind == kind && (kind == PhaseKind::Warmup || self.in_results)
    }

    /// Takes in records of the same phase that follow in the file, without their columns.
    fn append(&mut self, next: Self) {
        self.as_recorded.join(next.as_recorded);
        self.first_credit = self.first_credit.min(next.first_credit);
        self.last_end = self.last_end.max(next.last_end);
        self.count += next.count;
    }

    /// This phase and a later one of the same kind, as one.
    fn join(mut self, next: Self) -> Self {
        self.columns.merge(next.columns);
        self.as_recorded.join(next.as_recorded);
        if let Some(context) = MetricContext::joined([&self.fields.context, &next.fields.context]) {
            self.fields.context = context;
        }
        Self {
            name: self.kind.name().to_owned(),
            first_credit: self.first_credit.min(next.first_credit),
            last_end: self.last_end.max(next.last_end),
            count: self.count + next.count,
            ..self
        }
    }
}

impl Records {
    /// `context_of`: what a phase of a kind with this name has. A large file is read in parts, by several threads; the result does not
    /// depend on their number.
    pub(crate) fn read(path: &Path, context_of: &ContextOf<'_>) -> Result<Self, ArtifactError> {
        let bytes = path.metadata().map_err(ArtifactError::read(path))?.len();
        let threads = thread::available_parallelism().map_or(1, NonZero::get) as u64;
        let parts = (bytes / LEAST_PART).clamp(1, threads);
        let range = |part: u64| bytes * part / parts..bytes * (part + 1) / parts;
        let read = thread::scope(|scope| {
            let started: Vec<_> =
                (0..parts).map(|part| scope.spawn(move || Self::read_part(path, range(part), context_of))).collect();
            started
                .into_iter()
                .map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect::<Result<Vec<_>, _>>()
        })?;
        Self::of_parts(read, path)
    }

    /// All that several threads have read. `path` has all of it in one file.
    pub(crate) fn of_parts(parts: Vec<Self>, path: &Path) -> Result<Self, ArtifactError> {
        let mut records = Self::default();
        let mut columns: BTreeMap<u32, Vec<Columns>> = BTreeMap::new();
        for part in parts {
            records.append(part, &mut columns);
        }
        for (index, columns) in columns {
            if let Some(phase) = records.phases.get_mut(&index) {
                phase.columns.merge_all(columns);
            }
        }
        for kind in [PhaseKind::Warmup, PhaseKind::Profiling] {
            let mut all = AsRecorded::default();
            records.together(kind).for_each(|phase| all.add_metrics(&phase.as_recorded));
            records.together(kind).for_each(|phase| phase.as_recorded.add_metrics(&all));
        }
        records.read_again(path)?;
        Ok(records)
    }

    /// Takes in what follows in the file. Its columns, by the index of their phase, are put aside.
    fn append(&mut self, next: Self, columns: &mut BTreeMap<u32, Vec<Columns>>) {
        self.bad.extend(next.bad.into_iter().map(|(line, why)| (self.lines + line, why)));
        self.lines += next.lines;
        self.count += next.count;
        self.torn |= next.torn;
        self.unknown_tags.extend(next.unknown_tags);
        for (index, mut phase) in next.phases {
            columns.entry(index).or_default().push(std::mem::take(&mut phase.columns));
            match self.phases.entry(index) {
                Entry::Vacant(new) => drop(new.insert(phase)),
                Entry::Occupied(mut known) => known.get_mut().append(phase),
            }
        }
    }

    /// The records whose lines begin in this part of the file.
    fn read_part(path: &Path, part: Range<u64>, context_of: &ContextOf<'_>) -> Result<Self, ArtifactError> {
        let mut records = Self::default();
        let (mut reader, mut refused) = (LineReader::default(), None);
        let length = part.end - part.start;
        records.lines = each_line_in(path, part, |number, line, whole| {
            match reader.read(line) {
                Ok(record) => {
                    refused = records.add(&record, context_of).err();
                    records.note_length(line.len(), length);
                }
                Err(_) if !whole => records.torn = true,
                Err(error) => records.bad.push((number, error.to_string())),
            }
            refused.is_none()
        })?;
        refused.map_or(Ok(records), Err)
    }

    /// All phases that are summarised together: the warmups, or the profiling phases that count.
    fn together(&mut self, kind: PhaseKind) -> impl Iterator<Item = &mut PhaseRecords> {
        self.phases.values_mut().filter(move |phase| phase.is_of(kind))
    }

    /// Takes the phases that are summarised together, as one; `None` if there are none.
    pub(crate) fn take_joined(&mut self, kind: PhaseKind) -> Option<PhaseRecords> {
        let indices: Vec<u32> = self.together(kind).map(|phase| phase.index).collect();
        let all = indices.iter().filter_map(|index| self.phases.remove(index));
        all.reduce(PhaseRecords::join)
    }

    pub(crate) fn add(&mut self, line: &RecordLine, context_of: &ContextOf<'_>) -> Result<(), ArtifactError> {
        let metadata = &line.metadata;
        let is_warmup = |text: &Option<String>| text.as_deref() == Some("warmup");
        let in_results = !is_warmup(&metadata.benchmark_phase);
        // A profiling phase that is left out of the results is marked as a warmup is, but says what it is.
        let of_kind = if metadata.phase_kind.is_some() { &metadata.phase_kind } else { &metadata.benchmark_phase };
        let kind = if is_warmup(of_kind) { PhaseKind::Warmup } else { PhaseKind::Profiling };
        let phase = match self.phases.entry(metadata.phase_index) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(PhaseRecords {
                fields: RecordFields::of(context_of(kind, metadata.phase_name.as_deref().unwrap_or(kind.name()))?),
                name: metadata.phase_name.clone().unwrap_or_else(|| kind.name().to_owned()),
                kind,
                in_results,
                index: metadata.phase_index,
                profiling_index: metadata.profiling_index,
                columns: Columns::new(),
                as_recorded: AsRecorded::default(),
                first_credit: u64::MAX,
                last_end: 0,
                count: 0,
            }),
        };
        let seen = observe(line);
        let values = RecordValues::compute(&seen);
        phase.as_recorded.compare(&line.metrics, &values, &phase.fields);
        phase.columns.push(&seen, &values);
        phase.first_credit = phase.first_credit.min(metadata.credit_issued_ns.unwrap_or(metadata.request_start_ns));
        phase.last_end = phase.last_end.max(metadata.request_end_ns);
        phase.count += 1;
        for tag in &line.metrics.unknown {
            if !self.unknown_tags.contains(tag) {
                self.unknown_tags.insert(tag.clone());
            }
        }
        self.count += 1;
        Ok(())
    }

    /// Called for each record with the length of its line and that of all lines.
    pub(crate) fn note_length(&mut self, line: usize, all: u64) {
        self.bytes += line as u64 + 1;
        if self.count == ENOUGH_TO_GUESS {
            let times = all as f64 / self.bytes as f64 * MARGIN;
            self.phases.values_mut().for_each(|phase| phase.columns.expect_times(times));
        }
    }

    /// Values that must be taken as they are written are collected only when it is known whose.
    fn read_again(&mut self, path: &Path) -> Result<(), ArtifactError> {
        if self.phases.values().all(|phase| phase.as_recorded.is_empty()) {
            return Ok(());
        }
        let mut reader = LineReader::default();
        each_line(path, |_, line, _| {
            if let Ok(record) = reader.read(line)
                && let Some(phase) = self.phases.get_mut(&record.metadata.phase_index)
            {
                phase.as_recorded.collect(record.metadata.request_end_ns, &record.metrics);
            }
            true
        })
    }
}
