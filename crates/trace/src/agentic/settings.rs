//! The settings of the generator of coding sessions, in the form of its JSON files.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::lognormal::LogNormal;
use crate::TraceError;

/// The limits that keep block ids unique: groups, blocks in the prefix of a group, and blocks of a session.
const MOST_GROUPS: u64 = 1_000;
const GROUP_BLOCKS: u64 = 200;
const SESSION_BLOCKS: u64 = 4_000;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgenticSettings {
    pub new_tokens_per_turn: LogNormal,
    pub generation_length: LogNormal,
    pub inter_turn_delay: TurnPause,
    pub reset: Reset,
    /// The number of turns per session. Without it a session may end after each turn with a probability.
    pub turns: Option<Turns>,
    pub max_prompt_tokens: u64,
    pub block_size: u32,
    pub cache: Layers,
    pub restart_initial_probability: f64,
    pub restart_turn_range: [u32; 2],
}

/// The delays of tools and of people.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TurnPause {
    pub agentic_fraction: f64,
    pub agentic_delay: LogNormal,
    pub human_delay: LogNormal,
    pub max: Option<f64>,
}

/// The probability that a session ends after a turn, which grows with the context.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reset {
    pub base_probability: f64,
    pub context_scaling: f64,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turns {
    pub mean: f64,
    pub median: f64,
    #[serde(default)]
    pub min: Option<f64>,
    #[serde(default)]
    pub max: Option<f64>,
    /// Whether a session that reaches the context limit too early is kept. Otherwise another one is generated.
    #[serde(default)]
    pub allow_truncation: bool,
    #[serde(default = "hundred")]
    pub max_session_attempts: u32,
}

const fn hundred() -> u32 {
    100
}

/// The layers at the start of prompts: shared by all sessions, shared by a group, and specific to the session.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Layers {
    pub layer1_tokens: u64,
    pub layer1_5_tokens: u64,
    pub layer2: LogNormal,
    pub layer1_5_groups: Groups,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Groups {
    pub num_groups: u64,
    pub zipf_alpha: f64,
}

impl Default for AgenticSettings {
    fn default() -> Self {
        Self {
            new_tokens_per_turn: LogNormal { bias: Some(1.0), ..LogNormal::of(3500.0, 1800.0) },
            generation_length: LogNormal::of(500.0, 300.0),
            inter_turn_delay: TurnPause::default(),
            reset: Reset::default(),
            turns: None,
            max_prompt_tokens: 200_000,
            block_size: 512,
            cache: Layers::default(),
            restart_initial_probability: 0.0,
            restart_turn_range: [5, 15],
        }
    }
}

impl Default for TurnPause {
    fn default() -> Self {
        Self {
            agentic_fraction: 0.7,
            agentic_delay: LogNormal::of(2_500.0, 1_800.0),
            human_delay: LogNormal::of(40_000.0, 25_000.0),
            max: None,
        }
    }
}

impl Default for Reset {
    fn default() -> Self {
        Self { base_probability: 0.02, context_scaling: 2.0 }
    }
}

impl Default for Layers {
    fn default() -> Self {
        Self {
            layer1_tokens: 32_000,
            layer1_5_tokens: 20_000,
            layer2: LogNormal::of(10_000.0, 5_000.0),
            layer1_5_groups: Groups::default(),
        }
    }
}

impl Default for Groups {
    fn default() -> Self {
        Self { num_groups: 50, zipf_alpha: 1.2 }
    }
}

impl AgenticSettings {
    /// The profile named `default`: nearly fixed lengths, one group, short delays of tools.
    pub fn default_profile() -> Self {
        let bounded = |mean, median, max| LogNormal { max: Some(max), ..LogNormal::of(mean, median) };
        Self {
            new_tokens_per_turn: LogNormal { bias: Some(1.1), ..bounded(6_000.0, 6_000.0, 10_000.0) },
            generation_length: bounded(1_000.0, 1_000.0, 1_500.0),
            inter_turn_delay: TurnPause {
                agentic_delay: bounded(2_500.0, 1_800.0, 10_000.0),
                human_delay: bounded(40_000.0, 25_000.0, 120_000.0),
                ..TurnPause::default()
            },
            reset: Reset { base_probability: 0.01, context_scaling: 1.5 },
            max_prompt_tokens: 167_000,
            cache: Layers {
                layer1_5_tokens: 0,
                layer2: bounded(15_000.0, 5_000.0, 30_000.0),
                layer1_5_groups: Groups { num_groups: 1, zipf_alpha: 0.6 },
                ..Layers::default()
            },
            ..Self::default()
        }
    }

    /// Reads a file of settings, or the manifest of an earlier run.
    pub fn read(path: &Path) -> Result<Self, TraceError> {
        let refuse = |reason: String| TraceError::Settings { path: path.to_owned(), reason };
        let text = std::fs::read_to_string(path)
            .map_err(|error| TraceError::Unreadable { path: path.to_owned(), reason: error.to_string() })?;
        let mut value: Value =
            serde_json::from_str(&text).map_err(|error| refuse(format!("not valid JSON: {error}")))?;
        if let Some(parameters) = value.get_mut("generation_params") {
            value = parameters.take();
        }
        forget_parameters(&mut value);
        let settings: Self = serde_json::from_value(value).map_err(|error| refuse(error.to_string()))?;
        settings.check().map_err(refuse)?;
        Ok(settings)
    }

    /// Checks the settings; the error names the setting to change.
    pub fn check(&self) -> Result<(), String> {
        let distributions = [
            ("new_tokens_per_turn", &self.new_tokens_per_turn),
            ("generation_length", &self.generation_length),
            ("inter_turn_delay.agentic_delay", &self.inter_turn_delay.agentic_delay),
            ("inter_turn_delay.human_delay", &self.inter_turn_delay.human_delay),
            ("cache.layer2", &self.cache.layer2),
        ];
        for (name, distribution) in distributions {
            distribution.check().map_err(|problem| format!("{name}: {problem}"))?;
        }
        if let Some(turns) = self.turns {
            turns.distribution().check().map_err(|problem| format!("turns: {problem}"))?;
        }
        let size = u64::from(self.block_size);
        if size == 0 {
            return Err("block_size: at least 1 is expected".to_owned());
        }
        let share = |name: &str, value: f64| {
            let fits = (0.0..=1.0).contains(&value);
            if fits { Ok(()) } else { Err(format!("{name}: a number from 0 to 1 is expected, not {value}")) }
        };
        share("inter_turn_delay.agentic_fraction", self.inter_turn_delay.agentic_fraction)?;
        share("reset.base_probability", self.reset.base_probability)?;
        share("restart_initial_probability", self.restart_initial_probability)?;
        let groups = self.cache.layer1_5_groups.num_groups;
        if !(1..=MOST_GROUPS).contains(&groups) {
            return Err(format!("cache.layer1_5_groups.num_groups: from 1 to {MOST_GROUPS} is expected, not {groups}"));
        }
        if self.cache.layer1_5_tokens.div_ceil(size) > GROUP_BLOCKS {
            return Err(format!(
                "cache.layer1_5_tokens: at most {GROUP_BLOCKS} blocks of {size} tokens have ids; lower it, or raise block_size"
            ));
        }
        if self.max_prompt_tokens.div_ceil(size) > SESSION_BLOCKS {
            return Err(format!(
                "max_prompt_tokens (--max-isl): at most {SESSION_BLOCKS} blocks of {size} tokens have ids; lower it, or raise \
                 block_size"
            ));
        }
        if self.first_tokens() >= self.max_prompt_tokens {
            return Err(format!(
                "max_prompt_tokens (--max-isl): {} is not more than what every prompt begins with, {} tokens: raise it, or \
                 lower cache.layer1_tokens and cache.layer1_5_tokens",
                self.max_prompt_tokens,
                self.first_tokens()
            ));
        }
        let [first, last] = self.restart_turn_range;
        if first == 0 || first > last {
            return Err(format!("restart_turn_range: a range of turns is expected, not {first} to {last}"));
        }
        Ok(())
    }

    /// The number of tokens that a prompt shares with others, in whole blocks.
    pub(super) fn first_tokens(&self) -> u64 {
        (self.shared_blocks() + self.group_blocks()) * u64::from(self.block_size)
    }

    /// The blocks that every prompt of a group begins with.
    pub(super) fn prefix_blocks(&self, group: u64) -> impl Iterator<Item = u64> + use<> {
        let shared = self.shared_blocks();
        let first = shared + group * GROUP_BLOCKS;
        (0..shared).chain(first..first + self.group_blocks())
    }

    /// The first block id of this session.
    pub(super) fn first_own_block(&self, session: u64) -> u64 {
        self.shared_blocks() + MOST_GROUPS * GROUP_BLOCKS + session * SESSION_BLOCKS
    }

    pub(super) fn shared_blocks(&self) -> u64 {
        self.cache.layer1_tokens.div_ceil(u64::from(self.block_size))
    }

    pub(super) fn group_blocks(&self) -> u64 {
        self.cache.layer1_5_tokens.div_ceil(u64::from(self.block_size))
    }
}

impl Turns {
    pub(super) fn distribution(self) -> LogNormal {
        LogNormal { min: self.min, max: self.max, ..LogNormal::of(self.mean, self.median) }
    }
}

/// Removes `mu` and `sigma`, which manifests of the reference contain in addition to the mean and median.
fn forget_parameters(value: &mut Value) {
    let Value::Object(fields) = value else { return };
    if fields.contains_key("mean") && fields.contains_key("median") {
        fields.remove("mu");
        fields.remove("sigma");
    }
    fields.values_mut().for_each(forget_parameters);
}
