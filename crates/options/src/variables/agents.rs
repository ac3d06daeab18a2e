//! How sessions and agents of recordings are distinguished: `AIPERF_DATASET_BASETEN_*`, `AIPERF_DATASET_WEKA_*` and
//! `AIPERF_DATASET_TRACELAB_*`.

use aiperf_config::{AgentDetection, SessionColumn};

use super::Variables;
use crate::ConfigError;

impl Variables<'_> {
    pub(super) fn session_column(&self) -> Result<SessionColumn, ConfigError> {
        let [provided, guessed] = SessionColumn::ALL.map(SessionColumn::name);
        let expected = format!("must be {provided} or {guessed}");
        let named = |text: &str| SessionColumn::ALL.into_iter().find(|column| column.name() == text);
        self.read("AIPERF_DATASET_BASETEN_SESSION_COLUMN", SessionColumn::default(), &expected, named)
    }

    pub(super) fn agents(&self) -> Result<AgentDetection, ConfigError> {
        let default = AgentDetection::default();
        let truth = |name: &str, default: bool| self.truth(&format!("AIPERF_DATASET_{name}"), default);
        let float =
            |name: &str, default: f64, high: f64| self.float(&format!("AIPERF_DATASET_{name}"), default, 0.0, high);
        let count =
            |name: &str, default: u64| self.int(&format!("AIPERF_DATASET_{name}"), default, 0, i128::from(u32::MAX));
        let size = |name: &str, default: usize| count(name, default as u64).map(|size| size as usize);
        Ok(AgentDetection {
            split_flattened: truth("WEKA_SPLIT_FLATTENED_AGENTS", default.split_flattened)?,
            tool_shaped_messages: truth("WEKA_TOOL_SHAPED_MESSAGES", default.tool_shaped_messages)?,
            seam_max_gap_s: float("WEKA_SEAM_MAX_GAP_SECONDS", default.seam_max_gap_s, f64::MAX)?,
            seam_min_overlap: float("WEKA_SEAM_MIN_OVERLAP_RATIO", default.seam_min_overlap, 1.0)?,
            aux_max_requests: size("WEKA_AUX_MAX_REQUESTS", default.aux_max_requests)?,
            aux_isl_ratio: float("WEKA_AUX_ISL_RATIO", default.aux_isl_ratio, f64::MAX)?,
            aux_isl_floor: count("WEKA_AUX_ISL_FLOOR", default.aux_isl_floor)?,
            aux_cross_model: truth("WEKA_AUX_CROSS_MODEL", default.aux_cross_model)?,
            aux_reduction_osl_max: count("WEKA_AUX_REDUCTION_OSL_MAX", default.aux_reduction_osl_max)?,
            aux_reduction_ratio: float("WEKA_AUX_REDUCTION_RATIO", default.aux_reduction_ratio, f64::MAX)?,
            worker_group_min: size("WEKA_WORKER_GROUP_MIN", default.worker_group_min)?,
            join_subagents: truth("TRACELAB_SUBAGENT_JOIN", default.join_subagents)?,
            join_codex_subagents: truth("TRACELAB_CODEX_SUBAGENT_JOIN", default.join_codex_subagents)?,
            min_spawn_ms: float("TRACELAB_MIN_SPAWN_MS", default.min_spawn_ms, f64::MAX)?,
        })
    }
}
