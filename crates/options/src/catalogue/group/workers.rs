//! Workers: threads that send.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[OptionSpec::new(
    OptionId::WorkersMax,
    &["workers-max", "max-workers"],
    ValueKind::Int,
    "Maximum number of worker threads that send requests.",
)
.at_least(1.0)
.default("by number of processors")
.supported()];
