//! Whether plots show one run or several.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunMode {
    /// Requests of one run.
    Single,
    /// Summaries of several runs.
    Multi,
}

impl RunMode {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Single => "single-run",
            Self::Multi => "multi-run",
        }
    }

    /// As `--mode` spells it.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "single" => Some(Self::Single),
            "multi" => Some(Self::Multi),
            _ => None,
        }
    }
}
