//! The figures of a finished run in little memory. The runs of a sweep have the same metrics with the same statistics, so that what they are
//! called is kept once, and the numbers of each run are set aside in a file.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use aiperf_metrics::{Interval, Percentile, Stats};

use super::figure_file::{FigureFile, StoredNumbers};
use super::figures::{Figures, MetricFigures};

/// Statistics of one metric: percentiles, and six others.
const STATISTICS: usize = Percentile::COUNT + 6;

/// All numbers of one run, bit by bit as they were measured.
#[derive(Debug)]
pub(crate) struct PackedFigures {
    layout: Arc<[MetricLayout]>,
    values: StoredNumbers,
}

/// Which numbers there are of one metric.
#[derive(Debug, PartialEq)]
struct MetricLayout {
    tag: Cow<'static, str>,
    unit: Cow<'static, str>,
    present: [bool; STATISTICS],
    intervals: Vec<&'static str>,
}

impl PackedFigures {
    /// `before`: the run before, whose names are used again if they are the same. Without a file the numbers stay in memory.
    pub(crate) fn new(figures: &Figures, before: Option<&Self>, file: Option<&FigureFile>) -> Self {
        let mut values = Vec::new();
        let mut layout = Vec::with_capacity(figures.metrics.len());
        for metric in &figures.metrics {
            let numbers = numbers(&metric.stats);
            values.extend(numbers.iter().flatten());
            values.extend(metric.intervals.iter().flat_map(|(_, interval)| [interval.low, interval.high]));
            layout.push(MetricLayout {
                tag: metric.tag.clone(),
                unit: metric.unit.clone(),
                present: numbers.map(|number| number.is_some()),
                intervals: metric.intervals.iter().map(|(name, _)| *name).collect(),
            });
        }
        let known = before.map(|before| &before.layout).filter(|known| ***known == *layout);
        Self { layout: known.map_or_else(|| layout.into(), Arc::clone), values: StoredNumbers::new(values, file) }
    }

    /// The figures as they were.
    pub(crate) fn unpack(&self) -> io::Result<Figures> {
        let mut values = self.values.get()?.into_iter();
        let mut next = || values.next().unwrap_or(f64::NAN);
        let metric = |layout: &MetricLayout| MetricFigures {
            tag: layout.tag.clone(),
            unit: layout.unit.clone(),
            stats: stats(&layout.present.map(|is_there| is_there.then(&mut next))),
            intervals: layout.intervals.iter().map(|name| (*name, Interval { low: next(), high: next() })).collect(),
        };
        Ok(Figures { metrics: self.layout.iter().map(metric).collect() })
    }
}

/// All statistics in a fixed order; the count by its bits.
fn numbers(stats: &Stats) -> [Option<f64>; STATISTICS] {
    let Stats { avg, percentiles, min, max, std, count, sum } = *stats;
    let mut numbers = [None; STATISTICS];
    numbers[..Percentile::COUNT].copy_from_slice(&percentiles);
    numbers[Percentile::COUNT..].copy_from_slice(&[avg, min, max, std, count.map(f64::from_bits), sum]);
    numbers
}

fn stats(numbers: &[Option<f64>; STATISTICS]) -> Stats {
    let mut percentiles = [None; Percentile::COUNT];
    percentiles.copy_from_slice(&numbers[..Percentile::COUNT]);
    let other = |place: usize| numbers[Percentile::COUNT + place];
    Stats {
        avg: other(0),
        percentiles,
        min: other(1),
        max: other(2),
        std: other(3),
        count: other(4).map(f64::to_bits),
        sum: other(5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(first: f64) -> Figures {
        let metric = |tag: &'static str, stats: Stats, intervals: Vec<(&'static str, Interval)>| MetricFigures {
            tag: tag.into(),
            unit: "ms".into(),
            stats,
            intervals,
        };
        let all = Stats::with_infinite(vec![first, 2.5, 0.1 + 0.2], 1).unwrap();
        let interval = Interval { low: first, high: f64::INFINITY };
        Figures {
            metrics: vec![
                metric("one", all, vec![("avg", interval), ("p99", interval)]),
                metric("two", Stats::single(first / 3.0), Vec::new()),
            ],
        }
    }

    #[test]
    fn figures_come_back_bit_by_bit_and_runs_share_their_names() {
        let first = PackedFigures::new(&figures(1.0), None, None);
        let second = PackedFigures::new(&figures(7.7), Some(&first), None);
        assert_eq!((first.unpack().unwrap(), second.unpack().unwrap()), (figures(1.0), figures(7.7)));
        assert!(Arc::ptr_eq(&first.layout, &second.layout));
        let mut other = figures(1.0);
        other.metrics.pop();
        let other_packed = PackedFigures::new(&other, Some(&second), None);
        assert!(!Arc::ptr_eq(&other_packed.layout, &second.layout));
        assert_eq!(other_packed.unpack().unwrap(), other);
    }
}
