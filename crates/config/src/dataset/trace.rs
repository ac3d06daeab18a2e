//! How a trace is changed on its way from the file to the schedule.

pub(crate) mod export;

use super::AgentDetection;

/// What is asked of a trace. The default changes nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TraceOptions {
    /// Tokens that one block id stands for; `None`: as usual in that layout.
    pub block_size: Option<u32>,
    /// What prompts are made of; `None`: as usual in that layout.
    pub corpus: Option<TraceCorpus>,
    /// Recorded times and pauses are forgotten.
    pub ignore_times: bool,
    pub synthesis: TraceSynthesis,
    pub replay: Replay,
    pub agents: AgentReplay,
}

/// What prompts of recorded lengths are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceCorpus {
    /// Words.
    Prose,
    /// Program text.
    Code,
}

impl TraceCorpus {
    /// As `--prompt-corpus` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prose => "sonnet",
            Self::Code => "coding",
        }
    }
}

/// How recorded sessions of agents are replayed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentReplay {
    /// Only the recorded think time is a pause, not all that lay between two requests.
    pub think_time_only: bool,
    /// Longest time without a request of a session that is kept.
    pub idle_gap_cap_s: Option<f64>,
    /// Sessions that ever need more tokens for prompt and answer are left out.
    pub max_context: Option<u64>,
    /// Number of sessions that are read; `None` for all.
    pub entries: Option<usize>,
    pub detection: AgentDetection,
}

/// Changes to lengths, prefixes and pace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TraceSynthesis {
    /// Times and pauses are divided by it.
    pub speedup: f64,
    /// Factor for what requests share.
    pub prefix_len: f64,
    /// Independent copies of what is shared.
    pub prefix_roots: u32,
    /// Factor for the part of a prompt that is its own.
    pub prompt_len: f64,
    pub output_len: f64,
    /// Requests with longer prompts are left out.
    pub max_isl: Option<u64>,
    /// Longer outputs are cut to this.
    pub max_osl: Option<u64>,
}

impl Default for TraceSynthesis {
    fn default() -> Self {
        Self {
            speedup: 1.0,
            prefix_len: 1.0,
            prefix_roots: 1,
            prompt_len: 1.0,
            output_len: 1.0,
            max_isl: None,
            max_osl: None,
        }
    }
}

/// Which part of a trace is sent, and how its time runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replay {
    /// Times and pauses are divided by it.
    pub speedup: f64,
    /// Longest time without any request that is kept.
    pub max_idle_gap_ms: Option<f64>,
    /// Every request is a session of its own, sent at its own time whatever became of others.
    pub strict: bool,
    /// Share of the sessions that is kept.
    pub session_share: f64,
    /// Later turns of a session are sent a pause after the answer before them, instead of at their times: the recorded gap
    /// less the recorded duration. For traces that have durations.
    pub closed_loop: bool,
    /// Send the block hashes of a trace with its prompts, where it has both.
    pub block_hints: bool,
    /// Which of the two ids of a Baseten row is its session, where it has both.
    pub session_column: SessionColumn,
    /// Have the server produce at least the recorded number of tokens, where the prompts are literal.
    pub min_tokens: bool,
}

/// What a Baseten trace knows sessions by: an id that clients gave, or one that was guessed from what requests share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SessionColumn {
    #[default]
    Provided,
    Guessed,
}

impl SessionColumn {
    pub const ALL: [Self; 2] = [Self::Provided, Self::Guessed];

    /// As the trace spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Provided => "provided_session_id",
            Self::Guessed => "poor_man_session_id",
        }
    }
}

impl Default for Replay {
    fn default() -> Self {
        Self {
            speedup: 1.0,
            max_idle_gap_ms: None,
            strict: false,
            session_share: 1.0,
            closed_loop: false,
            block_hints: true,
            session_column: SessionColumn::default(),
            min_tokens: true,
        }
    }
}

impl TraceOptions {
    /// How many times as fast as it was recorded the trace runs.
    pub fn speedup(&self) -> f64 {
        self.synthesis.speedup * self.replay.speedup
    }
}
