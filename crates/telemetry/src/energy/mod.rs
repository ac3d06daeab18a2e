//! The energy of GPUs in a window of time, with a bound of its error: from the energy counter, interpolated at both ends of the
//! window, or from the integral of the power gauge. An estimate whose error may be more than [`LIMIT`] is refused.

mod anchor;
mod counter;
mod idle;
mod power;
mod total;

use aiperf_clock::Nanos;
use thiserror::Error;

pub use counter::from_counter;
pub use idle::idle_power;
pub use power::{PowerIntegral, from_power};
pub(crate) use total::slowest_interval;
pub use total::{PlatformEnergy, total};

/// The largest error that an energy figure may have, as a share of it.
pub const LIMIT: f64 = 0.05;

/// Where an energy figure comes from, as files spell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnergyMethod {
    /// The hardware's energy counter, interpolated at both ends of the window.
    Counter,
    /// The integral of the power gauge.
    IntegratedPower,
    /// Some GPUs by counter, some by power.
    Mixed,
}

impl EnergyMethod {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Counter => "energy_counter",
            Self::IntegratedPower => "integrated_power",
            Self::Mixed => "mixed",
        }
    }
}

/// The energy of one GPU in a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyEstimate {
    pub joules: f64,
    /// Error of the figure in joules, to either side.
    pub error: f64,
    pub method: EnergyMethod,
}

impl EnergyEstimate {
    /// The error as a share of the figure.
    pub fn relative_error(&self) -> f64 {
        if self.joules > 0.0 { self.error / self.joules } else { f64::INFINITY }
    }
}

/// Why there is no energy figure.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum NoEnergy {
    #[error("no source reports power or energy")]
    NotReported,
    #[error("the energy counter was reset during the run")]
    Reset,
    #[error("too few new values during the run")]
    TooFewValues,
    #[error(
        "its error could be {:.0} % (limit {:.0} %), because new values come only every {:.1} s and the run was {:.1} s long",
        .error * 100.0, LIMIT * 100.0, .interval.as_secs_f64(), .window.as_secs_f64()
    )]
    TooUncertain { error: f64, interval: Nanos, window: Nanos },
}

/// The least and the greatest power that a GPU had, in watts: what it may have had between two readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerRange {
    pub low: f64,
    pub high: f64,
}

impl PowerRange {
    pub fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        values.filter(|value| value.is_finite() && *value >= 0.0).fold(None, |range, value| {
            let range: Self = range.unwrap_or(Self { low: value, high: value });
            Some(Self { low: range.low.min(value), high: range.high.max(value) })
        })
    }

    fn width(self) -> f64 {
        self.high - self.low
    }

    pub fn joined(self, other: Option<Self>) -> Self {
        other.map_or(self, |other| Self { low: self.low.min(other.low), high: self.high.max(other.high) })
    }
}
