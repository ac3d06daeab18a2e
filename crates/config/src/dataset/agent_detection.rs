//! How agents are told apart that were recorded together (`AIPERF_DATASET_WEKA_*`, `AIPERF_DATASET_TRACELAB_*`).

#[derive(Debug, Clone, PartialEq)]
pub struct AgentDetection {
    /// Look for several agents in one list of requests.
    pub split_flattened: bool,
    /// Send results of tools as messages of tools.
    pub tool_shaped_messages: bool,
    /// After a longer pause a request must share much with the one that it goes on from.
    pub seam_max_gap_s: f64,
    /// That much, as a share of the blocks.
    pub seam_min_overlap: f64,
    /// A sidecar has no more requests.
    pub aux_max_requests: usize,
    /// A sidecar's prompt is shorter than this share of the longest of the main line.
    pub aux_isl_ratio: f64,
    /// Or shorter than so many tokens.
    pub aux_isl_floor: u64,
    /// Or asks another model.
    pub aux_cross_model: bool,
    /// Or has an answer below so many tokens,
    pub aux_reduction_osl_max: u64,
    /// and a prompt of so many times the answer.
    pub aux_reduction_ratio: f64,
    /// Least members of a group of workers.
    pub worker_group_min: usize,
    /// Put sessions under those that called them.
    pub join_subagents: bool,
    pub join_codex_subagents: bool,
    /// Least length of a call that starts agents.
    pub min_spawn_ms: f64,
}

impl Default for AgentDetection {
    fn default() -> Self {
        Self {
            split_flattened: true,
            tool_shaped_messages: false,
            seam_max_gap_s: 3600.0,
            seam_min_overlap: 0.5,
            aux_max_requests: 1,
            aux_isl_ratio: 0.1,
            aux_isl_floor: 16_384,
            aux_cross_model: true,
            aux_reduction_osl_max: 4000,
            aux_reduction_ratio: 20.0,
            worker_group_min: 3,
            join_subagents: true,
            join_codex_subagents: true,
            min_spawn_ms: 10_000.0,
        }
    }
}
