//! Workers: threads that send.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[OptionSpec::new(
    OptionId::WorkersMax,
    &["workers-max", "max-workers"],
    ValueKind::Int,
    "Most worker threads that send requests.",
)
.at_least(1.0)
.default("sized to the machine")
.supported()];
