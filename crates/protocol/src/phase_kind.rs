//! The phases of a run.

use serde::Serialize;

/// What a phase is for: requests of the warmup are not measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PhaseKind {
    Warmup,
    Profiling,
}

impl PhaseKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Warmup => "warmup",
            Self::Profiling => "profiling",
        }
    }
}
