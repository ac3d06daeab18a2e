//! Goodput: what counts as a good request.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(OptionId::Goodput, &["goodput"], ValueKind::Text, "What a request must reach to count as good: `metric:limit` pairs in one argument, separated by blanks, in the unit the metric is shown in.").short("g").supported(),
];
