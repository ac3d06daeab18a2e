//! What is said about samples that are too few, or not of one state.

use aiperf_metrics::{Metric, Percentile, Unsteady};

use super::Wording;
use crate::console::number::whole;
use crate::steady::reason;

pub(super) fn drift(metric: Metric, change: f64) -> Wording {
    let unsteady = Unsteady::Drifts { signal: metric.tag().to_owned(), change };
    Wording::new(
        format!("No steady state was reached: {}.", reason(&unsteady)),
        "The numbers depend on how long the run was. Run longer, with a warmup or a ramp; a load that the server cannot keep up \
         with never comes to rest.",
    )
}

pub(super) fn floor(from: Percentile, samples: u64, needed: u64) -> Wording {
    let which = match from {
        Percentile::P99 => "p99 is".to_owned(),
        from => format!("{} to p99 are", from.name()),
    };
    Wording::new(
        format!(
            "{which} not to be relied on: {} independent sample{}, and p99 takes {}.",
            whole(samples),
            if samples == 1 { "" } else { "s" },
            whole(needed)
        ),
        "Send more requests, or quote no percentile that is marked with *.",
    )
}
