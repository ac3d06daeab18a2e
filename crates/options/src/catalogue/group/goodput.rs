//! Goodput: what counts as a good request.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(OptionId::Goodput, &["goodput"], ValueKind::Text, "SLO limits that a request must meet to count as good. Give `metric:limit` pairs in one argument, such as `\"time_to_first_token:200 inter_token_latency:20\"`, in the units in which the metrics are shown.").short("g").supported(),
];
