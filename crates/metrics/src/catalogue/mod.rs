//! What metrics there are: one row for each, what a row says, and which rows a run has.

mod context;
mod definition;
pub(crate) mod metric;
mod rows;
mod suggestion;
mod unit;

pub use context::{MetricContext, Sending, Slo, SloError, Thresholds};
pub use definition::{ConsoleGroup, Definition, Flags, MetricKind};
pub use rows::Metric;
pub use unit::Unit;
