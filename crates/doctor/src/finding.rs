//! What a check found.

use serde::Serialize;

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    Cores,
    CpuLimit,
    Governor,
    Steal,
    ClockSource,
    Timer,
    Memory,
    Descriptors,
    Ports,
    Disk,
    Gpu,
    Hub,
    Proxy,
    Command,
}

impl Check {
    /// As a person reads it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cores => "CPU",
            Self::CpuLimit => "CPU limit",
            Self::Governor => "CPU frequency",
            Self::Steal => "stolen CPU time",
            Self::ClockSource => "clock",
            Self::Timer => "timer",
            Self::Memory => "memory",
            Self::Descriptors => "open files",
            Self::Ports => "local ports",
            Self::Disk => "disk",
            Self::Gpu => "GPU",
            Self::Hub => "model hub",
            Self::Proxy => "proxy",
            Self::Command => "command",
        }
    }
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    Ok,
    /// Some runs are affected.
    Note,
    /// Runs fail, or their times are wrong.
    Problem,
}

impl Rank {
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Problem => "problem",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub check: Check,
    pub rank: Rank,
    /// What was read or measured.
    pub seen: String,
    /// What it means for a benchmark, and what to do. Empty if all is well.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub meaning: String,
}

impl Finding {
    pub fn ok(check: Check, seen: impl Into<String>) -> Self {
        Self { check, rank: Rank::Ok, seen: seen.into(), meaning: String::new() }
    }

    pub fn note(check: Check, seen: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self { check, rank: Rank::Note, seen: seen.into(), meaning: meaning.into() }
    }

    pub fn problem(check: Check, seen: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self { check, rank: Rank::Problem, seen: seen.into(), meaning: meaning.into() }
    }
}
