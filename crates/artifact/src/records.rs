//! The records file, read into columns.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use aiperf_metrics::{Columns, Metric, MetricContext, RecordValues};
use aiperf_protocol::PhaseKind;

use crate::ArtifactError;
use crate::line::RecordLine;
use crate::observation::observe;
use crate::recorded::{AsRecorded, RecordFields};

/// Lines that are looked at to find out what kind of run it was.
const FIRST_LINES: usize = 1_000;
const BUFFER_BYTES: usize = 1 << 18;

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
}

impl PhaseRecords {
    /// Whether it belongs to the warmups, or to the profiling phases that count.
    pub(crate) fn is_of(&self, kind: PhaseKind) -> bool {
        self.kind == kind && (kind == PhaseKind::Warmup || self.in_results)
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

/// What can be seen in the first lines of the file.
pub(crate) fn peek(path: &Path) -> Result<HashSet<Metric>, ArtifactError> {
    let mut seen = HashSet::new();
    let mut lines = 0;
    each_line(path, |_, line, _| {
        if let Ok(record) = serde_json::from_slice::<RecordLine>(line) {
            seen.extend(record.metrics.known.iter().map(|(metric, _)| *metric));
        }
        lines += 1;
        lines < FIRST_LINES
    })?;
    Ok(seen)
}

impl Records {
    /// `context_of`: what a phase of a kind with this name has. `visit` sees every line that can be read, with its number.
    pub(crate) fn read(
        path: &Path,
        context_of: &dyn Fn(PhaseKind, &str) -> Result<MetricContext, ArtifactError>,
        visit: &mut dyn FnMut(usize, &RecordLine),
    ) -> Result<Self, ArtifactError> {
        let mut records = Self::default();
        let mut refused = None;
        each_line(path, |number, line, whole| {
            match serde_json::from_slice::<RecordLine>(line) {
                Ok(record) => {
                    visit(number, &record);
                    refused = records.add(&record, context_of).err();
                }
                Err(_) if !whole => records.torn = true,
                Err(error) => records.bad.push((number, error.to_string())),
            }
            refused.is_none()
        })?;
        if let Some(error) = refused {
            return Err(error);
        }
        for kind in [PhaseKind::Warmup, PhaseKind::Profiling] {
            let mut all = AsRecorded::default();
            records.together(kind).for_each(|phase| all.add_metrics(&phase.as_recorded));
            records.together(kind).for_each(|phase| phase.as_recorded.add_metrics(&all));
        }
        records.read_again(path)?;
        Ok(records)
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

    fn add(
        &mut self,
        line: &RecordLine,
        context_of: &dyn Fn(PhaseKind, &str) -> Result<MetricContext, ArtifactError>,
    ) -> Result<(), ArtifactError> {
        let metadata = &line.metadata;
        let is_warmup = |text: &Option<String>| text.as_deref() == Some("warmup");
        let in_results = !is_warmup(&metadata.benchmark_phase);
        // A profiling phase that is left out of the results is marked as a warmup is, but says what it is.
        let of_kind = if metadata.phase_kind.is_some() { &metadata.phase_kind } else { &metadata.benchmark_phase };
        let kind = if is_warmup(of_kind) { PhaseKind::Warmup } else { PhaseKind::Profiling };
        let phase = match self.phases.entry(metadata.phase_index) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(new) => new.insert(PhaseRecords {
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

    /// Values that must be taken as they are written are collected only when it is known whose.
    fn read_again(&mut self, path: &Path) -> Result<(), ArtifactError> {
        if self.phases.values().all(|phase| phase.as_recorded.is_empty()) {
            return Ok(());
        }
        each_line(path, |_, line, _| {
            if let Ok(record) = serde_json::from_slice::<RecordLine>(line)
                && let Some(phase) = self.phases.get_mut(&record.metadata.phase_index)
            {
                phase.as_recorded.collect(&record.metrics);
            }
            true
        })
    }
}

/// Calls `visit` with the number of each line that is not blank, the line, and whether it has an end; until it says no.
pub(crate) fn each_line(path: &Path, mut visit: impl FnMut(usize, &[u8], bool) -> bool) -> Result<(), ArtifactError> {
    let file = File::open(path).map_err(ArtifactError::read(path))?;
    let mut reader = BufReader::with_capacity(BUFFER_BYTES, file);
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line).map_err(ArtifactError::read(path))? == 0 {
            return Ok(());
        }
        number += 1;
        let whole = line.last() == Some(&b'\n');
        let text = line.trim_ascii();
        if !text.is_empty() && !visit(number, text, whole) {
            return Ok(());
        }
    }
}
