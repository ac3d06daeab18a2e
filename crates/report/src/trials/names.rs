//! Names of the files over several runs.

pub const AGGREGATE_JSON: &str = "profile_export_aiperf_aggregate.json";
pub const AGGREGATE_CSV: &str = "profile_export_aiperf_aggregate.csv";
pub const COLLATED_JSON: &str = "profile_export_aiperf_collated.json";
pub const SWEEP_JSON: &str = "profile_export_aiperf_sweep.json";
pub const SWEEP_CSV: &str = "profile_export_aiperf_sweep.csv";

/// What a command with several runs is going to do, from before its first run.
pub const PLAN: &str = ".aiperf_plan.json";

/// What a search tried and found, after each of its points.
pub const SEARCH_HISTORY: &str = "search_history.json";
/// All results of all points of a search.
pub const SEARCH_CHECKPOINT: &str = "search_checkpoint.json";

pub const ALL: [&str; 8] =
    [AGGREGATE_JSON, AGGREGATE_CSV, COLLATED_JSON, SWEEP_JSON, SWEEP_CSV, PLAN, SEARCH_HISTORY, SEARCH_CHECKPOINT];
