//! Checks the data of a scenario, and whether its results are a valid submission.

use aiperf_config::{CacheBust, Config, DatasetSource, Pace};
use aiperf_dataset::Dataset;
use aiperf_engine::{PhaseOutcome, ReplayEntry};
use aiperf_metrics::{Metric, Summary};
use aiperf_protocol::RunOutcome;
use serde_json::{Value, json};

use crate::error::RunError;
use crate::run::Run;

/// An agentic replay needs recorded sessions, and one for each lane unless a marker tells those apart that are the same.
pub(crate) fn check_data(config: &Config, dataset: &Dataset) -> Result<(), RunError> {
    let (Some(scenario), Pace::AgenticReplay(replay)) = (&config.scenario, &config.phases.profiling().pace) else {
        return Ok(());
    };
    if !dataset.file_format.is_some_and(|format| format.facts().is_agentic) {
        let data = match &config.dataset.source {
            DatasetSource::File(file) => format!("--input-file {}", file.path.display()),
            DatasetSource::Public(public) => public.set.name.to_owned(),
            DatasetSource::Synthetic(_) => "the synthetic data set".to_owned(),
            DatasetSource::Accuracy(questions) => questions.benchmark.facts().name.to_owned(),
        };
        return Err(RunError::NoAgents { name: scenario.name, data });
    }
    let sessions = dataset.roots().len();
    if replay.lanes > sessions && !config.allow_dataset_wrap && config.cache_bust == CacheBust::None {
        return Err(RunError::TooFewRecordings { lanes: replay.lanes, sessions });
    }
    Ok(())
}

/// Whether the results are a valid submission to the scenario, and if not, why. `outcome` is that of the run, `ended_by` that
/// of its profiling phase.
pub(crate) fn submission(
    run: &Run,
    outcome: RunOutcome,
    ended_by: Option<RunOutcome>,
    profiling: &Summary,
) -> Option<Value> {
    let scenario = run.config.scenario.as_ref()?;
    let mut reasons = Vec::new();
    if scenario.overridden {
        reasons.push("unsafe_override");
    }
    match outcome {
        RunOutcome::Stopped(_) => reasons.push("run_cancelled"),
        RunOutcome::NothingSucceeded => reasons.push("no_successful_requests"),
        // Lanes always have another session: a run that ends otherwise reached a count before its duration.
        _ if ended_by != Some(RunOutcome::DurationOver) => reasons.push("ended_before_duration"),
        _ => {}
    }
    let overflowed = profiling.get(Metric::ContextOverflowCount).and_then(|stats| stats.avg).unwrap_or(0.0);
    let all = (profiling.successful + profiling.failed) as f64;
    if overflowed > run.config.tuning.context_overflow_limit * all {
        reasons.push("context_overflow_rate_exceeded");
    }
    let mut metadata = json!({"scenario": scenario.name, "submission_valid": reasons.is_empty()});
    if !reasons.is_empty() {
        log::warn!("Not a valid submission to {}: {}", scenario.name, reasons.join(", "));
        metadata["submission_invalid_reasons"] = json!(reasons);
    }
    Some(metadata)
}

/// Where sessions were entered, and what was left out of the time between them.
pub(crate) fn replay_json(outcome: &PhaseOutcome) -> Option<Value> {
    let replay = outcome.replay.as_ref()?;
    let entry = |entry: &ReplayEntry| {
        json!({
            "session_id": &*entry.session_id,
            "start_ratio": entry.ratio,
            "root_next_turn": entry.root_next,
            "root_turns": entry.root_turns,
            "live_streams": entry.live,
        })
    };
    Some(json!({
        "lanes": replay.entries.iter().map(entry).collect::<Vec<_>>(),
        "trees_completed": replay.trees_completed,
        "idle_gaps_shortened": replay.idle_jumps,
        "idle_seconds_skipped": replay.idle_skipped.as_secs_f64(),
    }))
}
