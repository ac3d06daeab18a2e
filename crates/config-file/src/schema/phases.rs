//! The schema of a phase.

use serde_json::{Map, Value, json};

use super::field::{described, section};
use super::{object, written};
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
            "Follows from `type`.",
            json!({"enum": ["fixed_schedule", "request_rate", "adaptive_scale", "user_centric_rate", "agentic_replay"]}),
        ),
        ("sla", "Limits for adaptive scaling.", json!({"type": ["object", "array"]})),
        ("adaptive_scale", "Raise the load until a limit is broken.", adaptive_scale()),
    ]);
    described(section(PHASE, &others), "How requests are paced, and when sending stops.")
}

fn adaptive_scale() -> Value {
    let number = || json!({"anyOf": [{"type": "number"}, {"$ref": "#/$defs/reference"}]});
    let duration = || json!({"$ref": "#/$defs/duration"});
    let control = object(written(&[
        (
            "variable",
            "What is raised.",
            json!({"enum": ["concurrency", "prefill_concurrency", "request_rate", "users"]}),
        ),
        ("min", "First value.", number()),
        ("max", "Highest value.", number()),
    ]));
    let strategy = object(written(&[
        ("type", "How the load is raised.", json!({"enum": ["ramp_until_fail"]})),
        ("step_policy", "How large a step is.", json!({"enum": ["sla_margin", "fixed_percent_step"]})),
        ("base_step", "Smallest step.", number()),
        ("max_step_multiplier", "Largest step, as a multiple of the smallest.", number()),
        ("step_percent", "Step in percent, with fixed_percent_step.", number()),
    ]));
    object(written(&[
        ("enabled", "Whether the load is scaled.", json!({"$ref": "#/$defs/truth"})),
        ("control", "What is raised, and how far.", control),
        ("control_variable", "Another form of control.variable.", json!({"type": "string"})),
        ("control_min", "Another form of control.min.", number()),
        ("control_max", "Another form of control.max.", number()),
        ("min_concurrency", "Another form of control.min.", number()),
        ("max_concurrency", "Another form of control.max.", number()),
        ("window", "Time that is assessed at once.", duration()),
        ("assessment_period", "Another name of `window`.", duration()),
        ("min_completed_requests", "Responses that an assessment needs.", number()),
        ("sustain_duration", "Time to hold the last load that kept all limits.", duration()),
        ("strategy", "How the load is raised.", strategy),
        ("sla", "Limits, by metric and statistic.", json!({"type": ["object", "array"]})),
    ]))
}
