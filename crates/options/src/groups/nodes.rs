//! Nodes: one run that several processes send, each its own part. The rules keep every part well defined without a message
//! between the processes.

use std::time::Duration;

use aiperf_config::{Experiment, NodeShare, PhaseConfig, PhaseKind, Phases};

use crate::catalogue::{OptionId, OptionSpec, ValueKind};
use crate::{ConfigError, RawOptions};

pub(crate) const NODES: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::NodeIndex,
        &["node-index"],
        ValueKind::Int,
        "Which part of the run this process sends: 0 is the first. All processes get the same options except this one; each writes its \
         results to the folder `node-INDEX` in the artifact folder. `aiperf merge` joins them.",
    )
    .at_least(0.0)
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::NodeCount,
        &["node-count"],
        ValueKind::Int,
        "Number of processes that send the run together. Counts, rates and limits apply to the whole run; each process sends its \
         share. Needs --node-index and --random-seed.",
    )
    .at_least(1.0)
    .at_most(65535.0)
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::StartAt,
        &["start-at"],
        ValueKind::Float,
        "Time at which the first phase starts, in seconds since 1970 UTC, such as the output of `date -d '+30 seconds' +%s`. All nodes \
         of a run should get the same time, and their clocks should be synchronized.",
    )
    .at_least(0.0)
    .unit("s")
    .default("as soon as everything is ready")
    .ours()
    .supported(),
];

const SEES_ALL: &str = "a node sees only its own part of the results, so nodes would stop at different times";
/// Options that need to see the whole run, and the reason.
const NEED_ALL: [(OptionId, &str); 4] = [
    (
        OptionId::AccuracyBenchmark,
        "the answers of all nodes would have to be graded together; ask the questions from one node",
    ),
    (
        OptionId::Scenario,
        "an agentic replay shortens the time in which no session of the whole run is under way, which a node does not see",
    ),
    (OptionId::UntilCi, SEES_ALL),
    (OptionId::MeasurementInterval, SEES_ALL),
];

/// The part of the run that this process sends.
pub(super) fn resolve(raw: &RawOptions) -> Result<NodeShare, ConfigError> {
    let (index_id, count_id) = (OptionId::NodeIndex, OptionId::NodeCount);
    let (index, count) = match (raw.int::<u64>(index_id)?, raw.int::<u64>(count_id)?) {
        (None, None) => return Ok(NodeShare::WHOLE),
        (Some(_), None) => return Err(raw.needs(index_id, count_id, "without it the size of the part is not known")),
        (None, Some(_)) => return Err(raw.needs(count_id, index_id, "each process sends another part")),
        (Some(index), Some(count)) => (index, count),
    };
    let too_high = || raw.bad(index_id, &index.to_string(), &format!("must be below --node-count {count}"));
    let share = NodeShare::new(index, count).ok_or_else(too_high)?;
    if share.is_whole() {
        return Ok(share);
    }
    if let Some((other, why)) = NEED_ALL.into_iter().find(|(other, _)| raw.is_given(*other)) {
        return Err(raw.conflict(other, count_id, why));
    }
    if !raw.is_given(OptionId::RandomSeed) {
        let why = "all nodes draw the same arrivals and data from it, and each sends its part";
        return Err(raw.needs(count_id, OptionId::RandomSeed, why));
    }
    Ok(share)
}

/// When the first phase starts, as time since 1970.
pub(super) fn start_at(raw: &RawOptions) -> Result<Option<Duration>, ConfigError> {
    raw.seconds(OptionId::StartAt)
}

/// Every node needs a place in each limit, and something to measure.
pub(super) fn check(raw: &RawOptions, share: NodeShare, phases: &Phases) -> Result<(), ConfigError> {
    for phase in phases {
        let warmup = phase.kind == PhaseKind::Warmup;
        let or = |of_warmup: OptionId, own: OptionId| if warmup && raw.is_given(of_warmup) { of_warmup } else { own };
        let limits = [
            (or(OptionId::WarmupConcurrency, OptionId::Concurrency), phase.pace.session_limit()),
            (or(OptionId::WarmupPrefillConcurrency, OptionId::PrefillConcurrency), phase.prefill_limit),
        ];
        for (id, limit) in limits {
            if let Some(limit) = limit.filter(|limit| (*limit as u64) < share.count()) {
                return Err(too_small(raw, id, limit as u64, share, "a place for each node"));
            }
        }
        if !warmup {
            check_counts(raw, share, phase)?;
        }
    }
    Ok(())
}

fn check_counts(raw: &RawOptions, share: NodeShare, phase: &PhaseConfig) -> Result<(), ConfigError> {
    let counts = [(OptionId::RequestCount, phase.stop.requests), (OptionId::ConversationNum, phase.stop.sessions)];
    match counts.into_iter().find_map(|(id, count)| count.filter(|count| *count < share.count()).map(|n| (id, n))) {
        Some((id, count)) => Err(too_small(raw, id, count, share, "at least one for each node")),
        None => Ok(()),
    }
}

fn too_small(raw: &RawOptions, id: OptionId, value: u64, share: NodeShare, needs: &str) -> ConfigError {
    let count = share.count();
    raw.bad(id, &value.to_string(), &format!("--node-count {count} needs {needs}; use at most {value} nodes"))
}

/// Several runs would have to start together on all nodes.
pub(super) fn refuse_several(raw: &RawOptions, experiment: &Experiment) -> Result<(), ConfigError> {
    if experiment.is_single() || experiment.cells.iter().all(|cell| cell.config.node.is_whole()) {
        return Ok(());
    }
    let why = "nodes that are not connected cannot start each run of a sweep together; start one command for each run";
    Err(raw.needs_text(OptionId::NodeCount, "a single run", why))
}
