//! The second look at a curve: only what lies in the bins of its percentiles is kept, and how far all of it lies from the mean.

use super::histogram_pass::{Outline, Place, bin};
use super::{Running, SHOWN, WhichTime};
use crate::{Percentile, Stats};

#[derive(Debug, Clone)]
pub(crate) struct CloseUp {
    outline: Outline,
    idle: u64,
    sides: [Side; 2],
    /// Values in the bins that matter, and for how many nanoseconds each held.
    kept: Vec<(f64, u64)>,
}

/// All time, or active time alone.
#[derive(Debug, Clone)]
struct Side {
    which: WhichTime,
    mean: f64,
    places: Vec<Place>,
    squares: Running,
}

impl CloseUp {
    pub(super) fn of(outline: Outline, idle: u64) -> Self {
        let sides = [WhichTime::All, WhichTime::Active].map(|which| Side {
            which,
            mean: outline.mean(which, idle),
            places: outline.places(which, idle),
            squares: Running::default(),
        });
        Self { outline, idle, sides, kept: Vec::new() }
    }

    pub(super) fn hold(&mut self, value: f64, nanos: u64, active: bool) {
        for side in self.sides.iter_mut().filter(|side| active || side.which == WhichTime::All) {
            side.squares.add((value - side.mean).powi(2) * nanos as f64);
        }
        let key = bin(value);
        // The bin of 0 has nothing else in it.
        if value.to_bits() == 0 || !self.sides.iter().any(|side| side.places.iter().any(|place| place.bin == key)) {
            return;
        }
        match self.kept.last_mut() {
            Some((last, held)) if last.to_bits() == value.to_bits() => *held += nanos,
            _ => self.kept.push((value, nanos)),
        }
    }

    pub(super) fn statistics(mut self) -> (Stats, Stats) {
        self.kept.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let [all, active] = &self.sides;
        (self.of_side(all), self.of_side(active))
    }

    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        self.kept.len()
    }

    fn of_side(&self, side: &Side) -> Stats {
        let time = self.outline.time(side.which, self.idle).max(1) as f64;
        let mut percentiles = [None; Percentile::COUNT];
        for (percentile, place) in SHOWN.iter().zip(&side.places) {
            percentiles[*percentile as usize] = Some(self.value_at(*place));
        }
        Stats {
            avg: Some(side.mean),
            percentiles,
            min: Some(self.outline.min(side.which, self.idle)),
            max: Some(self.outline.max()),
            std: Some((side.squares.sum() / time).sqrt()),
            count: None,
            sum: None,
        }
    }

    fn value_at(&self, place: Place) -> f64 {
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
