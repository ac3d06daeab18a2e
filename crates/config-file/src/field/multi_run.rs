//! Repeated runs: `multiRun`.

use aiperf_options::catalogue::OptionId;

use super::Field;
use super::Form::{Duration, Flag, Scalar, Section};

pub(crate) const MULTI_RUN: &[Field] = &[
    Field::new("num_runs", Scalar(OptionId::NumProfileRuns)),
    Field::new("cooldown_seconds", Duration(OptionId::ProfileRunCooldownSeconds)),
    Field::new("confidence_level", Scalar(OptionId::ConfidenceLevel)),
    Field::new("set_consistent_seed", Flag(OptionId::SetConsistentSeed)),
    Field::new("vary_seed_per_trial", Flag(OptionId::VarySeedPerTrial)),
    Field::new("disable_warmup_after_first", Flag(OptionId::ProfileRunDisableWarmupAfterFirst)),
    Field::new("convergence", Section(CONVERGENCE)),
    // The reference has no field for this.
    Field::new("fail_fast", Flag(OptionId::FailFast)),
];

const CONVERGENCE: &[Field] = &[
    Field::new("metric", Scalar(OptionId::ConvergenceMetric)),
    Field::new("stat", Scalar(OptionId::ConvergenceStat)),
    Field::new("mode", Scalar(OptionId::ConvergenceMode)),
    Field::new("threshold", Scalar(OptionId::ConvergenceThreshold)),
    Field::new("min_runs", Scalar(OptionId::ConvergenceMinRuns)),
];
