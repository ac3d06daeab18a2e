//! User-Centric Rate: simulated users.

use aiperf_config::Parameter;

use crate::catalogue::{OptionId, OptionSpec, ValueKind};

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::UserCentricRate,
        &["user-centric-rate"],
        ValueKind::Float,
        "Total request rate of --num-users simulated users. Each user waits for a response and then pauses before the next turn.",
    )
    .above(0.0)
    .unit("req/s")
    .supported(),
    OptionSpec::new(OptionId::NumUsers, &["num-users"], ValueKind::Int, "Number of simulated users.")
        .sweepable(Parameter::Users)
        .at_least(1.0)
        .supported(),
];
