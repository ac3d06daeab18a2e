//! A quantity that holds a value for a while, then another: statistics weighted by how long each value held. A curve of very many
//! different values is drawn twice, so that it need not be kept: first from afar, to see where its percentiles lie, then from near, there.

mod exact_pass;
mod histogram_pass;

use crate::summary::statistics::{CompensatedSum, Percentile, Stats, compensated_sum};

use self::exact_pass::ExactPass;
use self::histogram_pass::HistogramPass;

#[derive(Debug, Clone)]
pub(crate) struct StepCurve {
    state: CurveState,
    /// Time in which nothing could add to the curve; its value was 0 then.
    idle: u64,
    /// Number of segments above which equal values are merged.
    most: usize,
}

#[derive(Debug, Clone)]
enum CurveState {
    /// Value and for how many nanoseconds it held.
    Whole(Vec<(f64, u64)>),
    /// As above, and there is no more to come.
    Finished(Vec<(f64, u64)>),
    HistogramPass(HistogramPass),
    ExactPass(ExactPass),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WhichTime {
    All,
    /// Time in which something could add to the curve.
    Active,
}

const SHOWN: [Percentile; 4] = [Percentile::P50, Percentile::P90, Percentile::P95, Percentile::P99];

impl Default for StepCurve {
    fn default() -> Self {
        Self::keeping(1 << 18)
    }
}

impl StepCurve {
    fn keeping(most: usize) -> Self {
        Self { state: CurveState::Whole(Vec::new()), idle: 0, most }
    }

    pub(crate) fn hold(&mut self, value: f64, nanos: u64, active: bool) {
        if nanos == 0 {
            return;
        }
        match &mut self.state {
            CurveState::Whole(segments) => {
                match segments.last_mut() {
                    Some((last, held)) if last.to_bits() == value.to_bits() => *held += nanos,
                    _ => segments.push((value, nanos)),
                }
                let too_many = segments.len() >= self.most;
                self.idle += if active { 0 } else { nanos };
                if too_many {
                    self.make_room();
                }
            }
            CurveState::HistogramPass(histogram) => {
                histogram.hold(value, nanos);
                self.idle += if active { 0 } else { nanos };
            }
            CurveState::ExactPass(exact) => exact.hold(value, nanos, active),
            CurveState::Finished(_) => {}
        }
    }

    /// A concurrency of a thousand has a thousand values, however long the run. Order is lost, which no statistic needs. Where
    /// that is not enough, an histogram must do.
    fn make_room(&mut self) {
        let CurveState::Whole(segments) = &mut self.state else { return };
        sort(segments);
        segments.dedup_by(|later, kept| {
            let same = later.0.to_bits() == kept.0.to_bits();
            kept.1 += if same { later.1 } else { 0 };
            same
        });
        if segments.len() > self.most / 2 {
            let mut histogram = HistogramPass::new();
            for (value, nanos) in segments.iter() {
                histogram.hold(*value, *nanos);
            }
            self.state = CurveState::HistogramPass(histogram);
        }
    }

    /// Whether it must be drawn again, all of it, before it has statistics.
    pub(crate) fn needs_second_pass(&self) -> bool {
        matches!(self.state, CurveState::HistogramPass(_))
    }

    /// Ready to be drawn again. What is whole already stays as it is.
    pub(crate) fn second_pass(self) -> Self {
        let state = match self.state {
            CurveState::Whole(segments) => CurveState::Finished(segments),
            CurveState::HistogramPass(histogram) => CurveState::ExactPass(ExactPass::of(histogram, self.idle)),
            other => other,
        };
        Self { state, ..self }
    }

    /// Statistics over all time, and over the time in which something was active.
    pub(crate) fn statistics(self) -> (Stats, Stats) {
        match self.state {
            CurveState::Whole(segments) | CurveState::Finished(segments) => of_whole(segments, self.idle),
            CurveState::HistogramPass(histogram) => ExactPass::of(histogram, self.idle).statistics(),
            CurveState::ExactPass(exact) => exact.statistics(),
        }
    }
}

fn sort(segments: &mut [(f64, u64)]) {
    segments.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
}

fn of_whole(mut segments: Vec<(f64, u64)>, mut idle: u64) -> (Stats, Stats) {
    sort(&mut segments);
    let all = weighted(&segments);
    for (_, held) in segments.iter_mut().take_while(|(value, _)| *value <= 0.0) {
        let cut = idle.min(*held);
        *held -= cut;
        idle -= cut;
    }
    segments.retain(|(_, held)| *held > 0);
    (all, weighted(&segments))
}

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
    use proptest::prelude::*;

    use super::*;

    /// The same curve, drawn whole and drawn twice.
    fn both_ways(steps: &[(f64, u64, bool)]) -> [(Stats, Stats); 2] {
        let draw =
            |curve: &mut StepCurve| steps.iter().for_each(|(value, nanos, active)| curve.hold(*value, *nanos, *active));
        let (mut whole, mut twice) = (StepCurve::default(), StepCurve::keeping(8));
        draw(&mut whole);
        draw(&mut twice);
        let mut twice = twice.second_pass();
        draw(&mut twice);
        [whole.statistics(), twice.statistics()]
    }

    fn assert_alike(one: &Stats, other: &Stats) {
        assert_eq!(one.percentiles, other.percentiles);
        assert_eq!((one.min, one.max), (other.min, other.max));
        for (one, other) in [(one.avg, other.avg), (one.std, other.std)] {
            let (one, other) = (one.unwrap(), other.unwrap());
            assert!((one - other).abs() <= 1e-9 * one.abs().max(1e-3), "{one} and {other}");
        }
    }

    #[test]
    fn a_curve_of_many_values_is_not_kept() {
        let mut curve = StepCurve::default();
        (0..1_000_000_u32).for_each(|step| curve.hold(f64::from(step).sqrt(), 1, true));
        assert!(curve.needs_second_pass());
        let mut curve = curve.second_pass();
        (0..1_000_000_u32).for_each(|step| curve.hold(f64::from(step).sqrt(), 1, true));
        assert!(matches!(&curve.state, CurveState::ExactPass(exact) if exact.kept() < 120_000));
        let (all, _) = curve.statistics();
        assert_eq!(all.percentile(Percentile::P50), Some(f64::from(499_999_u32).sqrt()));
        assert_eq!(all.percentile(Percentile::P99), Some(f64::from(989_999_u32).sqrt()));
    }

    proptest! {
        #[test]
        fn a_curve_drawn_twice_says_what_the_whole_curve_says(
            steps in prop::collection::vec((0_u32..2_000, 0.0..1e6_f64, 1_u64..1_000_000), 1..300),
        ) {
            // Every fifth value is 0, and of these every other time nothing could add to the curve.
            let steps: Vec<_> = steps
                .into_iter()
                .map(|(kind, value, nanos)| match kind % 10 {
                    0 => (0.0, nanos, false),
                    5 => (0.0, nanos, true),
                    _ => (value, nanos, true),
                })
                .collect();
            let [(all, active), (all_twice, active_twice)] = both_ways(&steps);
            assert_alike(&all, &all_twice);
            assert_alike(&active, &active_twice);
        }
    }

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
        assert!(matches!(&curve.state, CurveState::Whole(segments) if segments.capacity() < 1 << 20));
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
