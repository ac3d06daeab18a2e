//! Gaussian process regression with a Matérn 5/2 kernel (Rasmussen and Williams 2006, chapters 2 and 5): values of a function at
//! places of the unit cube, measured with noise.

use super::cholesky::Cholesky;
use super::maximize;

/// A normal distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Normal {
    pub(crate) mean: f64,
    pub(crate) variance: f64,
}

impl Normal {
    pub(crate) fn deviation(self) -> f64 {
        self.variance.max(0.0).sqrt()
    }
}

/// How alike the values at two places are.
#[derive(Debug, Clone)]
struct Kernel {
    /// One length for each dimension.
    lengths: Vec<f64>,
    signal: f64,
    noise: f64,
}

impl Kernel {
    /// From the logarithms of all parameters: lengths, signal, noise.
    fn from_logs(logs: &[f64]) -> Self {
        let dimensions = logs.len() - 2;
        Self {
            lengths: logs[..dimensions].iter().map(|log| log.exp()).collect(),
            signal: logs[dimensions].exp(),
            noise: logs[dimensions + 1].exp(),
        }
    }

    fn at(&self, a: &[f64], b: &[f64]) -> f64 {
        let square: f64 = a.iter().zip(b).zip(&self.lengths).map(|((a, b), length)| ((a - b) / length).powi(2)).sum();
        let r = (5.0 * square).sqrt();
        self.signal * (1.0 + r + r * r / 3.0) * (-r).exp()
    }

    /// The lower triangle of the covariance of places; `noise` is added to its diagonal.
    fn matrix(&self, places: &[Vec<f64>], noise: f64) -> Vec<Vec<f64>> {
        let row =
            |i: usize| (0..=i).map(|j| self.at(&places[i], &places[j]) + if i == j { noise } else { 0.0 }).collect();
        (0..places.len()).map(row).collect()
    }
}

/// A fitted process. Values are kept with mean 0 and deviation 1.
#[derive(Debug, Clone)]
pub(crate) struct GaussianProcess {
    places: Vec<Vec<f64>>,
    kernel: Kernel,
    factor: Cholesky,
    weights: Vec<f64>,
    mean: f64,
    scale: f64,
}

impl GaussianProcess {
    /// The process that explains these values best. `None` without values.
    pub(crate) fn fit(places: &[Vec<f64>], values: &[f64]) -> Option<Self> {
        let dimensions = places.first()?.len();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let scale = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let standard: Vec<f64> = values.iter().map(|value| (value - mean) / scale).collect();
        let cost = |logs: &[f64]| -log_posterior(places, &standard, logs);
        let start = |length: f64, noise: f64| {
            let mut logs = vec![f64::ln(length); dimensions];
            logs.extend([0.0, f64::ln(noise)]);
            logs
        };
        let starts = [start(0.5, 1e-3), start(0.15, 1e-2), start(1.0, 0.1)];
        let found = starts.iter().map(|start| maximize::nelder_mead(start, &cost));
        let (logs, _) = found.min_by(|a, b| a.1.total_cmp(&b.1))?;
        Self::with(places, &standard, Kernel::from_logs(&logs), mean, scale)
    }

    fn with(places: &[Vec<f64>], standard: &[f64], kernel: Kernel, mean: f64, scale: f64) -> Option<Self> {
        let factor = Cholesky::new(&kernel.matrix(places, kernel.noise))?;
        let weights = factor.solve(standard);
        Some(Self { places: places.to_vec(), kernel, factor, weights, mean, scale })
    }

    /// The same kernel on the first values only.
    pub(crate) fn of_first(&self, values: &[f64], count: usize) -> Option<Self> {
        let standard: Vec<f64> = values[..count].iter().map(|value| (value - self.mean) / self.scale).collect();
        Self::with(&self.places[..count], &standard, self.kernel.clone(), self.mean, self.scale)
    }

    fn covariances(&self, place: &[f64]) -> Vec<f64> {
        self.places.iter().map(|known| self.kernel.at(known, place)).collect()
    }

    /// The function, without noise, at a place.
    pub(crate) fn at(&self, place: &[f64]) -> Normal {
        let covariances = self.covariances(place);
        let mean: f64 = covariances.iter().zip(&self.weights).map(|(a, b)| a * b).sum();
        let reduced: f64 = self.factor.solve_lower(&covariances).iter().map(|value| value * value).sum();
        self.natural(mean, self.kernel.signal - reduced)
    }

    fn natural(&self, mean: f64, variance: f64) -> Normal {
        Normal { mean: self.mean + self.scale * mean, variance: (variance * self.scale * self.scale).max(0.0) }
    }

    /// The covariance of the function at two places.
    pub(crate) fn covariance(&self, a: &[f64], b: &[f64]) -> f64 {
        let (left, right) =
            (self.factor.solve_lower(&self.covariances(a)), self.factor.solve_lower(&self.covariances(b)));
        let reduced: f64 = left.iter().zip(&right).map(|(a, b)| a * b).sum();
        (self.kernel.at(a, b) - reduced) * self.scale * self.scale
    }

    /// Variance of the noise of one measurement.
    pub(crate) fn noise(&self) -> f64 {
        self.kernel.noise * self.scale * self.scale
    }

    /// Functions that could have given the measurements, each drawn with one list of standard normal values.
    pub(crate) fn paths(&self, draws: &[Vec<f64>]) -> Option<SampledPaths> {
        let places = &self.places;
        let smooth = self.kernel.matrix(places, 0.0);
        let full = |i: usize, j: usize| if i >= j { smooth[i][j] } else { smooth[j][i] };
        let columns: Vec<Vec<f64>> = (0..places.len())
            .map(|j| self.factor.solve_lower(&(0..places.len()).map(|i| full(i, j)).collect::<Vec<_>>()))
            .collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let posterior: Vec<Vec<f64>> = (0..places.len())
            .map(|i| {
                (0..=i).map(|j| full(i, j) - dot(&columns[i], &columns[j]) + if i == j { 1e-9 } else { 0.0 }).collect()
            })
            .collect();
        let spread = Cholesky::new(&posterior)?;
        let means: Vec<f64> =
            (0..places.len()).map(|i| (0..places.len()).map(|j| full(i, j) * self.weights[j]).sum()).collect();
        let smooth_factor = Cholesky::new(&self.kernel.matrix(places, 1e-8 * self.kernel.signal))?;
        let path = |draw: &Vec<f64>| {
            let values: Vec<f64> = spread.times(draw).iter().zip(&means).map(|(noise, mean)| mean + noise).collect();
            let weights = smooth_factor.solve(&values);
            (values.iter().map(|value| self.mean + self.scale * value).collect(), weights)
        };
        let (values, weights) = draws.iter().map(path).unzip();
        Some(SampledPaths { values, weights, factor: smooth_factor })
    }

    /// The function at a place, if it is one of the sampled ones; one distribution for each.
    pub(crate) fn along<'a>(&'a self, paths: &'a SampledPaths, place: &[f64]) -> impl Iterator<Item = Normal> + 'a {
        let covariances = self.covariances(place);
        let reduced: f64 = paths.factor.solve_lower(&covariances).iter().map(|value| value * value).sum();
        let variance = self.kernel.signal - reduced;
        paths.weights.iter().map(move |weights| {
            let mean: f64 = covariances.iter().zip(weights).map(|(a, b)| a * b).sum();
            self.natural(mean, variance)
        })
    }
}

/// Functions drawn from a process, known at its places.
#[derive(Debug)]
pub(crate) struct SampledPaths {
    /// For each function, its values at the places of the process.
    pub(crate) values: Vec<Vec<f64>>,
    weights: Vec<Vec<f64>>,
    factor: Cholesky,
}

/// The logarithm of the likelihood of values with mean 0 and deviation 1, plus weak priors that keep parameters in a range in
/// which few points cannot lead them astray: lengths around half of the cube, a signal like that of the values, little noise.
fn log_posterior(places: &[Vec<f64>], values: &[f64], logs: &[f64]) -> f64 {
    if logs.iter().any(|log| log.abs() > 15.0) {
        return f64::NEG_INFINITY;
    }
    let kernel = Kernel::from_logs(logs);
    let Some(factor) = Cholesky::new(&kernel.matrix(places, kernel.noise)) else { return f64::NEG_INFINITY };
    let fit: f64 = factor.solve_lower(values).iter().map(|value| value * value).sum();
    let normal = |value: f64, mean: f64, deviation: f64| -0.5 * ((value - mean) / deviation).powi(2);
    let dimensions = logs.len() - 2;
    let lengths: f64 = logs[..dimensions].iter().map(|log| normal(*log, f64::ln(0.5), 1.0)).sum();
    let others = normal(logs[dimensions], 0.0, 1.0) + normal(logs[dimensions + 1], f64::ln(1e-2), 2.0);
    -0.5 * fit - 0.5 * factor.log_determinant() + lengths + others
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted() -> (Vec<Vec<f64>>, Vec<f64>, GaussianProcess) {
        let places: Vec<Vec<f64>> = (0..9).map(|step| vec![f64::from(step) / 8.0]).collect();
        let values: Vec<f64> = places.iter().map(|place| 100.0 + 10.0 * (3.0 * place[0]).sin()).collect();
        let process = GaussianProcess::fit(&places, &values).unwrap();
        (places, values, process)
    }

    #[test]
    fn a_smooth_function_is_known_between_its_points_and_unknown_far_away() {
        let (_, _, process) = fitted();
        for place in [0.06, 0.31, 0.9] {
            let guess = process.at(&[place]);
            assert!((guess.mean - (100.0 + 10.0 * (3.0 * place).sin())).abs() < 0.3, "{guess:?} at {place}");
        }
        assert!(process.at(&[3.0]).deviation() > 5.0 * process.at(&[0.5]).deviation());
    }

    #[test]
    fn sampled_functions_pass_near_the_values() {
        let (places, values, process) = fitted();
        let draws = vec![vec![0.5; places.len()], vec![-0.5; places.len()]];
        let paths = process.paths(&draws).unwrap();
        for path in &paths.values {
            assert!(path.iter().zip(&values).all(|(drawn, value)| (drawn - value).abs() < 1.0));
        }
        let at: Vec<Normal> = process.along(&paths, &places[3]).collect();
        assert!((at[0].mean - paths.values[0][3]).abs() < 0.05);
    }
}
