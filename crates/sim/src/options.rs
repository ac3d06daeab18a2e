//! The options of a simulated server: its speed, its limits, its faults and what it records.

use std::path::PathBuf;

use aiperf_clock::Nanos;
use aiperf_seed::Seed;

use crate::error::OptionError;
use crate::generation::distribution::Distribution;
use crate::generation::fault::FaultOptions;
use crate::monitoring::gpu::GpuOptions;
use crate::option_table::{SIM_OPTIONS, SimOption};

/// Everything that can be set. [`SIM_OPTIONS`] names each of these for people.
#[derive(Debug, Clone, PartialEq)]
pub struct SimOptions {
    /// Milliseconds to the first token, without the part that grows with the prompt.
    pub ttft: Distribution,
    /// Milliseconds of prefill for each prompt token that is not in the prefix cache.
    pub prefill: f64,
    /// Milliseconds between two output tokens.
    pub itl: Distribution,
    /// Requests that find the server cold, counted as they are admitted, and the milliseconds that this adds to their first
    /// token.
    pub cold: u64,
    pub cold_ms: f64,
    /// Milliseconds that the first token takes longer with each request that was admitted before.
    pub drift: f64,
    /// Output tokens when the request names no limit.
    pub osl: Distribution,
    /// Share of replies that end before their limit, unless the request sets `ignore_eos`.
    pub early_stop: f64,
    pub tokens_per_chunk: u32,
    /// Requests that run at once; the others wait in order of arrival.
    pub batch: u32,
    /// Requests that may run and wait together; further ones are refused with status 429. Zero: any number.
    pub most_in_system: u32,
    /// Tokens that prompt and answer may have together; zero: any number.
    pub context: u32,
    /// Blocks that the prefix cache holds; zero turns it off.
    pub cache_blocks: usize,
    /// Tokens in one block of the prefix cache.
    pub cache_block: u32,
    /// Blocks of the KV cache, as large as those of the prefix cache. A request takes them for its prompt and its whole reply when it
    /// gets its place, and waits until they are free.
    pub kv_blocks: u32,
    /// Output tokens that are reasoning, taken from the front of the reply.
    pub reasoning: u32,
    pub reasoning_field: ReasoningField,
    pub tools: ToolUse,
    pub usage: UsageReport,
    /// Drafts that a step of speculative decoding proposes, according to the reports of chats and completions; zero: none.
    pub spec_drafts: u32,
    /// Whether chats and completions that set `include_metrics` state their queue time and their other times.
    pub request_metrics: bool,
    pub count: TokenCounting,
    pub embed_dim: u32,
    pub model: String,
    pub seed: Seed,
    pub threads: u32,
    pub faults: FaultOptions,
    pub gpus: GpuOptions,
    /// A time, counted from the start, at which the whole server stands still, and for how long.
    pub stall_at: Nanos,
    pub stall_for: Nanos,
    /// Where the truth is written, one line for each finished request.
    pub truth_file: Option<PathBuf>,
    /// Whether the truth holds request bodies.
    pub truth_bodies: bool,
    /// How many finished requests stay in memory; older ones are dropped first.
    pub truth_keep: usize,
}

/// The name under which reasoning text is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReasoningField {
    ReasoningContent,
    Reasoning,
}

impl ReasoningField {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::ReasoningContent => "reasoning_content",
            Self::Reasoning => "reasoning",
        }
    }
}

/// When chat replies are tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolUse {
    Never,
    /// When the request offers tools.
    Offered,
    Always,
    /// As always, with text before the call in chats of `OpenAI`'s API.
    Beside,
}

/// When chats and completions of `OpenAI`'s API report usage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageReport {
    /// Streams when they are asked to, whole replies always.
    Asked,
    Never,
}

/// How prompt tokens are counted for `usage`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenCounting {
    /// With the o200k vocabulary.
    Exact,
    /// One token for every four bytes: cheap, for very high load.
    Approximate,
}

impl Default for SimOptions {
    fn default() -> Self {
        Self {
            ttft: Distribution::Constant(40.0),
            prefill: 0.0,
            itl: Distribution::Constant(8.0),
            cold: 0,
            cold_ms: 1_000.0,
            drift: 0.0,
            osl: Distribution::Constant(64.0),
            early_stop: 0.0,
            tokens_per_chunk: 1,
            batch: 256,
            most_in_system: 0,
            context: 0,
            cache_blocks: 0,
            cache_block: 16,
            kv_blocks: 1 << 24,
            reasoning: 0,
            reasoning_field: ReasoningField::ReasoningContent,
            tools: ToolUse::Never,
            usage: UsageReport::Asked,
            spec_drafts: 0,
            request_metrics: false,
            count: TokenCounting::Exact,
            embed_dim: 16,
            model: "sim-model".to_owned(),
            seed: Seed::fixed(0),
            threads: 1,
            faults: FaultOptions::default(),
            gpus: GpuOptions::default(),
            stall_at: Nanos::ZERO,
            stall_for: Nanos::ZERO,
            truth_file: None,
            truth_bodies: false,
            truth_keep: 10_000,
        }
    }
}

impl SimOptions {
    /// Reads `ttft=40&itl=8`, the part of a `sim:` URL after the question mark. Percent escapes are decoded.
    pub fn from_query(query: &str) -> Result<Self, OptionError> {
        let mut options = Self::default();
        let mut seen: Vec<&'static str> = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = match pair.split_once('=') {
                Some((name, value)) => (percent_decoded(name), Some(percent_decoded(value))),
                None => (percent_decoded(pair), None),
            };
            let option = find(&name)?;
            if seen.contains(&option.name) {
                return Err(OptionError::Twice { name: option.name });
            }
            seen.push(option.name);
            let value = value.ok_or(OptionError::NoValue { name: option.name, hint: option.value })?;
            apply(option, &mut options, &value)?;
        }
        Ok(options)
    }

    /// Sets one option by its name, with underscores or hyphens.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        apply(find(name)?, self, value)
    }
}

fn apply(option: &SimOption, options: &mut SimOptions, value: &str) -> Result<(), OptionError> {
    (option.action)(options, value).map_err(|reason| OptionError::Value {
        name: option.name,
        value: value.to_owned(),
        reason,
        hint: option.value,
    })
}

fn find(name: &str) -> Result<&'static SimOption, OptionError> {
    let wanted = name.replace('-', "_");
    SIM_OPTIONS.iter().find(|option| option.name == wanted).ok_or_else(|| OptionError::Unknown {
        name: name.to_owned(),
        known: SIM_OPTIONS.iter().map(|option| option.name).collect::<Vec<_>>().join(", "),
    })
}

/// Decodes `%XX`. A plus sign stays one: these are URL queries, not form bodies, and paths may hold it.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let escape = (first == b'%').then(|| tail.get(..2)).flatten();
        let decoded = escape.and_then(|hex| std::str::from_utf8(hex).ok()).and_then(|hex| {
            hex.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u8::from_str_radix(hex, 16).ok()).flatten()
        });
        if let Some(byte) = decoded {
            bytes.push(byte);
            rest = &tail[2..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_query_sets_what_it_names_and_leaves_the_rest() {
        let options = SimOptions::from_query("ttft=gamma:40,4&itl=2.5&tokens-per-chunk=3&truth=a%20b%2Bc+d").unwrap();
        assert_eq!(options.ttft, Distribution::Gamma { mean: 40.0, shape: 4.0 });
        assert_eq!(options.itl, Distribution::Constant(2.5));
        assert_eq!(options.tokens_per_chunk, 3);
        assert_eq!(options.truth_file, Some("a b+c+d".into()));
        assert_eq!(options.batch, SimOptions::default().batch);
        assert_eq!(SimOptions::from_query("").unwrap(), SimOptions::default());
    }

    #[test]
    fn an_unknown_option_is_named_with_the_known_ones() {
        let error = SimOptions::from_query("tttf=40").unwrap_err().to_string();
        assert!(error.contains("`tttf`") && error.contains("ttft, ") && error.contains("truth"), "{error}");
    }

    #[test]
    fn a_bad_value_names_the_option_the_value_and_what_fits() {
        let error = SimOptions::from_query("batch=0").unwrap_err().to_string();
        assert!(error.contains("`batch=0`") && error.contains("expected N"), "{error}");
        assert!(SimOptions::from_query("error_rate=1.5").unwrap_err().to_string().contains("error_rate=1.5"));
        assert_eq!(SimOptions::from_query("seed").unwrap_err(), OptionError::NoValue { name: "seed", hint: "N" });
        assert_eq!(SimOptions::from_query("itl=1&itl=2").unwrap_err(), OptionError::Twice { name: "itl" });
    }

    proptest! {
        #[test]
        fn no_query_makes_the_reader_panic(query in ".{0,60}") {
            let _ = SimOptions::from_query(&query);
        }

        #[test]
        fn a_decoded_value_without_escapes_is_itself(text in "[^%]{0,20}") {
            prop_assert_eq!(percent_decoded(&text), text);
        }
    }
}
