//! Generated texts through the public door: pairs and windows of lengths, corpora, rankings, chat templates.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use aiperf_config::{
    Corpus, Length, LengthPair, PrefixPrompts, PromptLengths, RandomStyle, RangeRatio, Rankings, SyntheticSource,
    SystemPrompt, Weighted,
};
use aiperf_conversation::Conversation;
use aiperf_dataset::{Dataset, build};
use aiperf_seed::Seed;
use aiperf_tokenizer::{Tokenizer, TokenizerRequest};
use serde_json::{Value, json};

use crate::described::{builtin, generated as config, prompts, tokenizer};

fn source() -> SyntheticSource {
    prompts(20, 60.0)
}

fn made(source: SyntheticSource, tokenizer: &Arc<dyn Tokenizer>) -> Dataset {
    build(&config(source), Seed::fixed(7), tokenizer).unwrap()
}

fn first_texts(dataset: &Dataset) -> Vec<String> {
    dataset.conversations().map(|c| c.turns[0].all_texts().next().unwrap().to_owned()).collect()
}

#[test]
fn input_and_output_length_of_a_turn_come_from_one_pair() {
    let pair = |input, output, weight| Weighted {
        value: LengthPair { input: Length::constant(input), output: Length::constant(output) },
        weight,
    };
    let lengths = PromptLengths::Pairs(vec![pair(20.0, 5.0, 25.0), pair(40.0, 9.0, 75.0)]);
    let dataset = made(SyntheticSource { lengths, entries: 400, turns: Length::constant(2.0), ..source() }, &builtin());
    let mut seen: BTreeMap<(usize, u32), usize> = BTreeMap::new();
    for conversation in dataset.conversations() {
        for turn in &conversation.turns {
            let tokens = builtin().count(turn.all_texts().next().unwrap());
            *seen.entry((tokens, turn.max_tokens.unwrap())).or_default() += 1;
        }
    }
    assert_eq!(seen.keys().copied().collect::<Vec<_>>(), [(20, 5), (40, 9)]);
    assert!((seen[&(20, 5)] as f64 / 800.0 - 0.25).abs() < 0.06, "{seen:?}");
}

#[test]
fn a_window_is_drawn_from_end_to_end() {
    let window = |style, mean, ratio| PromptLengths::Window(RangeRatio { style, mean, ratio });
    let ends = |lengths| {
        let dataset = made(SyntheticSource { lengths, entries: 300, ..source() }, &builtin());
        let counts: Vec<usize> = first_texts(&dataset).iter().map(|text| builtin().count(text)).collect();
        (*counts.iter().min().unwrap(), *counts.iter().max().unwrap())
    };
    assert_eq!(ends(window(RandomStyle::Vllm, 10, 0.25)), (7, 13));
    assert_eq!(ends(window(RandomStyle::Sglang, 10, 0.4)), (4, 10));
    let config = config(SyntheticSource { lengths: window(RandomStyle::Vllm, 2, 0.9), ..source() });
    let error = build(&config, Seed::fixed(1), &builtin()).unwrap_err().to_string();
    assert!(error.contains("--random-range-ratio 0.9") && error.contains("--isl"), "{error}");
}

#[test]
fn prefixes_context_and_batches_are_exact_for_every_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.txt");
    std::fs::write(&path, "Ünser täglich Brot, und noch viel mehr davon; 42 Mal am Tag.\n").unwrap();
    let random = [RandomStyle::Vllm, RandomStyle::Sglang].map(Corpus::RandomTokens);
    for tokenizer in [builtin(), byte_level(false)] {
        for corpus in [Corpus::Code, Corpus::File(path.clone())].into_iter().chain(random.clone()) {
            let prefix = Some(PrefixPrompts { pool_size: 2, tokens: 12 });
            let source = SyntheticSource {
                prefix,
                corpus: corpus.clone(),
                batch_size: 2,
                entries: 6,
                user_context_tokens: Some(15),
                ..source()
            };
            let dataset = made(source, &tokenizer);
            for conversation in dataset.conversations() {
                for text in conversation.turns[0].all_texts() {
                    assert_eq!(tokenizer.count(text), 72, "{corpus:?} {text:?}");
                }
                assert_eq!(tokenizer.count(conversation.user_context.as_ref().unwrap()), 15);
            }
            assert_eq!(dataset.inexact_texts(), 0, "{corpus:?}");
        }
    }
}

#[test]
fn random_tokens_follow_each_other_in_the_vocabulary() {
    let corpus = Corpus::RandomTokens(RandomStyle::Vllm);
    let dataset = made(SyntheticSource { corpus, entries: 50, ..source() }, &builtin());
    let mut in_order = 0;
    for text in first_texts(&dataset) {
        let ids = builtin().encode(&text);
        in_order += ids.windows(2).filter(|pair| pair[1] == pair[0] + 1).count();
    }
    assert!(in_order > 50 * 60 / 4, "{in_order} of 2950 follow each other");
}

#[test]
fn rankings_have_one_query_and_their_passages() {
    let rankings = Some(Rankings { passages: Length::normal(10.0, 2.0), ..Rankings::default() });
    let dataset = made(SyntheticSource { rankings, ..source() }, &builtin());
    let mut counts = Vec::new();
    for conversation in dataset.conversations() {
        let [turn] = conversation.turns.as_slice() else { panic!("one turn each") };
        let names: Vec<&str> = turn.texts.iter().map(|texts| texts.name.as_str()).collect();
        assert_eq!(names, ["query", "passages"]);
        assert_eq!(turn.texts[0].contents.len(), 1);
        assert_eq!(builtin().count(&turn.texts[0].contents[0]), 32);
        assert!(turn.texts[1].contents.iter().all(|passage| builtin().count(passage) == 128));
        counts.push(turn.texts[1].contents.len());
    }
    assert!(counts.iter().any(|count| *count != counts[0]), "{counts:?}");
    let plain = made(SyntheticSource { rankings: Some(Rankings::default()), ..source() }, &builtin());
    assert!(plain.conversations().all(|c| c.turns[0].texts[1].contents.len() == 10));
}

#[test]
fn a_marked_prompt_leaves_room_for_its_marker() {
    let dataset = made(SyntheticSource { marked_first_turn: true, ..source() }, &builtin());
    let left: Vec<usize> = first_texts(&dataset).iter().map(|text| 60 - builtin().count(text)).collect();
    assert!(left.iter().all(|one| *one == left[0]), "{left:?}");
    assert!((6..=14).contains(&left[0]), "{}", left[0]);
}

const TEMPLATE: &str = "{% if messages[0].role != 'system' %}<|im_start|>system\nYou are kind.<|im_end|>\n{% endif %}\
    {% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.content is string %}{{ m.content | trim }}{% else %}\
    {% for part in m.content %}{{ part.text }}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}\
    {% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/// A byte-level tokenizer with some words in its vocabulary, as a folder on disk holds it.
fn byte_level(with_template: bool) -> Arc<dyn Tokenizer> {
    let mut vocabulary: Vec<String> = byte_letters();
    let mut merges = Vec::new();
    for word in ["Ġthe", "Ġand", "Ġriver", "Ġgarden", "Ġover", "Ġreturn", "Ġself", "er", "in", "Ġmorning", "##"]
    {
        let letters: Vec<String> = word.chars().map(String::from).collect();
        let mut left = letters[0].clone();
        for right in &letters[1..] {
            let joined = format!("{left}{right}");
            if !vocabulary.contains(&joined) {
                merges.push(format!("{left} {right}"));
                vocabulary.push(joined.clone());
            }
            left = joined;
        }
    }
    let ids: serde_json::Map<String, Value> =
        vocabulary.iter().enumerate().map(|(id, token)| (token.clone(), json!(id))).collect();
    let special = |place: usize, content: &str| {
        json!({"id": vocabulary.len() + place, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
               "normalized": false, "special": true})
    };
    let description = json!({
        "version": "1.0", "truncation": null, "padding": null, "normalizer": null, "post_processor": null,
        "added_tokens": [special(0, "<|im_start|>"), special(1, "<|im_end|>")],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": true},
        "decoder": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": true},
        "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
                  "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "vocab": ids, "merges": merges}
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tokenizer.json"), description.to_string()).unwrap();
    let tokenizer_config = json!({"chat_template": TEMPLATE});
    std::fs::write(folder.path().join("tokenizer_config.json"), tokenizer_config.to_string()).unwrap();
    let name = folder.path().to_str().unwrap();
    tokenizer(&TokenizerRequest { chat_template: with_template, ..TokenizerRequest::named(name) })
}

/// The letters by which byte-level vocabularies spell the 256 bytes.
fn byte_letters() -> Vec<String> {
    let is_plain = |byte: u32| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    let mut next = 256;
    let letter = |byte: u32| {
        let code = if is_plain(byte) {
            byte
        } else {
            next += 1;
            next - 1
        };
        char::from_u32(code).unwrap().to_string()
    };
    (0..256).map(letter).collect()
}

fn rendered_tokens(conversation: &Conversation, tokenizer: &dyn Tokenizer) -> usize {
    let mut prompt = String::new();
    let mut message = |role: &str, text: &str| write!(prompt, "<|im_start|>{role}\n{text}<|im_end|>\n").unwrap();
    match &conversation.system {
        Some(system) => message("system", system),
        None => message("system", "You are kind."),
    }
    if let Some(context) = &conversation.user_context {
        message("user", context);
    }
    message("user", &conversation.turns[0].all_texts().collect::<String>());
    prompt.push_str("<|im_start|>assistant\n");
    tokenizer.count(&prompt)
}

#[test]
fn with_a_chat_template_the_whole_prompt_has_the_length_that_was_asked_for() {
    let tokenizer = byte_level(true);
    let lengths = PromptLengths::Drawn(Length::constant(150.0));
    let plain = SyntheticSource { lengths, turns: Length::constant(2.0), ..source() };
    let dataset = made(plain.clone(), &tokenizer);
    for conversation in dataset.conversations() {
        assert_eq!(rendered_tokens(&conversation, &*tokenizer), 150);
        let later = conversation.turns[1].all_texts().next().unwrap();
        assert_eq!(tokenizer.count(later), 150 - tokenizer.count("<|im_start|>user\n<|im_end|>\n"));
    }
    assert_eq!(dataset.inexact_texts(), 0);
    let prefix = Some(PrefixPrompts { pool_size: 2, tokens: 30 });
    let dataset = made(SyntheticSource { prefix, ..plain.clone() }, &tokenizer);
    assert!(dataset.conversations().all(|c| rendered_tokens(&c, &*tokenizer) == 180));
    let mut with_system = config(SyntheticSource { user_context_tokens: Some(25), batch_size: 2, ..plain });
    with_system.system_prompt = SystemPrompt::Synthetic(40);
    let dataset = build(&with_system, Seed::fixed(7), &tokenizer).unwrap();
    let whole = 150 * 2 + 40 + 25;
    assert!(dataset.conversations().all(|c| rendered_tokens(&c, &*tokenizer) == whole));
    assert_eq!(dataset.inexact_texts(), 0);
}

#[test]
fn a_template_that_takes_more_than_the_prompt_is_refused() {
    let lengths = PromptLengths::Drawn(Length::constant(20.0));
    let error = build(&config(SyntheticSource { lengths, ..source() }), Seed::fixed(1), &byte_level(true)).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("--isl 20") && error.contains("--apply-chat-template"), "{error}");
}
