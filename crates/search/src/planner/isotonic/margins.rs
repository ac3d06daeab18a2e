//! How far each value was from each limit, and the monotone curves through these margins.

use aiperf_config::SlaFilter;
use aiperf_seed::Seed;

use crate::Outcome;
use crate::model::isotonic_regression;
use crate::model::pchip::Pchip;
use crate::outcome::margin;

/// Resamples of a bootstrap interval.
const RESAMPLES: usize = 10_000;
/// Points that a curve needs.
const LEAST_POINTS: usize = 4;
/// Different fitted levels that a curve needs.
const LEAST_LEVELS: usize = 3;
/// Rises of this size keep equal levels apart.
const TIE_BREAK: f64 = 1e-9;
/// Residual, in deviations of the last margins, that makes a cliff.
const CLIFF: f64 = 3.0;

/// All margins that were measured, by value.
#[derive(Debug)]
pub(super) struct Margins {
    filters: Vec<SlaFilter>,
    seed: u64,
    /// In rising order of values.
    values: Vec<MeasuredValue>,
    /// The values in the order in which they were measured.
    order: Vec<f64>,
}

#[derive(Debug)]
struct MeasuredValue {
    value: f64,
    /// For each trial, the margin of each limit. A trial without numbers breaks all limits.
    trials: Vec<Vec<f64>>,
}

/// What the measurements inside a bracket say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Curve {
    TooFew,
    NoRoot,
    /// The last measurement is far from the curve.
    Cliff,
    /// Where the first limit is crossed.
    Root(f64),
}

impl Margins {
    pub(super) const fn new(filters: Vec<SlaFilter>, seed: u64) -> Self {
        Self { filters, seed, values: Vec::new(), order: Vec::new() }
    }

    pub(super) fn add(&mut self, value: f64, outcome: &Outcome) {
        let one = |(filter, observed): (&SlaFilter, &Option<f64>)| {
            // No number at all counts as a violation by the whole threshold.
            observed.map_or(filter.threshold.abs().max(1.0), |observed| margin(filter, observed))
        };
        let trial: Vec<f64> = self.filters.iter().zip(&outcome.observed).map(one).collect();
        let place = self.values.partition_point(|known| known.value < value);
        match self.values.get_mut(place).filter(|known| known.value.total_cmp(&value).is_eq()) {
            Some(known) => known.trials.push(trial),
            None => self.values.insert(place, MeasuredValue { value, trials: vec![trial] }),
        }
        self.order.push(value);
    }

    fn at(&self, value: f64) -> Option<&MeasuredValue> {
        self.values.iter().find(|known| known.value.total_cmp(&value).is_eq())
    }

    pub(super) fn count(&self, value: f64) -> usize {
        self.at(value).map_or(0, |known| known.trials.len())
    }

    /// Whether all limits are kept on average; `None` if the value was not tried.
    pub(super) fn mean_passes(&self, value: f64) -> Option<bool> {
        let known = self.at(value)?;
        Some((0..self.filters.len()).all(|filter| self.keeps(filter, known.mean(filter))))
    }

    /// A margin of zero keeps `<=` and `>=`, and breaks `<` and `>`.
    fn keeps(&self, filter: usize, margin: f64) -> bool {
        let filter = &self.filters[filter];
        margin < 0.0 || (margin == 0.0 && filter.passes(Some(filter.threshold)))
    }

    /// The highest value inside a bracket that keeps all limits on average, with all values below it.
    pub(super) fn highest_pass(&self, passed: f64, failed: f64) -> Option<f64> {
        let inside = self.values.iter().filter(|known| known.value >= passed && known.value < failed);
        inside.take_while(|known| self.mean_passes(known.value) == Some(true)).last().map(|known| known.value)
    }

    /// The deviation of the trials of a value, as a share of the threshold, for the limit where it is largest.
    pub(super) fn relative_deviation(&self, value: f64) -> f64 {
        let Some(known) = self.at(value).filter(|known| known.trials.len() > 1) else { return 0.0 };
        let share = |(index, filter): (usize, &SlaFilter)| {
            known.deviation(index) / filter.threshold.abs().max(f64::MIN_POSITIVE)
        };
        self.filters.iter().enumerate().map(share).fold(0.0, f64::max)
    }

    /// Whether the limits are surely kept or surely broken at a value; `None` if the interval of a margin has zero in it.
    pub(super) fn verdict(&self, value: f64) -> Option<bool> {
        let known = self.at(value)?;
        let intervals: Vec<(f64, f64)> = (0..self.filters.len()).map(|filter| self.interval(known, filter)).collect();
        if intervals.iter().any(|(low, _)| *low > 0.0) {
            return Some(false);
        }
        intervals.iter().all(|(_, high)| *high < 0.0).then_some(true)
    }

    /// The 95 % bootstrap interval of the mean margin of one limit.
    fn interval(&self, known: &MeasuredValue, filter: usize) -> (f64, f64) {
        let count = known.trials.len();
        let mut stream = Seed::fixed(self.seed).stream(&format!("search.bootstrap.{}.{filter}.{count}", known.value));
        let mut means: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                let sum: f64 = (0..count).map(|_| known.trials[stream.below(count as u64) as usize][filter]).sum();
                sum / count as f64
            })
            .collect();
        means.sort_by(f64::total_cmp);
        let at = |share: f64| aiperf_stats::linear(&means, share).unwrap_or(f64::NAN);
        (at(0.025), at(0.975))
    }

    /// The limit that is broken most at a value: by its margin in deviations of its trials, if there are several.
    pub(super) fn binding(&self, value: f64) -> Option<usize> {
        let known = self.at(value)?;
        let weight = |filter: usize| {
            let least = 0.01 * self.filters[filter].threshold.abs();
            let scale = if known.trials.len() > 1 { known.deviation(filter).max(least) } else { 1.0 };
            known.mean(filter) / scale.max(f64::MIN_POSITIVE)
        };
        (0..self.filters.len()).max_by(|a, b| weight(*a).total_cmp(&weight(*b)))
    }

    /// The curve through the margins between two values.
    pub(super) fn curve(&self, passed: f64, failed: f64) -> Curve {
        let inside: Vec<&MeasuredValue> =
            self.values.iter().filter(|known| known.value >= passed && known.value <= failed).collect();
        if inside.len() < LEAST_POINTS {
            return Curve::TooFew;
        }
        let places: Vec<f64> = inside.iter().map(|known| known.value).collect();
        let weights: Vec<f64> = inside.iter().map(|known| known.trials.len() as f64).collect();
        let mut first: Option<f64> = None;
        let mut has_enough_levels = false;
        for filter in 0..self.filters.len() {
            let means: Vec<f64> = inside.iter().map(|known| known.mean(filter)).collect();
            let fitted = isotonic_regression::fit(&means, &weights);
            has_enough_levels |= isotonic_regression::levels(&fitted) >= LEAST_LEVELS;
            if self.is_cliff(&inside, &means, &fitted) {
                return Curve::Cliff;
            }
            let ramp: Vec<f64> =
                fitted.iter().enumerate().map(|(index, level)| level + TIE_BREAK * index as f64).collect();
            let root = Pchip::new(&places, &ramp).and_then(|curve| curve.root(passed, failed));
            if let Some(root) = root {
                first = Some(first.map_or(root, |first| first.min(root)));
            }
        }
        match first {
            _ if !has_enough_levels => Curve::TooFew,
            None => Curve::NoRoot,
            Some(root) => Curve::Root(root),
        }
    }

    /// Whether the value that was measured last is further from the curve than the last margins differ.
    fn is_cliff(&self, inside: &[&MeasuredValue], means: &[f64], fitted: &[f64]) -> bool {
        let mut recent: Vec<usize> = Vec::new();
        for value in self.order.iter().rev() {
            let place = inside.iter().position(|known| known.value.total_cmp(value).is_eq());
            recent.extend(place.filter(|place| !recent.contains(place)));
        }
        let [last, second, third, ..] = recent[..] else { return false };
        let residual = (means[last] - fitted[last]).abs();
        let deviation = deviation(&[means[last], means[second], means[third]]);
        deviation > 0.0 && residual > CLIFF * deviation
    }
}

impl MeasuredValue {
    fn mean(&self, filter: usize) -> f64 {
        self.trials.iter().map(|trial| trial[filter]).sum::<f64>() / self.trials.len() as f64
    }

    fn deviation(&self, filter: usize) -> f64 {
        deviation(&self.trials.iter().map(|trial| trial[filter]).collect::<Vec<_>>())
    }
}

/// The standard deviation of a sample.
fn deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt()
}
