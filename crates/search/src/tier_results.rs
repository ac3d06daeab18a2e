//! What a search found for each of its tiers, as `search_history.json` has it.

use aiperf_config::{SearchSpec, SlaFilter, SlaOp, SlaTier};
use serde_json::{Value, json};

use crate::EndReason;
use crate::boundary::TierBoundary;
use crate::history::{Iteration, filter};

/// One object for each tier; `metrics` gives the numbers of an iteration.
pub(crate) fn results(
    spec: &SearchSpec,
    iterations: &[Iteration],
    tiers: &[TierBoundary],
    metrics: &dyn Fn(usize) -> Value,
) -> Vec<Value> {
    let dimension = &spec.space[0];
    let value = |value: Option<f64>| value.map(|value| dimension.json(value));
    let last_at =
        |value: f64| iterations.iter().rposition(|iteration| iteration.point.only().total_cmp(&value).is_eq());
    tiers
        .iter()
        .zip(&spec.sla_tiers)
        .enumerate()
        .map(|(index, (found, tier))| {
            let broken = found.infeasible_min.and_then(last_at);
            let binding = broken.and_then(|place| breach(spec, index, tier, &iterations[place]));
            json!({
                "label": found.label,
                "boundary_concurrency": value(found.feasible_max),
                "convergence_status": if found.reason.is_some() { "converged" } else { "partial" },
                "convergence_reason": found.reason.map(EndReason::name),
                "binding_constraint": binding,
                "bracket_lower": value(found.feasible_max),
                "bracket_upper": value(found.infeasible_min),
                "confidence_interval": null,
                "probe_count": found.probes,
                "boundary_metrics": found.feasible_max.and_then(last_at).map_or(Value::Null, metrics),
                "filters": tier.filters.iter().map(filter).collect::<Vec<_>>(),
            })
        })
        .collect()
}

/// How many probes there were, and which tiers are stricter than others.
pub(crate) fn metadata(spec: &SearchSpec, probes: usize, tiers: &[TierBoundary]) -> Value {
    let mut pairs = Vec::new();
    for strict in &spec.sla_tiers {
        for lenient in spec.sla_tiers.iter().filter(|lenient| is_stricter(strict, lenient)) {
            pairs.push(json!({"strict": strict.label, "lenient": lenient.label}));
        }
    }
    json!({
        "actual_probe_count": probes,
        "tier_evaluation_count": tiers.iter().map(|tier| tier.probes).sum::<usize>(),
        "ordering_detected": !pairs.is_empty(),
        "ordering_pairs": pairs,
    })
}

/// Whether whatever keeps the first tier keeps the second one, and not the other way round.
fn is_stricter(strict: &SlaTier, lenient: &SlaTier) -> bool {
    let implies = |first: &SlaTier, second: &SlaTier| {
        second.filters.iter().all(|outer| first.filters.iter().any(|inner| is_within(inner, outer)))
    };
    implies(strict, lenient) && !implies(lenient, strict)
}

/// Whether a value that keeps the inner limit keeps the outer one.
fn is_within(inner: &SlaFilter, outer: &SlaFilter) -> bool {
    let is_below = |op: SlaOp| matches!(op, SlaOp::Lt | SlaOp::Le);
    let same = inner.metric == outer.metric && inner.stat == outer.stat && is_below(inner.op) == is_below(outer.op);
    same && if is_below(inner.op) { inner.threshold <= outer.threshold } else { inner.threshold >= outer.threshold }
}

/// The first limit of a tier that a probe broke.
fn breach(spec: &SearchSpec, index: usize, tier: &SlaTier, iteration: &Iteration) -> Option<Value> {
    let before = spec.sla_filters.len() + spec.sla_tiers[..index].iter().map(|tier| tier.filters.len()).sum::<usize>();
    let observed = iteration.outcome.observed.get(before..)?;
    let (broken, value) = tier.filters.iter().zip(observed).find(|(filter, value)| !filter.passes(**value))?;
    let mut object = filter(broken);
    object["observed"] = json!(value);
    Some(object)
}
