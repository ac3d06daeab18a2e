//! Series of values with a known mean and known percentiles.

use aiperf_seed::Stream;
use aiperf_stats::distribution::{normal_cdf, normal_quantile};

/// The shape of one value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SeriesShape {
    Normal,
    Exponential,
    Lognormal,
    Pareto,
}

/// How values follow each other.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SeriesMemory {
    None,
    /// A normal autoregression of the first order with this coefficient, turned into the shape value by value.
    Autoregressive(f64),
    /// Times in an M/M/1 system of this utilisation, which are exponential.
    Queue(f64),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Process {
    pub(crate) name: &'static str,
    pub(crate) shape: SeriesShape,
    pub(crate) memory: SeriesMemory,
    pub(crate) count: usize,
}

impl SeriesShape {
    pub(crate) fn quantile(self, q: f64) -> f64 {
        match self {
            Self::Normal => 10.0 + 2.0 * normal_quantile(q),
            Self::Exponential => -(-q).ln_1p(),
            Self::Lognormal => normal_quantile(q).exp(),
            Self::Pareto => (1.0 - q).powf(-1.0 / 3.0),
        }
    }

    pub(crate) fn mean(self) -> f64 {
        match self {
            Self::Normal => 10.0,
            Self::Exponential => 1.0,
            Self::Lognormal => 0.5_f64.exp(),
            Self::Pareto => 1.5,
        }
    }

    fn of_normal(self, z: f64) -> f64 {
        match self {
            Self::Normal => 10.0 + 2.0 * z,
            Self::Lognormal => z.exp(),
            Self::Exponential | Self::Pareto => {
                let above = normal_cdf(-z);
                if matches!(self, Self::Pareto) { above.powf(-1.0 / 3.0) } else { -above.ln() }
            }
        }
    }

    fn draw(self, stream: &mut Stream) -> f64 {
        match self {
            Self::Normal | Self::Lognormal => self.of_normal(stream.standard_normal()),
            Self::Exponential => stream.exponential(1.0),
            Self::Pareto => (1.0 - stream.unit()).powf(-1.0 / 3.0),
        }
    }
}

impl Process {
    /// One run, in its steady state from the first value.
    pub(crate) fn run(&self, stream: &mut Stream) -> Vec<f64> {
        match self.memory {
            SeriesMemory::None => (0..self.count).map(|_| self.shape.draw(stream)).collect(),
            SeriesMemory::Autoregressive(memory) => {
                let mut z = stream.standard_normal();
                let fresh = (1.0 - memory * memory).sqrt();
                (0..self.count)
                    .map(|_| {
                        z = memory * z + fresh * stream.standard_normal();
                        self.shape.of_normal(z)
                    })
                    .collect()
            }
            SeriesMemory::Queue(load) => {
                // Scaled so that the time in the system has mean 1.
                let service = 1.0 - load;
                let mut inside = stream.exponential(1.0);
                (0..self.count)
                    .map(|_| {
                        let waiting = (inside - stream.exponential(service / load)).max(0.0);
                        inside = waiting + stream.exponential(service);
                        inside
                    })
                    .collect()
            }
        }
    }
}
