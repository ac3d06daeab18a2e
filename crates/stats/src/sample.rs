//! One pass over the values of a metric, in the order of time, for its mean and all its percentiles.

use crate::batches::batch_size;
use crate::long_run::{Criterion, LongRun};
use crate::mean::{Moments, of_batches};
use crate::quantile::between_ranks;
use crate::{Estimate, Level};

/// Values beyond a percentile that a batch has on average, below which most batches have none.
const SPARSE: f64 = 0.1;

/// What intervals need of a series: some hundreds of batches, whatever its length.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The percentiles, from low to high.
    thresholds: Vec<f64>,
    size: usize,
    count: usize,
    /// The first value. Sums are of what differs from it, so that large values with small differences lose nothing.
    origin: f64,
    total: f64,
    squares: f64,
    /// Of the batch that is being filled.
    sum: f64,
    filled: usize,
    /// How many values of that batch lie at or below each threshold and above the one before; those above all come last.
    classes: Vec<u32>,
    batch_means: Vec<f64>,
    /// For each batch, the share of values at or below each threshold.
    shares: Vec<Vec<f64>>,
    at_most: Vec<u64>,
}

impl Sample {
    /// For `count` values. `thresholds`: the percentiles that are asked about, from low to high.
    pub fn new(count: usize, thresholds: &[f64]) -> Self {
        Self {
            thresholds: thresholds.to_vec(),
            size: batch_size(count),
            count: 0,
            origin: 0.0,
            total: 0.0,
            squares: 0.0,
            sum: 0.0,
            filled: 0,
            classes: vec![0; thresholds.len() + 1],
            batch_means: Vec::new(),
            shares: vec![Vec::new(); thresholds.len()],
            at_most: vec![0; thresholds.len()],
        }
    }

    pub fn of(series: &[f64], thresholds: &[f64]) -> Self {
        let mut sample = Self::new(series.len(), thresholds);
        for value in series {
            sample.push(*value);
        }
        sample
    }

    /// The next value in the order of time.
    pub fn push(&mut self, value: f64) {
        if self.count == 0 {
            self.origin = value;
        }
        self.count += 1;
        self.filled += 1;
        let off = value - self.origin;
        self.sum += off;
        self.squares += off * off;
        // Counted rather than searched for: a dozen comparisons without a branch are faster.
        let class: usize = self.thresholds.iter().map(|threshold| usize::from(*threshold < value)).sum();
        self.classes[class] += 1;
        if self.filled == self.size {
            self.close_batch();
        }
    }

    fn close_batch(&mut self) {
        let size = self.size as f64;
        self.batch_means.push(self.origin + self.sum / size);
        self.total += self.sum;
        (self.sum, self.filled) = (0.0, 0);
        let mut at_most = 0;
        for (index, shares) in self.shares.iter_mut().enumerate() {
            at_most += self.classes[index];
            shares.push(f64::from(at_most) / size);
            self.at_most[index] += u64::from(at_most);
        }
        self.classes.fill(0);
    }

    /// `None` when there are no values.
    pub fn mean(&self, level: Level) -> Option<Estimate> {
        let count = self.count as f64;
        let off = (self.total + self.sum) / count;
        let moments = Moments {
            count: self.count,
            mean: self.origin + off,
            variance: (self.squares - count * off * off).max(0.0) / (count - 1.0).max(1.0),
            covered: (self.batch_means.len() * self.size) as f64 / count,
        };
        (self.count > 0).then(|| of_batches(&moments, &self.batch_means, Criterion::Akaike, level))
    }

    /// The percentile at `q`, which is the threshold of this index. `sorted`: the same values by size.
    pub fn quantile(&self, sorted: &[f64], index: usize, q: f64, level: Level) -> Option<Estimate> {
        let shares = self.shares.get(index)?;
        let covered = (shares.len() * self.size) as f64;
        let share = if covered > 0.0 { self.at_most[index] as f64 / covered } else { q };
        let rare_in_batch = q.min(1.0 - q) * self.size as f64;
        let criterion = if rare_in_batch < SPARSE { Criterion::Schwarz } else { Criterion::Akaike };
        between_ranks(sorted, q, level, share, LongRun::by(shares, criterion).map(|run| (run, shares.len())))
    }
}
