//! How the agents of one recording are separated (`AIPERF_DATASET_WEKA_*`, `AIPERF_DATASET_TRACELAB_*`).

#[derive(Debug, Clone, PartialEq)]
pub struct AgentDetection {
    /// Separate the agents of a list of requests.
    pub split_flattened: bool,
    /// Send tool results as tool messages.
    pub tool_shaped_messages: bool,
    /// After a longer gap, a request continues an earlier one only if they share enough blocks.
    pub seam_max_gap_s: f64,
    /// Share of blocks that a request must have in common with the one it continues after a long gap.
    pub seam_min_overlap: f64,
    /// Maximum number of requests of a sidecar.
    pub aux_max_requests: usize,
    /// A request is a sidecar if its prompt is shorter than this share of its agent's longest prompt.
    pub aux_isl_ratio: f64,
    /// A request is a sidecar if its prompt is shorter than this many tokens.
    pub aux_isl_floor: u64,
    /// A request is a sidecar if it asks another model than its agent.
    pub aux_cross_model: bool,
    /// A request is a sidecar if its output is shorter than this many tokens and `aux_reduction_ratio` holds.
    pub aux_reduction_osl_max: u64,
    /// Minimum ratio of prompt to output length of a sidecar with a short output.
    pub aux_reduction_ratio: f64,
    /// Minimum number of agents of a worker group.
    pub worker_group_min: usize,
    /// Attach subagent sessions to the sessions that started them.
    pub join_subagents: bool,
    pub join_codex_subagents: bool,
    /// Minimum duration of a call that starts agents.
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
