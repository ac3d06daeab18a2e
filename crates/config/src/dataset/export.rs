//! What is sent.

use serde_json::{Value, json};

use super::media::export::put_media;
use super::trace::export as trace;
use crate::defaults;
use crate::section::Section;
use crate::{
    BadRows, BatchSizes, CacheBust, Config, Corpus, DatasetSource, FileFormat, FileSource, Length, LengthPair,
    PromptLengths, PublicSource, RangeRatio, Rankings, Sampling, SyntheticSource, SystemPrompt, Weighted,
};

impl Config {
    pub(crate) fn dataset_section(&self) -> Value {
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
                section.put_some("entries", file.entries);
                section.put_some("inter_turn_delay_cap_seconds", file.delay_cap_ms.map(|ms| ms / 1e3));
                put_draws(&mut section, file);
                trace::put(&mut section, &file.trace);
            }
            DatasetSource::Public(public) => put_public(&mut section, public),
            DatasetSource::Accuracy(questions) => {
                section.put("type", "public");
                section.put("dataset", questions.benchmark.facts().name);
                section.put_some("entries", questions.entries);
            }
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
        let osl = self.dataset.output_tokens.as_ref().map(length);
        match &self.dataset.source {
            DatasetSource::Synthetic(synthetic) => {
                if self.endpoint.kind.facts().tokenizes_input {
                    section.put("prompts", self.prompts(synthetic, osl));
                }
                section.put_some("rankings", synthetic.rankings.as_ref().map(rankings));
                put_turns(&mut section, synthetic);
                put_media(&mut section, synthetic.media.as_deref());
                section.put_some("prefix_prompts", self.prefix_prompts(synthetic));
            }
            DatasetSource::File(_) | DatasetSource::Public(_) | DatasetSource::Accuracy(_) => {
                section.put_some("osl", osl);
                section.put_some("prefix_prompts", self.leading_texts(self.dataset.user_context_tokens));
            }
        }
        if let SystemPrompt::Verbatim(text) = &self.dataset.system_prompt {
            section.put("system_prompt", &**text);
        }
        section.finish()
    }

    /// The default number goes unsaid, unless it is the number of requests or sessions.
    fn stated_entries(&self, entries: usize) -> Option<usize> {
        let stop = &self.phases.profiling().stop;
        let counted = [stop.requests, stop.sessions].contains(&Some(entries as u64));
        (entries != defaults::ENTRIES || counted).then_some(entries)
    }

    fn prefix_prompts(&self, synthetic: &SyntheticSource) -> Option<Value> {
        if let Some(prefix) = synthetic.prefix {
            return Some(json!({"pool_size": prefix.pool_size, "length": prefix.tokens}));
        }
        self.leading_texts(synthetic.user_context_tokens)
    }

    /// Generated texts that conversations begin with.
    fn leading_texts(&self, user_context_tokens: Option<usize>) -> Option<Value> {
        let mut section = Section::default();
        if let SystemPrompt::Synthetic(tokens) = self.dataset.system_prompt {
            section.put("shared_system_length", tokens);
        }
        section.put_some("user_context_length", user_context_tokens);
        section.finish_unless_empty()
    }
}

/// How a pool is drawn from, and what becomes of bad rows, where that differs from the default.
fn put_draws(section: &mut Section, file: &FileSource) {
    let BatchSizes { texts, images, audios, videos } = file.draws.batch;
    for (name, size) in [
        ("prompt_batch_size", texts),
        ("image_batch_size", images),
        ("audio_batch_size", audios),
        ("video_batch_size", videos),
    ] {
        section.put_some(name, Some(size).filter(|size| *size != 1));
    }
    section.put_some("skip_bad_rows", (file.bad_rows == BadRows::Skip).then_some(true));
    section.put_some("uuid_and_strip", file.strip_known_images.then_some(true));
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
    trace::put(section, &public.trace);
}

/// Only where they differ from one turn without pauses.
fn put_turns(section: &mut Section, synthetic: &SyntheticSource) {
    let (turns, delay) = (&synthetic.turns, &synthetic.turn_delay);
    if *turns != defaults::TURNS {
        section.put("turns", with_spread(turns));
    }
    section.put_some("turn_delay", delay.pause_ms.as_ref().map(with_spread));
    section.put_some("turn_delay_ratio", Some(delay.ratio).filter(|ratio| (ratio - 1.0).abs() > 0.0));
}

impl Config {
    fn prompts(&self, synthetic: &SyntheticSource, osl: Option<Value>) -> Value {
        let mut section = Section::default();
        match &synthetic.lengths {
            PromptLengths::Drawn(_) if synthetic.rankings.is_some() => {}
            PromptLengths::Drawn(drawn) => {
                section.put("isl", length(drawn));
                section.put_some("osl", osl);
            }
            PromptLengths::Pairs(pairs) => {
                section.put("sequence_distribution", pairs.iter().map(pair).collect::<Vec<_>>());
            }
            PromptLengths::Window(RangeRatio { style, mean, ratio }) => {
                section.put("isl", json!({"mean": f64::from(*mean)}));
                section.put_some("osl", osl);
                section.put("random_range_ratio", *ratio);
                section.put("random_corpus_style", style.name());
            }
        }
        section.put_some("batch_size", Some(synthetic.batch_size).filter(|size| *size != 1));
        match &synthetic.corpus {
            Corpus::Prose => {}
            Corpus::Code => section.put("corpus", "coding"),
            Corpus::RandomTokens(style) => {
                section.put("corpus", "random");
                section.put("random_corpus_style", style.name());
            }
            Corpus::File(path) => section.put("corpus_file", path.to_string_lossy()),
        }
        if self.cache_bust != CacheBust::None {
            section.put("cache_bust", json!({"target": self.cache_bust.name()}));
        }
        section.finish()
    }
}

fn rankings(rankings: &Rankings) -> Value {
    json!({
        "passages": length(&rankings.passages),
        "passage_tokens": length(&rankings.passage_tokens),
        "query_tokens": length(&rankings.query_tokens),
    })
}

fn pair(pair: &Weighted<LengthPair>) -> Value {
    let mut section = Section::default();
    for (name, length) in [("isl", &pair.value.input), ("osl", &pair.value.output)] {
        section.put(name, length.mean());
        if let Length::Normal { stddev, .. } = length {
            section.put_some(&format!("{name}_stddev"), Some(*stddev).filter(|spread| *spread != 0.0));
        }
    }
    section.put("probability", pair.weight);
    section.finish()
}

fn with_spread(drawn: &Length) -> Value {
    match drawn {
        Length::Normal { mean, stddev } => json!({"mean": mean, "stddev": stddev}),
        other => length(other),
    }
}

fn length(drawn: &Length) -> Value {
    let mut section = Section::default();
    match drawn {
        Length::Normal { mean, stddev } => {
            section.put("mean", *mean);
            section.put_some("stddev", Some(*stddev).filter(|spread| *spread != 0.0));
        }
        Length::LogNormal { mean, median } => return json!({"mean": mean, "median": median}),
        Length::Uniform { low, high } => return json!({"low": low, "high": high}),
        Length::Empirical(points) => {
            let point = |point: &Weighted<f64>| json!({"value": point.value, "weight": point.weight});
            section.put("points", points.iter().map(point).collect::<Vec<_>>());
        }
        Length::Multimodal(peaks) => {
            let peak = |peak: &Weighted<Length>| {
                let mut described = length(&peak.value);
                described["weight"] = json!(peak.weight);
                described
            };
            section.put("peaks", peaks.iter().map(peak).collect::<Vec<_>>());
        }
        Length::Clamped { length: inner, min, max } => {
            let mut described = length(inner);
            described["min"] = json!(min);
            if *max < f64::MAX {
                described["max"] = json!(max);
            }
            return described;
        }
    }
    section.finish()
}
