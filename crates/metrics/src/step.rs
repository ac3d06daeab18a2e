//! A quantity that holds a value for a while, then another: statistics weighted by how long each value held.

use crate::statistics::{Percentile, Stats, compensated_sum};

#[derive(Debug, Clone, Default)]
pub(crate) struct StepCurve {
    /// Value and for how many nanoseconds it held.
    segments: Vec<(f64, u64)>,
    /// Time in which nothing could add to the curve; its value was 0 then.
    idle: u64,
    /// Merging equal values was tried and did not help: this curve has too many different ones.
    varied: bool,
}

/// So many segments are let be before equal values are merged.
const MERGE_AT: usize = 1 << 18;

impl StepCurve {
    pub(crate) fn hold(&mut self, value: f64, nanos: u64, active: bool) {
        if nanos == 0 {
            return;
        }
        if !active {
            self.idle += nanos;
        }
        match self.segments.last_mut() {
            Some((last, held)) if last.to_bits() == value.to_bits() => *held += nanos,
            _ => self.segments.push((value, nanos)),
        }
        if self.segments.len() >= MERGE_AT && !self.varied {
            self.merge_equal();
            self.varied = self.segments.len() > MERGE_AT / 2;
        }
    }

    /// A concurrency of a thousand has a thousand values, however long the run. Order is lost, which no statistic needs.
    fn merge_equal(&mut self) {
        self.sort();
        self.segments.dedup_by(|later, kept| {
            let same = later.0.to_bits() == kept.0.to_bits();
            kept.1 += if same { later.1 } else { 0 };
            same
        });
    }

    fn sort(&mut self) {
        self.segments.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    }

    /// Statistics over all time, and over the time in which something was active.
    pub(crate) fn statistics(mut self) -> (Stats, Stats) {
        self.sort();
        let all = weighted(&self.segments);
        let mut idle = self.idle;
        for (_, held) in self.segments.iter_mut().take_while(|(value, _)| *value <= 0.0) {
            let cut = idle.min(*held);
            *held -= cut;
            idle -= cut;
        }
        self.segments.retain(|(_, held)| *held > 0);
        (all, weighted(&self.segments))
    }
}

const SHOWN: [Percentile; 4] = [Percentile::P50, Percentile::P90, Percentile::P95, Percentile::P99];

/// Of segments sorted by value. A percentile is the smallest value that, with all smaller ones, held for that share.
fn weighted(sorted: &[(f64, u64)]) -> Stats {
    let total: u64 = sorted.iter().map(|(_, held)| held).sum();
    let time = total.max(1) as f64;
    let avg = compensated_sum(sorted.iter().map(|(value, held)| value * *held as f64)) / time;
    let variance = compensated_sum(sorted.iter().map(|(value, held)| (value - avg).powi(2) * *held as f64)) / time;
    let mut percentiles = [None; Percentile::COUNT];
    let mut reached = 0;
    let mut next = SHOWN.iter().peekable();
    for (value, held) in sorted {
        reached += held;
        while let Some(percentile) = next.next_if(|p| reached as f64 >= p.percent() / 100.0 * time) {
            percentiles[*percentile as usize] = Some(*value);
        }
    }
    let last = sorted.last().map_or(0.0, |(value, _)| *value);
    for percentile in next {
        percentiles[*percentile as usize] = Some(last);
    }
    Stats {
        avg: Some(avg),
        percentiles,
        min: Some(sorted.first().map_or(0.0, |(value, _)| *value)),
        max: Some(last),
        std: Some(variance.sqrt()),
        count: None,
        sum: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_weigh_as_long_as_they_held() {
        let mut curve = StepCurve::default();
        curve.hold(0.0, 25, false);
        curve.hold(4.0, 50, true);
        curve.hold(0.0, 25, true);
        let (all, active) = curve.statistics();
        assert_eq!((all.avg, all.min, all.max), (Some(2.0), Some(0.0), Some(4.0)));
        assert_eq!(all.percentile(Percentile::P50), Some(0.0));
        assert!((active.avg.unwrap() - 8.0 / 3.0).abs() < 1e-12);
        assert_eq!(active.percentile(Percentile::P50), Some(4.0));
        assert_eq!(all.percentile(Percentile::P25), None);
    }

    #[test]
    fn a_long_curve_of_few_values_stays_small() {
        let mut curve = StepCurve::default();
        for step in 0..2_000_000_u32 {
            curve.hold(f64::from(step % 10), 1, true);
        }
        assert!(curve.segments.capacity() < 4 * MERGE_AT);
        let (all, _) = curve.statistics();
        assert_eq!((all.avg, all.max, all.percentile(Percentile::P50)), (Some(4.5), Some(9.0), Some(4.0)));
    }

    #[test]
    fn a_curve_that_was_never_active_is_all_zero() {
        let mut curve = StepCurve::default();
        curve.hold(0.0, 10, false);
        let (_, active) = curve.statistics();
        assert_eq!((active.avg, active.max, active.percentile(Percentile::P99)), (Some(0.0), Some(0.0), Some(0.0)));
    }
}
