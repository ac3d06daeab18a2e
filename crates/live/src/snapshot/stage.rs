//! The five lines of start-up.

use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stage {
    pub name: StageName,
    pub state: StageState,
    /// What is being done, or what came of it: `builtin (o200k)`, `1,000 conversations`.
    pub text: String,
    /// How long it took, or has taken so far.
    pub seconds: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StageName {
    Tokenizer,
    Dataset,
    Endpoint,
    Telemetry,
    Warmup,
}

impl StageName {
    pub const ALL: [Self; 5] = [Self::Tokenizer, Self::Dataset, Self::Endpoint, Self::Telemetry, Self::Warmup];

    /// As people read it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Tokenizer => "Tokenizer",
            Self::Dataset => "Data set",
            Self::Endpoint => "Endpoint",
            Self::Telemetry => "Telemetry",
            Self::Warmup => "Warm-up",
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum StageState {
    #[default]
    Waiting,
    /// `of` is zero if nobody knows how much there is to do.
    Working {
        done: u64,
        of: u64,
    },
    Done,
    Failed,
    /// This run does not need it.
    Skipped,
}

impl StageState {
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Skipped)
    }
}
