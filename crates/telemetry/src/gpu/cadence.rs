//! How often a source really has new values, found from the times at which its values change.
//!
//! A source may be asked three times a second and still answer from a copy that it renews every 30 s, as a DCGM exporter with its
//! stock settings does.

use aiperf_clock::{Mono, Nanos};

use crate::gpu::field::{FieldId, FieldTable};
use crate::gpu::series::{FieldSeries, SourceSeries};

/// How the fields of a source get their values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewal {
    /// All fields at once: what one field tells about new values is true of all.
    WholePage,
    /// Each field by itself.
    ByField,
}

/// Readings at which something was new.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// In the order of time; the first reading is not one of them.
    pub times: Vec<Mono>,
    /// Times between two changes, of those that were seen in full: a reading in between had nothing new.
    resolved: Vec<Nanos>,
    /// Between the first and the last reading.
    pub observed: Nanos,
}

impl Changes {
    /// Of one field.
    pub fn of_field(series: FieldSeries<'_>) -> Self {
        let mut changes = Self::default();
        let mut before = f64::NAN;
        let mut readings = Vec::new();
        for (at, value) in series.points() {
            if !readings.is_empty() && value.to_bits() != before.to_bits() {
                changes.times.push(at);
            }
            readings.push(at);
            before = value;
        }
        changes.watch(&readings);
        changes
    }

    /// Notes how long and how densely the changes were watched.
    fn watch(&mut self, readings: &[Mono]) {
        self.observed = readings.first().zip(readings.last()).map_or(Nanos::ZERO, |(first, last)| last.since(*first));
        let seen = |at: Mono| readings.partition_point(|reading| *reading <= at);
        let in_full = self.times.windows(2).filter(|pair| seen(pair[1]) > seen(pair[0]) + 1);
        self.resolved = in_full.map(|pair| pair[1].since(pair[0])).collect();
    }

    /// Of any field of any GPU of a source.
    pub fn of_source(source: &SourceSeries, fields: &FieldTable) -> Self {
        let mut all = Self::default();
        for series in &source.gpus {
            for field in fields.ids() {
                all.times.extend(Self::of_field(series.field(field)).times);
            }
        }
        all.times.sort_unstable();
        all.times.dedup();
        all.watch(source.gpus.first().map_or(&[], |series| series.times()));
        all
    }

    /// The median time between two changes, of those that were seen in full if there are some; `None` if there were fewer than two
    /// changes.
    pub fn interval(&self) -> Option<Nanos> {
        let all = self.times.windows(2).map(|pair| pair[1].since(pair[0]));
        let mut gaps: Vec<Nanos> = if self.resolved.len() >= 3 { self.resolved.clone() } else { all.collect() };
        gaps.sort_unstable();
        gaps.get(gaps.len() / 2).copied()
    }

    /// What the time between two new values is at least, if no two were seen.
    pub fn interval_or_bound(&self) -> Nanos {
        self.interval().unwrap_or(self.observed)
    }
}

/// The changes that tell when a field of a GPU had a new value.
pub fn changes_of(renewal: Renewal, source: &SourceSeries, fields: &FieldTable, gpu: usize, field: FieldId) -> Changes {
    match renewal {
        Renewal::WholePage => Changes::of_source(source, fields),
        Renewal::ByField => Changes::of_field(source.gpus[gpu].field(field)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gpu::field::Platform;
    use crate::gpu::reading::{GpuIdentity, GpuReading};

    const MS: u64 = 1_000_000;

    /// Asked every 333 ms; a new power value every `every` ms, a constant temperature.
    fn source(every: u64, length: u64) -> SourceSeries {
        let gpu = Arc::new(GpuIdentity::new(Platform::Nvidia, 0, "GPU-a", "H200"));
        let mut source = SourceSeries::default();
        for at in (0..length).step_by(333) {
            let power = 300.0 + (at / every) as f64;
            let values = vec![(FieldId::POWER, power), (FieldId::TEMPERATURE, 60.0)];
            let reading = GpuReading { gpu: Arc::clone(&gpu), at: Mono::from_nanos(at * MS), values };
            source.push(&reading, &FieldTable::default());
        }
        source
    }

    #[test]
    fn the_interval_of_a_slow_source_is_found() {
        let found = Changes::of_source(&source(30_000, 130_000), &FieldTable::default());
        let seconds = found.interval().unwrap().as_secs_f64();
        assert!((seconds - 30.0).abs() < 0.4, "{seconds}");
    }

    #[test]
    fn a_source_is_never_faster_than_it_is_asked() {
        let found = Changes::of_source(&source(100, 20_000), &FieldTable::default());
        assert_eq!(found.interval(), Some(Nanos(333 * MS)));
    }

    #[test]
    fn a_source_without_news_is_as_slow_as_it_was_watched() {
        let found = Changes::of_source(&source(30_000, 10_000), &FieldTable::default());
        assert_eq!(found.interval(), None);
        assert!(found.interval_or_bound() > Nanos(9_900 * MS));
    }

    #[test]
    fn a_constant_field_follows_its_page_only_if_all_fields_are_renewed_together() {
        let source = source(1_000, 20_000);
        let fields = FieldTable::default();
        let of = |renewal| changes_of(renewal, &source, &fields, 0, FieldId::TEMPERATURE).times.len();
        assert!(of(Renewal::WholePage) > 10);
        assert_eq!(of(Renewal::ByField), 0);
    }
}
