//! The variance of the mean of a series whose values depend on each other: an autoregression fitted to it gives its
//! spectrum at frequency 0 (Heidelberger and Welch 1981; Geweke 1992; the estimator of `effectiveSize` in R's coda).

/// Orders above this are not looked at; ten log10 of the length is the usual bound (Priestley 1981).
const ORDER_PER_DECADE: f64 = 10.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LongRun {
    /// Of one value.
    pub(crate) variance: f64,
    /// By how much the variance of the mean exceeds that of as many independent values.
    pub(crate) inflation: f64,
    /// How well that is known, as degrees of freedom of a chi-square.
    pub(crate) freedom: f64,
    /// Whether values were found to depend on those before them.
    pub(crate) remembers: bool,
}

impl LongRun {
    /// `None` for fewer than two values.
    pub(crate) fn of(series: &[f64]) -> Option<Self> {
        Self::by(series, Criterion::Akaike)
    }

    pub(crate) fn by(series: &[f64], criterion: Criterion) -> Option<Self> {
        let count = series.len();
        if count < 2 {
            return None;
        }
        let n = count as f64;
        let limit = ((ORDER_PER_DECADE * n.log10()) as usize).min(count / 4);
        let covariances = autocovariances(series, limit);
        let variance = covariances[0] * n / (n - 1.0);
        if covariances[0] <= 0.0 {
            return Some(Self { variance: 0.0, inflation: 1.0, freedom: n - 1.0, remembers: false });
        }
        let fit = Autoregression::fit(&covariances, count, criterion);
        let inflation = fit.innovation / covariances[0] / (1.0 - fit.gain).powi(2);
        let independent = n / inflation.max(1.0);
        let freedom = match fit.order {
            0 => n - 1.0,
            // The gain is known to about sqrt(order / n) (Berk 1974); near 1 the delta method for the first order rules.
            order => (n / (2.0 * order as f64)).min(independent / 2.0),
        };
        Some(Self { variance, inflation, freedom: freedom.max(1.0), remembers: fit.order > 0 })
    }

    /// As many independent values would say as much as these.
    pub(crate) fn independent(&self, count: usize) -> f64 {
        count as f64 / self.inflation.max(1.0)
    }

    /// Of the mean of `count` values.
    pub(crate) fn variance_of_mean(&self, count: usize) -> f64 {
        self.variance * self.inflation / count as f64
    }
}

fn autocovariances(series: &[f64], limit: usize) -> Vec<f64> {
    let n = series.len() as f64;
    let mean = series.iter().sum::<f64>() / n;
    let centred: Vec<f64> = series.iter().map(|value| value - mean).collect();
    (0..=limit).map(|lag| centred.iter().zip(&centred[lag..]).map(|(a, b)| a * b).sum::<f64>() / n).collect()
}

/// How the order of the autoregression is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Criterion {
    /// Corrected for small samples (Hurvich and Tsai 1989).
    Akaike,
    /// More careful, for series that are almost always the same value: two rare ones that happen to lie close together do
    /// not show correlation (Schwarz 1978).
    Schwarz,
}

struct Autoregression {
    order: usize,
    /// Sum of the coefficients.
    gain: f64,
    /// Variance of what the past does not explain.
    innovation: f64,
}

impl Autoregression {
    /// Levinson's and Durbin's recursion.
    fn fit(covariances: &[f64], count: usize, criterion: Criterion) -> Self {
        let n = count as f64;
        let criterion = |innovation: f64, order: usize| {
            let parameters = order as f64 + 1.0;
            let penalty = match criterion {
                Criterion::Akaike => 2.0 * parameters * n / (n - parameters - 1.0).max(1.0),
                Criterion::Schwarz => parameters * n.ln(),
            };
            n * innovation.ln() + penalty
        };
        let mut best = Self { order: 0, gain: 0.0, innovation: covariances[0] };
        let mut least = criterion(covariances[0], 0);
        let mut coefficients: Vec<f64> = Vec::new();
        let mut innovation = covariances[0];
        for order in 1..covariances.len() {
            let explained: f64 = coefficients.iter().enumerate().map(|(i, c)| c * covariances[order - 1 - i]).sum();
            let partial = (covariances[order] - explained) / innovation;
            let mirrored: Vec<f64> = coefficients.iter().rev().map(|c| partial * c).collect();
            for (coefficient, back) in coefficients.iter_mut().zip(mirrored) {
                *coefficient -= back;
            }
            coefficients.push(partial);
            innovation *= 1.0 - partial * partial;
            if innovation <= 0.0 || !innovation.is_finite() {
                break;
            }
            let score = criterion(innovation, order);
            if score < least {
                least = score;
                best = Self { order, gain: coefficients.iter().sum(), innovation };
            }
        }
        // Least squares would divide by what is left after the fit.
        best.innovation *= n / (n - best.order as f64 - 1.0).max(1.0) * (n - 1.0) / n;
        best
    }
}

#[cfg(test)]
mod tests {
    use aiperf_seed::Seed;

    use super::*;

    fn autoregressive(memory: f64, count: usize) -> Vec<f64> {
        let mut stream = Seed::fixed(7).stream("long-run");
        let mut level = 0.0;
        (0..count)
            .map(|_| {
                level = memory * level + stream.standard_normal();
                level
            })
            .collect()
    }

    #[test]
    fn independent_values_are_worth_themselves() {
        let long_run = LongRun::of(&autoregressive(0.0, 4000)).unwrap();
        assert!((0.85..1.15).contains(&long_run.inflation), "{long_run:?}");
        assert!((0.9..1.1).contains(&long_run.variance), "{long_run:?}");
    }

    #[test]
    fn memory_inflates_the_variance_of_the_mean() {
        // (1 + 0.8) / (1 - 0.8) = 9
        let long_run = LongRun::of(&autoregressive(0.8, 8000)).unwrap();
        assert!((7.5..10.5).contains(&long_run.inflation), "{long_run:?}");
    }

    #[test]
    fn values_that_alternate_are_worth_more() {
        let long_run = LongRun::of(&autoregressive(-0.5, 4000)).unwrap();
        assert!((0.25..0.42).contains(&long_run.inflation), "{long_run:?}");
    }

    #[test]
    fn a_constant_has_no_variance() {
        assert!(LongRun::of(&[3.0; 50]).unwrap().variance <= 0.0);
        assert!(LongRun::of(&[3.0]).is_none());
    }
}
