//! The text of notes about too few samples, and about samples of no single state.

use aiperf_metrics::{Metric, Percentile, Unsteady};
use aiperf_table::whole;

use super::Wording;
use crate::summary::steady::not_found;

pub(super) fn drift(metric: Metric, change: f64, client_late: bool) -> Wording {
    let unsteady = Unsteady::Drifts { signal: metric.tag().to_owned(), change };
    Wording::new(
        not_found(&unsteady),
        if client_late {
            "The client itself was stopped or read late during the run (see client_saturated, late_first_tokens), which can cause \
             this. Repeat the run with a client that keeps its processors before looking at the server."
        } else {
            "The averages depend on the length of the run. Run longer (--benchmark-duration), with a warmup or a ramp; a load that \
             the server cannot keep up with never reaches a steady state."
        },
    )
}

pub(super) fn floor(from: Percentile, samples: u64, needed: u64) -> Wording {
    let which = match from {
        Percentile::P99 => "p99".to_owned(),
        from => format!("{}–p99", from.name()),
    };
    Wording::new(
        format!(
            "Too few samples for {which}: {} effective sample{}; p99 needs {}.",
            whole(samples),
            if samples == 1 { "" } else { "s" },
            whole(needed)
        ),
        "Send more requests, or do not quote the percentiles marked with *.",
    )
}
