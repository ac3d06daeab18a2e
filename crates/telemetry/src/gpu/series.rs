//! The readings of a run, by GPU and field, in the order of time.

use std::sync::Arc;

use aiperf_clock::{Mono, Nanos};

use crate::gpu::field::{FieldId, FieldTable};
use crate::gpu::reading::{GpuIdentity, GpuReading};

/// Readings of one GPU that are kept in memory: three hours at three readings a second.
const MOST_READINGS: usize = 1 << 15;
/// Readings this close to the start of a phase or to the end of the run are never dropped: energy is interpolated there.
const EDGE: Nanos = Nanos(10_000_000_000);

/// The values of one field: pairs of time and value.
#[derive(Debug, Clone, Copy)]
pub struct FieldSeries<'a> {
    times: &'a [Mono],
    values: &'a [f64],
}

impl<'a> FieldSeries<'a> {
    /// Readings at which the field had a value.
    pub fn points(self) -> impl DoubleEndedIterator<Item = (Mono, f64)> + Clone + 'a {
        self.times.iter().copied().zip(self.values.iter().copied()).filter(|(_, value)| !value.is_nan())
    }

    pub fn is_empty(self) -> bool {
        self.points().next().is_none()
    }
}

/// All readings of one GPU.
#[derive(Debug, Clone)]
pub struct GpuSeries {
    pub gpu: Arc<GpuIdentity>,
    times: Vec<Mono>,
    /// By field; NaN for no value. A field that never had a value has an empty column.
    columns: Vec<Vec<f64>>,
    /// Readings are thinned out when there are more than this.
    most: usize,
}

impl GpuSeries {
    pub fn new(gpu: Arc<GpuIdentity>, fields: &FieldTable) -> Self {
        Self { gpu, times: Vec::new(), columns: vec![Vec::new(); fields.len()], most: MOST_READINGS }
    }

    pub fn push(&mut self, reading: &GpuReading) {
        for (field, value) in &reading.values {
            if let Some(column) = self.columns.get_mut(field.index()) {
                column.resize(self.times.len(), f64::NAN);
                column.push(*value);
            }
        }
        self.times.push(reading.at);
    }

    pub fn field(&self, field: FieldId) -> FieldSeries<'_> {
        let values = self.columns.get(field.index()).map_or(&[][..], Vec::as_slice);
        FieldSeries { times: &self.times[..values.len()], values }
    }

    pub fn times(&self) -> &[Mono] {
        &self.times
    }

    /// Drops every second reading that is not near an edge and at which no new error was reported. What an energy counter gained
    /// between two edges stays exact; means and percentiles lose detail.
    fn thin(&mut self, edges: &[Mono]) {
        let last = self.times.last().copied();
        let is_near = |at: Mono, edge: &Mono| at.since(*edge) <= EDGE && edge.since(at) <= EDGE;
        let codes = &self.columns[FieldId::XID_ERRORS.index()];
        let is_new_code =
            |index: usize| match (index.checked_sub(1).and_then(|before| codes.get(before)), codes.get(index)) {
                (Some(before), Some(code)) => before.to_bits() != code.to_bits(),
                _ => false,
            };
        let mut dropped_before = true;
        let mut keeps = Vec::with_capacity(self.times.len());
        for (index, at) in self.times.iter().enumerate() {
            let must_stay = edges.iter().chain(&last).any(|edge| is_near(*at, edge)) || is_new_code(index);
            let stays = must_stay || dropped_before;
            dropped_before = !stays;
            keeps.push(stays);
        }
        retain(&mut self.times, &keeps);
        self.columns.iter_mut().for_each(|column| retain(column, &keeps));
        self.most = MOST_READINGS.max(self.times.len() + MOST_READINGS / 2);
    }
}

/// Keeps the values whose places say so.
fn retain<T>(values: &mut Vec<T>, keeps: &[bool]) {
    let mut keeps = keeps.iter();
    values.retain(|_| keeps.next().copied().unwrap_or(true));
}

/// All readings of one source.
#[derive(Debug, Clone, Default)]
pub struct SourceSeries {
    pub gpus: Vec<GpuSeries>,
    /// When phases began.
    edges: Vec<Mono>,
    /// How often readings were thinned out to stay within the memory that they may take.
    thinned: u32,
}

impl SourceSeries {
    /// A phase begins at `at`: readings around it are kept.
    pub fn phase_begins(&mut self, at: Mono) {
        self.edges.push(at);
    }

    /// Whether readings had to be thinned out.
    pub fn is_thinned(&self) -> bool {
        self.thinned > 0
    }

    pub fn push(&mut self, reading: &GpuReading, fields: &FieldTable) {
        let known = self.gpus.iter_mut().find(|series| series.gpu == reading.gpu);
        if let Some(series) = known {
            series.push(reading);
            if series.times.len() > series.most {
                series.thin(&self.edges);
                self.thinned += 1;
            }
        } else {
            let mut series = GpuSeries::new(Arc::clone(&reading.gpu), fields);
            series.push(reading);
            self.gpus.push(series);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::field::Platform;

    #[test]
    fn a_field_that_is_missing_in_between_has_no_value_there() {
        let fields = FieldTable::default();
        let gpu = Arc::new(GpuIdentity::new(Platform::Nvidia, 0, "GPU-a", "H200"));
        let mut source = SourceSeries::default();
        for (at, values) in [
            (1, vec![(FieldId::POWER, 100.0)]),
            (2, vec![(FieldId::POWER, 110.0), (FieldId::ENERGY, 1.0)]),
            (3, vec![(FieldId::ENERGY, 2.0)]),
            (4, vec![(FieldId::POWER, 130.0)]),
        ] {
            source.push(&GpuReading { gpu: Arc::clone(&gpu), at: Mono::from_nanos(at), values }, &fields);
        }
        let points = |field| -> Vec<(u64, f64)> {
            source.gpus[0].field(field).points().map(|(at, value)| (at.as_nanos(), value)).collect()
        };
        assert_eq!(points(FieldId::POWER), [(1, 100.0), (2, 110.0), (4, 130.0)]);
        assert_eq!(points(FieldId::ENERGY), [(2, 1.0), (3, 2.0)]);
        assert!(source.gpus[0].field(FieldId::TEMPERATURE).is_empty());
    }

    #[test]
    fn readings_of_days_take_bounded_memory_and_keep_energy_and_errors() {
        const SECOND: u64 = 1_000_000_000;
        let fields = FieldTable::default();
        let gpu = Arc::new(GpuIdentity::new(Platform::Nvidia, 0, "GPU-a", "H200"));
        let mut source = SourceSeries::default();
        let start = Mono::from_nanos(1_000 * SECOND);
        let seconds = 200_000_u64;
        for at in 0..seconds {
            if at == 1_000 {
                source.phase_begins(start);
            }
            // 500 W from the start of the phase on, 100 W before; one error in the middle, seen in one reading only.
            let joules = 100.0 * at.min(1_000) as f64 + 500.0 * at.saturating_sub(1_000) as f64;
            let code = if at == 70_001 { 79.0 } else { 0.0 };
            let values = vec![(FieldId::ENERGY, joules / 1e6), (FieldId::POWER, 500.0), (FieldId::XID_ERRORS, code)];
            source.push(&GpuReading { gpu: Arc::clone(&gpu), at: Mono::from_nanos(at * SECOND), values }, &fields);
        }
        let series = &source.gpus[0];
        assert!(source.is_thinned() && series.times().len() <= 2 * MOST_READINGS, "{}", series.times().len());
        assert!(series.field(FieldId::XID_ERRORS).points().any(|(_, code)| code > 0.0), "the error is still there");
        let near = series.times().iter().filter(|at| at.since(start) <= EDGE && start.since(**at) <= EDGE).count();
        assert_eq!(near, 21, "readings around the start of the phase are all there");
        let last = Mono::from_nanos((seconds - 1) * SECOND);
        assert_eq!(series.times().last(), Some(&last));
        let energy = |at: Mono| series.field(FieldId::ENERGY).points().find(|(time, _)| *time == at).unwrap().1;
        let gained = (energy(last) - energy(start)) * 1e6;
        assert!((gained - 500.0 * (seconds - 1_001) as f64).abs() < 1e-3, "{gained}");
    }
}
