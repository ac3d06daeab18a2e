//! Values over time, on the clock of the requests, and what they amount to in a window: counters are interpolated at its edges, gauges
//! are weighted by time.

mod counter;
mod gauge;
mod histogram;
mod time_series;
mod window;

pub use counter::Counter;
pub use gauge::GaugeStatistics;
pub use histogram::{BucketBound, HistogramIncrease, PercentileEstimate};
pub use time_series::TimeSeries;
pub use window::Window;
