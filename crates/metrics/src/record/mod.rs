//! One request: what was observed of it, the whole numbers that are kept, the formulas over them, and the columns of a
//! phase.

mod column;
pub(crate) mod columns;
pub(crate) mod fact;
pub(crate) mod failures;
pub(crate) mod formula;
mod observation;
mod overflow;
pub(crate) mod values;

pub use columns::{Columns, Undecodable};
pub use failures::FailureGroup;
pub use observation::{Cause, Failure, HttpTiming, MediaFacts, Observation, PrefixBlocks, Shortage, TokenCounts};
pub use overflow::OverflowSigns;
pub use values::RecordValues;
