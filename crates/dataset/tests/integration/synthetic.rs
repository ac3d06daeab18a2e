//! Synthetic data sets through the public door: lengths, prefixes, models, and the same bytes for the same seed.

use std::collections::HashSet;
use std::sync::Arc;

use aiperf_config::{
    DatasetConfig, Length, ModelSelection, PrefixPrompts, PromptLengths, SyntheticSource, SystemPrompt,
};
use aiperf_conversation::ContextMode;
use aiperf_dataset::{Dataset, DatasetError, build};
use aiperf_seed::Seed;
use aiperf_tokenizer::{Tokenizer, TokenizerRequest};

use crate::described::{self, builtin, generated as config, prompts};

fn source() -> SyntheticSource {
    prompts(20, 100.0)
}

fn made(config: &DatasetConfig, seed: u64) -> Dataset {
    build(config, Seed::fixed(seed), &builtin()).unwrap()
}

fn texts(dataset: &Dataset) -> Vec<String> {
    dataset.conversations().flat_map(|c| c.turns[0].all_texts().map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn every_prompt_has_the_length_that_was_asked_for_and_no_two_are_alike() {
    let dataset = made(&config(source()), 1);
    let texts = texts(&dataset);
    assert!(texts.iter().all(|text| builtin().count(text) == 100));
    assert_eq!(dataset.inexact_texts(), 0);
    let starts: HashSet<&str> = texts.iter().map(|text| &text[..40]).collect();
    assert_eq!(starts.len(), 20, "no prefix cache may hit by accident");
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    let config = config(SyntheticSource { lengths: PromptLengths::Drawn(Length::normal(80.0, 20.0)), ..source() });
    let render = |seed| format!("{:?}", made(&config, seed).conversations().collect::<Vec<_>>());
    assert_eq!(render(42), render(42));
    assert_ne!(render(42), render(43));
    assert_eq!(made(&config, 42).outlines()[7].session_id.to_string(), "session_000007");
}

#[test]
fn prompts_are_pinned_so_that_a_new_release_repeats_an_old_run() {
    assert_eq!(
        texts(&made(&config_of_one(12), 42))[0],
        "Her city pushed your road. Perhaps the grain loved another large"
    );
}

#[test]
fn lengths_spread_as_asked() {
    let config =
        config(SyntheticSource { entries: 400, lengths: PromptLengths::Drawn(Length::normal(60.0, 10.0)), ..source() });
    let counts: Vec<f64> = texts(&made(&config, 5)).iter().map(|text| builtin().count(text) as f64).collect();
    let mean = counts.iter().sum::<f64>() / 400.0;
    let deviation = (counts.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / 400.0).sqrt();
    assert!((mean - 60.0).abs() < 1.6 && (deviation - 10.0).abs() < 1.5, "{mean} {deviation}");
}

#[test]
fn a_batch_puts_several_texts_into_one_turn() {
    let dataset = made(&config(SyntheticSource { batch_size: 3, entries: 4, ..source() }), 1);
    assert_eq!(dataset.len(), 4);
    for conversation in dataset.conversations() {
        assert_eq!(conversation.turns.len(), 1);
        assert!(conversation.turns[0].all_texts().all(|text| builtin().count(text) == 100));
        assert_eq!(conversation.turns[0].all_texts().collect::<HashSet<_>>().len(), 3);
    }
}

#[test]
fn prefixes_come_from_a_pool_and_add_to_the_length() {
    let prefix = Some(PrefixPrompts { pool_size: 3, tokens: 30 });
    let dataset = made(&config(SyntheticSource { prefix, entries: 60, ..source() }), 1);
    let tokens: Vec<Vec<u32>> = texts(&dataset).iter().map(|text| builtin().encode(text)).collect();
    assert!(tokens.iter().all(|tokens| tokens.len() == 130));
    let prefixes: HashSet<&[u32]> = tokens.iter().map(|tokens| &tokens[..30]).collect();
    assert_eq!(prefixes.len(), 3, "every prefix of the pool is used");
    let beyond: HashSet<&[u32]> = tokens.iter().map(|tokens| &tokens[..40]).collect();
    assert_eq!(beyond.len(), 60, "what follows the prefix is each prompt's own");
}

#[test]
fn a_prefix_pool_does_not_change_which_prefix_free_draws_are_made() {
    let lengths = |prefix| {
        let lengths = PromptLengths::Drawn(Length::normal(50.0, 15.0));
        let dataset = made(&config(SyntheticSource { prefix, lengths, ..source() }), 9);
        texts(&dataset).iter().map(|text| builtin().count(text)).collect::<Vec<_>>()
    };
    let with: Vec<usize> = lengths(Some(PrefixPrompts { pool_size: 2, tokens: 10 })).iter().map(|n| n - 10).collect();
    assert_eq!(with, lengths(None));
}

#[test]
fn a_shared_system_prompt_is_one_text_and_a_context_prompt_is_each_ones_own() {
    let mut config = config(SyntheticSource { user_context_tokens: Some(25), ..source() });
    config.system_prompt = SystemPrompt::Synthetic(40);
    let dataset = made(&config, 1);
    let system: HashSet<Arc<str>> = dataset.conversations().map(|c| c.system.clone().unwrap()).collect();
    let context: HashSet<Arc<str>> = dataset.conversations().map(|c| c.user_context.clone().unwrap()).collect();
    assert_eq!((system.len(), context.len()), (1, 20));
    assert!(system.iter().all(|text| builtin().count(text) == 40));
    assert!(context.iter().all(|text| builtin().count(text) == 25));
    assert!(texts(&dataset).iter().all(|text| builtin().count(text) == 100), "both add to the prompt");
    assert_eq!(dataset.outlines()[0].context_mode, ContextMode::DeltasWithoutResponses);
}

#[test]
fn a_verbatim_system_prompt_is_taken_as_it_is() {
    let mut config = config(source());
    config.system_prompt = SystemPrompt::Verbatim(Arc::from("Be brief."));
    assert!(made(&config, 1).conversations().all(|c| c.system.as_deref() == Some("Be brief.")));
}

#[test]
fn models_go_round_by_turn_or_are_drawn() {
    let mut config = config(source());
    config.models = vec![Arc::from("a"), Arc::from("b"), Arc::from("c")];
    let models = |config: &DatasetConfig| {
        made(config, 3).conversations().map(|c| c.turns[0].model.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(models(&config)[..5], ["a", "b", "c", "a", "b"]);
    config.model_selection = ModelSelection::Random;
    let drawn = models(&config);
    assert_eq!(drawn, models(&config));
    assert_ne!(drawn[..6], ["a", "b", "c", "a", "b", "c"]);
    assert_eq!(drawn.iter().collect::<HashSet<_>>().len(), 3);
}

#[test]
fn output_lengths_are_drawn_when_asked_for_and_absent_otherwise() {
    let mut config = config(source());
    assert!(made(&config, 1).conversations().all(|c| c.turns[0].max_tokens.is_none()));
    config.output_tokens = Some(Length::normal(12.0, 0.0));
    assert!(made(&config, 1).conversations().all(|c| c.turns[0].max_tokens == Some(12)));
    config.output_tokens = Some(Length::normal(12.0, 4.0));
    let drawn: HashSet<u32> = made(&config, 1).conversations().filter_map(|c| c.turns[0].max_tokens).collect();
    assert!(drawn.len() > 3 && drawn.iter().all(|tokens| *tokens >= 1));
}

#[test]
fn room_is_left_for_what_the_server_adds_by_itself() {
    #[derive(Debug)]
    struct WithBos(Arc<dyn Tokenizer>);
    impl Tokenizer for WithBos {
        fn name(&self) -> &'static str {
            "with-bos"
        }
        fn encode(&self, text: &str) -> Vec<u32> {
            self.0.encode(text)
        }
        fn decode(&self, tokens: &[u32]) -> String {
            self.0.decode(tokens)
        }
        fn special_tokens_to_add(&self) -> usize {
            2
        }
    }
    let tokenizer: Arc<dyn Tokenizer> = Arc::new(WithBos(builtin()));
    let dataset = build(&config(source()), Seed::fixed(1), &tokenizer).unwrap();
    assert!(texts(&dataset).iter().all(|text| builtin().count(text) == 98));
    let tiny = config(SyntheticSource { lengths: PromptLengths::Drawn(Length::normal(1.0, 0.0)), ..source() });
    let dataset = build(&tiny, Seed::fixed(1), &tokenizer).unwrap();
    assert!(texts(&dataset).iter().all(|text| builtin().count(text) == 1), "never less than one");
}

#[test]
fn lengths_are_exact_for_a_tokenizer_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let letters: Vec<String> =
        ('!'..='~').map(|c| format!("{}:{}", serde_json::json!(c.to_string()), c as u32)).collect();
    let letters = letters.join(",");
    let file = format!(
        r#"{{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"normalizer":null,
            "pre_tokenizer":{{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":true}},
            "post_processor":null,"decoder":{{"type":"Metaspace","replacement":"▁","prepend_scheme":"first"}},
            "model":{{"type":"BPE","unk_token":"<unk>","fuse_unk":true,"byte_fallback":false,
                "vocab":{{{letters},"<unk>":0,"▁":1,"▁t":2,"th":3,"▁th":4,"▁the":5,"er":6,"in":7}},
                "merges":["▁ t","t h","▁t h","▁th e","e r","i n"]}}}}"#
    );
    std::fs::write(folder.path().join("tokenizer.json"), file).unwrap();
    let request = TokenizerRequest::named(folder.path().to_str().unwrap());
    let tokenizer = described::tokenizer(&request);
    let config = config(SyntheticSource { lengths: PromptLengths::Drawn(Length::normal(57.0, 25.0)), ..source() });
    let dataset = build(&config, Seed::fixed(1), &tokenizer).unwrap();
    assert_eq!(dataset.inexact_texts(), 0);
    let one = &config_of_one(90);
    let dataset = build(one, Seed::fixed(1), &tokenizer).unwrap();
    assert_eq!(tokenizer.count(&texts(&dataset)[0]), 90);
}

fn config_of_one(tokens: u32) -> DatasetConfig {
    config(SyntheticSource {
        entries: 1,
        lengths: PromptLengths::Drawn(Length::constant(f64::from(tokens))),
        ..source()
    })
}

#[test]
fn no_entries_and_no_models_are_refused() {
    let none = config(SyntheticSource { entries: 0, ..source() });
    assert!(matches!(build(&none, Seed::fixed(1), &builtin()), Err(DatasetError::NoEntries)));
    let mut config = config(source());
    config.models.clear();
    assert!(matches!(build(&config, Seed::fixed(1), &builtin()), Err(DatasetError::NoModels)));
}

#[test]
fn the_sampler_follows_the_configuration() {
    let dataset = made(&config(SyntheticSource { entries: 2, ..source() }), 1);
    let mut sampler = dataset.sampler(Seed::fixed(1));
    assert_eq!([0; 3].map(|_| sampler.draw().0), [0, 1, 0]);
}
