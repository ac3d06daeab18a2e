//! The schema of a phase.

use serde_json::{Map, Value, json};

use super::field::{described, section};
use super::written;
use crate::field::PHASE;

/// Types of load.
pub(super) const TYPES: [&str; 6] = ["concurrency", "poisson", "constant", "gamma", "user_centric", "fixed_schedule"];

pub(super) fn phase() -> Value {
    let truth = || json!({"$ref": "#/$defs/truth"});
    let others: Map<String, Value> = written(&[
        ("name", "Name of the phase; letters, digits, _ and -.", json!({"type": "string"})),
        (
            "kind",
            "warmup: the results leave it out. profiling: it is measured.",
            json!({"enum": ["warmup", "profiling"]}),
        ),
        ("seamless", "Start without waiting for the responses of the phase before.", truth()),
        ("exclude_from_results", "Leave the phase out of the results; true for a warmup.", truth()),
        (
            "timing_mode",
            "Follows from the other fields; if it is given, it must agree with them.",
            json!({"enum": ["fixed_schedule", "request_rate", "adaptive_scale", "user_centric_rate", "agentic_replay"]}),
        ),
    ]);
    described(section(PHASE, &others), "How requests are paced, and when sending stops.")
}
