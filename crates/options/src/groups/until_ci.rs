//! How sure numbers must be before the run may end, and what that goes with.

use aiperf_config::{CiTarget, PhaseConfig};

use crate::catalogue::OptionId;
use crate::grammar::until_ci;
use crate::{ConfigError, RawOptions};

/// Any of these is a limit for a number that is never known well enough.
const LIMITS: [OptionId; 3] = [OptionId::BenchmarkDuration, OptionId::RequestCount, OptionId::ConversationNum];

pub(super) fn resolve(raw: &RawOptions, profiling: &PhaseConfig) -> Result<Vec<CiTarget>, ConfigError> {
    let id = OptionId::UntilCi;
    let read = |text: &str| until_ci::read(text).map_err(|reason| raw.bad(id, text, &reason));
    let targets = raw.list(id).into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    if targets.is_empty() {
        return match raw.get(id) {
            Some(_) => Err(raw.bad(id, "", "must name a metric, such as time_to_first_token:p99:5%")),
            None => Ok(targets),
        };
    }
    for (place, target) in targets.iter().enumerate() {
        if targets[..place].iter().any(|other| other.metric == target.metric && other.stat == target.stat) {
            return Err(raw.bad(id, &target.to_string(), "this metric and statistic is given twice"));
        }
    }
    if profiling.stop.windows.is_some() {
        let why = "both end the run when its results are precise enough; leave one of them out";
        return Err(raw.conflict(id, OptionId::MeasurementInterval, why));
    }
    if !profiling.stop.whole_dataset && LIMITS.into_iter().all(|limit| raw.get(limit).is_none()) {
        let needs = "--benchmark-duration, --request-count or --num-sessions";
        return Err(raw.needs_text(
            id,
            needs,
            "a number that is never known so well would keep the run going for ever",
        ));
    }
    Ok(targets)
}
