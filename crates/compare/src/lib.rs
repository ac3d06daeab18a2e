//! Runs compared with a baseline: for each metric whether the later one is better, worse or equal, or that the data cannot
//! tell, with the size of the change, its interval and the samples that it would take. `docs/comparing.md` has the rules in
//! words, and how often they err.
#![forbid(unsafe_code)]

mod bounds;
mod change;
mod comparison;
mod direction;
mod error;
mod evidence;
mod forecast;
mod gate;
mod known;
mod quantity;
mod render;
mod row;
mod run;
mod selection;
mod share;
mod side;
mod soundness;
mod stated;
mod verdict;
mod workload;

pub use bounds::Question;
pub use change::{Change, Scale};
pub use comparison::{AskedQuantity, Comparison, ComparisonOptions, ComparisonReport, SideNote, compare};
pub use direction::Direction;
pub use error::CompareError;
pub use forecast::{Forecast, SampleUnit};
pub use gate::{Gate, GateOutcome, OnUnclear, RowOutcome};
pub use quantity::{Quantity, QuantityError, Statistic};
pub use render::{Format, Page};
pub use row::ComparisonRow;
pub use selection::Selection;
pub use share::{Share, ShareError};
pub use side::Side;
pub use soundness::{NoVerdictReason, Warning};
pub use verdict::{InconclusiveReason, Verdict};
pub use workload::WorkloadNote;
