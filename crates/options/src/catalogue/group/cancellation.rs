//! Request Cancellation: requests cut off on purpose.

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::RequestCancellationRate,
        &["request-cancellation-rate"],
        ValueKind::Float,
        "Percentage of requests to cancel on purpose.",
    )
    .above(0.0)
    .at_most(100.0)
    .unit("%")
    .supported(),
    OptionSpec::new(
        OptionId::RequestCancellationDelay,
        &["request-cancellation-delay"],
        ValueKind::Float,
        "Time between the end of sending a request and cancelling it on purpose.",
    )
    .at_least(0.0)
    .unit("s")
    .default("0")
    .supported(),
];
