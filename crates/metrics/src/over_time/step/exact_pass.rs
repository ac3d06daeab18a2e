//! The second look at a curve: only what lies in the bins of its percentiles is kept, and how far all of it lies from the mean.

use super::histogram_pass::{HistogramPass, PercentileBin, bin};
use super::{CompensatedSum, SHOWN, WhichTime};
use crate::{Percentile, Stats};

#[derive(Debug, Clone)]
pub(crate) struct ExactPass {
    histogram: HistogramPass,
    idle: u64,
    parts: [PassStatistics; 2],
    /// Values in the bins that matter, and for how many nanoseconds each held.
    kept: Vec<(f64, u64)>,
}

/// All time, or active time alone.
#[derive(Debug, Clone)]
struct PassStatistics {
    which: WhichTime,
    mean: f64,
    percentile_bins: Vec<PercentileBin>,
    squares: CompensatedSum,
}

impl ExactPass {
    pub(super) fn of(histogram: HistogramPass, idle: u64) -> Self {
        let parts = [WhichTime::All, WhichTime::Active].map(|which| PassStatistics {
            which,
            mean: histogram.mean(which, idle),
            percentile_bins: histogram.percentile_bins(which, idle),
            squares: CompensatedSum::default(),
        });
        Self { histogram, idle, parts, kept: Vec::new() }
    }

    pub(super) fn hold(&mut self, value: f64, nanos: u64, active: bool) {
        for part in self.parts.iter_mut().filter(|part| active || part.which == WhichTime::All) {
            part.squares.add((value - part.mean).powi(2) * nanos as f64);
        }
        let key = bin(value);
        // The bin of 0 has nothing else in it.
        if value.to_bits() == 0
            || !self.parts.iter().any(|part| part.percentile_bins.iter().any(|place| place.bin == key))
        {
            return;
        }
        match self.kept.last_mut() {
            Some((last, held)) if last.to_bits() == value.to_bits() => *held += nanos,
            _ => self.kept.push((value, nanos)),
        }
    }

    pub(super) fn statistics(mut self) -> (Stats, Stats) {
        self.kept.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let [all, active] = &self.parts;
        (self.of_part(all), self.of_part(active))
    }

    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        self.kept.len()
    }

    fn of_part(&self, part: &PassStatistics) -> Stats {
        let time = self.histogram.time(part.which, self.idle).max(1) as f64;
        let mut percentiles = [None; Percentile::COUNT];
        for (percentile, place) in SHOWN.iter().zip(&part.percentile_bins) {
            percentiles[*percentile as usize] = Some(self.value_at(*place));
        }
        Stats {
            avg: Some(part.mean),
            percentiles,
            min: Some(self.histogram.min(part.which, self.idle)),
            max: Some(self.histogram.max()),
            std: Some((part.squares.value() / time).sqrt()),
            count: None,
            sum: None,
        }
    }

    fn value_at(&self, place: PercentileBin) -> f64 {
        if place.bin == bin(0.0) {
            return 0.0;
        }
        let first = self.kept.partition_point(|(value, _)| bin(*value) < place.bin);
        let mut reached = place.below;
        let mut found = 0.0;
        for (value, held) in self.kept[first..].iter().take_while(|(value, _)| bin(*value) == place.bin) {
            reached += held;
            found = *value;
            if reached as f64 >= place.wanted {
                break;
            }
        }
        found
    }
}
