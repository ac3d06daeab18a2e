//! What is said about samples that are too few, or not of one state.

use aiperf_metrics::{Metric, Percentile, Unsteady};

use super::Wording;
use crate::summary::steady::not_found;
use aiperf_table::whole;

pub(super) fn drift(metric: Metric, change: f64, client_late: bool) -> Wording {
    let unsteady = Unsteady::Drifts { signal: metric.tag().to_owned(), change };
    Wording::new(
        not_found(&unsteady),
        if client_late {
            "The client itself was stopped or read late during the run (see client_saturated, late_first_tokens), which can cause \
             this. Repeat the run with a client that keeps its processors before looking at the server."
        } else {
            "The numbers depend on how long the run was. Run longer, with a warmup or a ramp; a load that the server cannot keep \
             up with never reaches a steady state."
        },
    )
}

pub(super) fn floor(from: Percentile, samples: u64, needed: u64) -> Wording {
    let which = match from {
        Percentile::P99 => "p99 is".to_owned(),
        from => format!("{}-p99 are", from.name()),
    };
    Wording::new(
        format!(
            "{which} unreliable: {} independent sample{}; p99 needs {}.",
            whole(samples),
            if samples == 1 { "" } else { "s" },
            whole(needed)
        ),
        "Send more requests, or quote no percentile that is marked with *.",
    )
}
