//! Counters of requests and sessions of each phase, under the names of the reference.

use aiperf_live::{PhaseProgress, PhaseStatus, RunState, Snapshot};

use super::{CountedTime, sum};
use crate::described::CommonAttributes;
use crate::message::{KeyValue, NumberValue, OtlpMetric};

/// A counter: what follows `aiperf.timing.`, whether it only grows, and its value.
type Counter = (&'static str, bool, fn(&PhaseProgress) -> u64);

const COUNTERS: [Counter; 7] = [
    ("requests.sent", true, |phase| phase.sent),
    ("requests.completed", true, |phase| phase.completed + phase.failed),
    ("requests.cancelled", true, |phase| phase.cancelled),
    ("requests.errors", true, |phase| phase.failed),
    ("sessions.sent", true, |phase| phase.sessions_sent),
    ("sessions.completed", true, |phase| phase.sessions_completed),
    ("requests.in_flight", false, |phase| phase.in_flight),
];

/// The counters of all phases that have begun.
pub(crate) fn timing(snapshot: &Snapshot, interval: CountedTime, common: &CommonAttributes) -> Vec<OtlpMetric> {
    let begun: Vec<&PhaseProgress> =
        snapshot.phases.iter().filter(|phase| phase.state != PhaseStatus::Waiting).collect();
    if begun.is_empty() {
        return Vec::new();
    }
    let points = |value: &dyn Fn(&PhaseProgress) -> NumberValue| {
        begun.iter().map(|phase| interval.number(value(phase), attributes(phase, common))).collect::<Vec<_>>()
    };
    let mut metrics: Vec<OtlpMetric> = COUNTERS
        .iter()
        .map(|(name, grows, read)| {
            let description = format!("{} of the phase", name.replace('.', " "));
            let points = points(&|phase| NumberValue::Int(read(phase) as i64));
            sum(&format!("aiperf.timing.{name}"), "1", &description, *grows, points)
        })
        .collect();
    let elapsed = points(&|phase| NumberValue::Float(phase.elapsed));
    metrics.push(sum("aiperf.timing.phase.elapsed_sec", "s", "seconds since the phase began", false, elapsed));
    let cancelled = i64::from(snapshot.state == RunState::Cancelled);
    let cancelled = points(&|_| NumberValue::Int(cancelled));
    metrics.push(sum("aiperf.timing.phase.was_cancelled", "1", "whether the run was cancelled", false, cancelled));
    metrics
}

fn attributes(phase: &PhaseProgress, common: &CommonAttributes) -> Vec<KeyValue> {
    let mut attributes = vec![KeyValue::text("aiperf.benchmark_phase", phase.kind.name())];
    attributes.extend(
        phase.expected_requests.map(|expected| KeyValue::int("aiperf.total_expected_requests", expected as i64)),
    );
    attributes.extend(common.gen_ai.iter().cloned());
    attributes
}
