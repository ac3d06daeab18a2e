//! What is sent.

use serde_json::{Value, json};

use super::section::Section;
use crate::dataset::{DEFAULT_ENTRIES, SINGLE_TURN};
use crate::{
    Config, DatasetSource, FileFormat, Length, PublicSource, Sampling, SyntheticSource, SystemPrompt, TurnDelay,
};

impl Config {
    pub(super) fn dataset_section(&self) -> Value {
        let mut section = Section::named("main");
        match &self.dataset.source {
            DatasetSource::Synthetic(synthetic) => {
                section.put("type", "synthetic");
                section.put_some("entries", self.stated_entries(synthetic.entries));
            }
            DatasetSource::File(file) => {
                section.put("type", "file");
                section.put("path", file.path.to_string_lossy());
                section.put_some("format", file.format.map(FileFormat::name));
                section.put_some("inter_turn_delay_cap_seconds", file.delay_cap_ms.map(|ms| ms / 1e3));
            }
            DatasetSource::Public(public) => put_public(&mut section, public),
        }
        section.put_some("random_seed", self.random_seed);
        section.put_some(
            "sampling",
            match self.dataset.sampling {
                Sampling::Sequential => None,
                Sampling::Random => Some("random"),
                Sampling::Shuffle => Some("shuffle"),
            },
        );
        let osl = self.dataset.output_tokens.map(length);
        match &self.dataset.source {
            DatasetSource::Synthetic(synthetic) => {
                section.put("prompts", prompts(synthetic, osl));
                put_turns(&mut section, synthetic);
                section.put_some("prefix_prompts", self.prefix_prompts(synthetic));
            }
            DatasetSource::File(_) | DatasetSource::Public(_) => section.put_some("osl", osl),
        }
        if let SystemPrompt::Verbatim(text) = &self.dataset.system_prompt {
            section.put("system_prompt", &**text);
        }
        section.finish()
    }

    /// The default number goes unsaid, unless it is the number of requests or sessions.
    fn stated_entries(&self, entries: usize) -> Option<usize> {
        let stop = &self.profiling.stop;
        let counted = [stop.requests, stop.sessions].contains(&Some(entries as u64));
        (entries != DEFAULT_ENTRIES || counted).then_some(entries)
    }

    fn prefix_prompts(&self, synthetic: &SyntheticSource) -> Option<Value> {
        if let Some(prefix) = synthetic.prefix {
            return Some(json!({"pool_size": prefix.pool_size, "length": prefix.tokens}));
        }
        let mut section = Section::default();
        if let SystemPrompt::Synthetic(tokens) = self.dataset.system_prompt {
            section.put("shared_system_length", tokens);
        }
        section.put_some("user_context_length", synthetic.user_context_tokens);
        section.finish_unless_empty()
    }
}

fn put_public(section: &mut Section, public: &PublicSource) {
    section.put("type", "public");
    section.put("dataset", public.set.name);
    section.put_some("entries", public.entries);
    section.put_some("hf_subset", public.subset.as_deref());
    section.put_some("hf_weka_dataset", public.repository.as_deref());
    if !public.filters.is_empty() {
        let filters = public.filters.iter().map(|(key, value)| (key.clone(), json!(value)));
        section.put("filters", Value::Object(filters.collect()));
    }
    section.put_some("inter_turn_delay_cap_seconds", public.delay_cap_ms.map(|ms| ms / 1e3));
}

/// Only where they differ from one turn without pauses.
fn put_turns(section: &mut Section, synthetic: &SyntheticSource) {
    let (turns, delay) = (synthetic.turns, synthetic.turn_delay);
    if turns != SINGLE_TURN {
        section.put("turns", json!({"mean": turns.mean, "stddev": turns.stddev}));
    }
    if delay.mean_ms > 0.0 {
        section.put("turn_delay", json!({"mean": delay.mean_ms, "stddev": delay.stddev_ms}));
    }
    section.put_some("turn_delay_ratio", (delay != TurnDelay { ratio: 1.0, ..delay }).then_some(delay.ratio));
}

fn prompts(synthetic: &SyntheticSource, osl: Option<Value>) -> Value {
    let mut section = Section::default();
    section.put("isl", length(synthetic.input_tokens));
    section.put_some("osl", osl);
    section.put_some("batch_size", Some(synthetic.batch_size).filter(|size| *size != 1));
    section.finish()
}

fn length(length: Length) -> Value {
    let mut section = Section::default();
    section.put("mean", length.mean);
    section.put_some("stddev", Some(length.stddev).filter(|spread| *spread != 0.0));
    section.finish()
}
