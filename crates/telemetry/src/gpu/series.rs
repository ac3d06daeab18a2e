//! The readings of a run, by GPU and field, in the order of time.

use std::sync::Arc;

use aiperf_clock::Mono;

use crate::gpu::field::{FieldId, FieldTable};
use crate::gpu::reading::{GpuIdentity, GpuReading};

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
}

impl GpuSeries {
    pub fn new(gpu: Arc<GpuIdentity>, fields: &FieldTable) -> Self {
        Self { gpu, times: Vec::new(), columns: vec![Vec::new(); fields.len()] }
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
}

/// All readings of one source.
#[derive(Debug, Clone, Default)]
pub struct SourceSeries {
    pub gpus: Vec<GpuSeries>,
}

impl SourceSeries {
    pub fn push(&mut self, reading: &GpuReading, fields: &FieldTable) {
        let known = self.gpus.iter_mut().find(|series| series.gpu == reading.gpu);
        if let Some(series) = known {
            series.push(reading);
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
}
