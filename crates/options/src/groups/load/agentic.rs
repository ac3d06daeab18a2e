//! Agentic replay: recorded sessions of agents, entered in the middle, with a warmup of its own.

use aiperf_config::{AgenticReplay, DatasetSource, GracePeriod, Pace, PhaseConfig, PhaseKind, Recipe, StopConditions};

use super::limits::{self, Limits};
use super::{Surroundings, cancellation, stop};
use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

/// Options of another load, and of warmups that this one does not have.
const FOREIGN: [(OptionId, &str); 21] = [
    (OptionId::RequestRate, PACE),
    (OptionId::RequestRateSeries, PACE),
    (OptionId::RequestRateRampDuration, PACE),
    (OptionId::ArrivalPattern, PACE),
    (OptionId::ArrivalSmoothness, PACE),
    (OptionId::UserCentricRate, PACE),
    (OptionId::NumUsers, PACE),
    (OptionId::FixedScheduleAutoOffset, PACE),
    (OptionId::FixedScheduleStartOffset, PACE),
    (OptionId::FixedScheduleEndOffset, PACE),
    (OptionId::ConcurrencyRampDuration, "all lanes start together, each in the middle of a session"),
    (OptionId::WarmupRequestCount, WARMUP),
    (OptionId::WarmupDuration, WARMUP),
    (OptionId::NumWarmupSessions, WARMUP),
    (OptionId::WarmupConcurrency, WARMUP),
    (OptionId::WarmupPrefillConcurrency, WARMUP),
    (OptionId::WarmupRequestRate, WARMUP),
    (OptionId::WarmupArrivalPattern, WARMUP),
    (OptionId::WarmupGracePeriod, WARMUP),
    (OptionId::WarmupConcurrencyRampDuration, WARMUP),
    (OptionId::WarmupPrefillConcurrencyRampDuration, WARMUP),
];
/// A public set that the scenario takes.
const PINNED_SET: &str = "semianalysis_cc_traces_weka_with_subagents";
const PACE: &str = "the recorded sessions give the time of each request";
const WARMUP: &str = "the scenario warms up with the requests before the point at which each session starts";

pub(super) fn resolve(
    raw: &RawOptions,
    around: &Surroundings<'_>,
) -> Result<(Option<PhaseConfig>, PhaseConfig), ConfigError> {
    refuse(raw, around)?;
    let limits = Limits::read(raw, &limits::PROFILING)?;
    limits.check(raw, &limits::PROFILING, true, around.streaming)?;
    let sessions: Option<u64> = raw.int(OptionId::ConversationNum)?;
    let lanes = limits.concurrency().unwrap_or(1);
    let ratio = |id: OptionId, usual: f64| raw.float(id).map(|ratio| ratio.unwrap_or(usual));
    let replay = AgenticReplay {
        // A lane begins with a session, and there are no more of those.
        lanes: sessions.map_or(lanes, |most| lanes.min(usize::try_from(most).unwrap_or(lanes))),
        start_min: ratio(OptionId::TrajectoryStartMinRatio, 0.0)?,
        start_max: ratio(OptionId::TrajectoryStartMaxRatio, 1.0)?,
        burst: raw.flag(OptionId::BurstPhaseStarts)?,
        idle_cap: raw.seconds(OptionId::SystemIdleGapCapSeconds)?,
        cache_warmup: raw.seconds(OptionId::AgenticCacheWarmupDuration)?,
    };
    if replay.start_min > replay.start_max {
        let why = "sessions start between the two points, so the first must not be after the second";
        return Err(raw.conflict(OptionId::TrajectoryStartMinRatio, OptionId::TrajectoryStartMaxRatio, why));
    }
    let stop = StopConditions {
        requests: raw.int(OptionId::RequestCount)?,
        sessions,
        duration: raw.seconds(OptionId::BenchmarkDuration)?,
        whole_dataset: false,
        windows: None,
    };
    let pace = Pace::AgenticReplay(replay);
    let profiling = PhaseConfig {
        grace: stop::grace(raw, &stop, super::mode::Mode::Burst)?,
        prefill_limit: limits.prefill(),
        prefill_ramp: limits.prefill_ramp(),
        cancellation: cancellation(raw)?,
        failed_request_threshold: raw.float(OptionId::FailedRequestThreshold)?,
        ..PhaseConfig::new(PhaseKind::Profiling, pace.clone(), stop)
    };
    let warmup = PhaseConfig {
        grace: raw.wait(OptionId::AgenticWarmupGracePeriod)?.unwrap_or(GracePeriod::Unlimited),
        prefill_limit: profiling.prefill_limit,
        ..PhaseConfig::new(PhaseKind::Warmup, pace, StopConditions::default())
    };
    Ok((Some(warmup), profiling))
}

fn refuse(raw: &RawOptions, around: &Surroundings<'_>) -> Result<(), ConfigError> {
    let id = OptionId::Scenario;
    if let Some((other, why)) = FOREIGN.into_iter().find(|(other, _)| raw.is_given(*other)) {
        return Err(raw.conflict(other, id, why));
    }
    if let Some(other) = super::windows::any_given(raw) {
        let why = "sessions start in the middle, so their load changes from window to window";
        return Err(raw.conflict(other, id, why));
    }
    if raw.flag(OptionId::FixedSchedule)? {
        return Err(raw.conflict(OptionId::FixedSchedule, id, PACE));
    }
    if raw.is_given(OptionId::WarmupRequestRateRampDuration) {
        return Err(raw.conflict(OptionId::WarmupRequestRateRampDuration, id, WARMUP));
    }
    let why = "the scenario replays recorded agent sessions (weka_trace, tracelab)";
    match &around.dataset.source {
        DatasetSource::Synthetic(_) => {
            let [public, repository, file, anyway] =
                [OptionId::PublicDataset, OptionId::HfWekaDataset, OptionId::InputFile, OptionId::UnsafeOverride]
                    .map(OptionId::flag);
            let ways = format!("{public} {PINNED_SET}, {repository} OWNER/NAME, or {file} with {anyway}");
            Err(raw.needs_text(id, &ways, why))
        }
        DatasetSource::File(file) if file.format.is_some_and(|format| !format.facts().is_agentic) => {
            Err(raw.conflict(OptionId::CustomDatasetType, id, why))
        }
        DatasetSource::Public(public) if public.set.recipe != Recipe::Weka => {
            Err(raw.conflict(OptionId::PublicDataset, id, why))
        }
        DatasetSource::Accuracy(_) => Err(raw.conflict(OptionId::AccuracyBenchmark, id, why)),
        DatasetSource::File(_) | DatasetSource::Public(_) => Ok(()),
    }
}
