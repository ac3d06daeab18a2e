//! Runs compared with a baseline: for each metric whether the later run is better, worse, equal or inconclusive, with the
//! size of the change, its interval and the samples that a verdict needs. `docs/comparing.md` has the rules in words, and how
//! often they err.
#![forbid(unsafe_code)]

mod accuracy;
mod comparison;
mod error;
mod gate;
mod quantity;
mod render;
mod selection;
mod share;
mod side;
mod verdict;

pub use accuracy::{AccuracyComparison, TaskComparison};
pub use comparison::{AskedQuantity, Comparison, ComparisonOptions, ComparisonReport, SideNote, compare};
pub use error::CompareError;
pub use gate::{Gate, GateOutcome, OnUnclear, RowOutcome};
pub use quantity::{Quantity, QuantityError, Statistic};
pub use render::{Format, Page};
pub use selection::Selection;
pub use share::{Share, ShareError};
pub use side::{GpuQuantity, GpuRowPair, Side, Warning, WorkloadNote};
pub use verdict::{
    Change, ComparisonRow, Direction, Forecast, InconclusiveReason, Question, SampleUnit, Scale, Verdict,
};
