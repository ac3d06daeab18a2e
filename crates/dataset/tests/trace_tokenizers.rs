//! Prompts of traces with tokenizers of the kinds that models have: bytes, marks for spaces, and pieces of words. Lengths
//! are exact, and blocks join without changing any count.

#![allow(clippy::unwrap_used, reason = "a step of a test that fails must fail the test")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aiperf_config::{DatasetConfig, DatasetSource, FileSource, ModelSelection, Sampling, SystemPrompt, TraceOptions};
use aiperf_dataset::{Dataset, build};
use aiperf_seed::Seed;
use aiperf_tokenizer::{HubEnvironment, Tokenizer, TokenizerRequest};

const KINDS: [&str; 3] = ["byte_level", "space_mark", "word_pieces"];
const BLOCK: usize = 32;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn tokenizer(kind: &str) -> Arc<dyn Tokenizer> {
    let path = fixture("tokenizers").join(format!("{kind}.json"));
    let request = TokenizerRequest::named(path.to_str().unwrap());
    aiperf_tokenizer::load(&request, &HubEnvironment::from_variables(|_| None)).unwrap()
}

fn loaded(source: FileSource, tokenizer: &Arc<dyn Tokenizer>) -> Dataset {
    let config = DatasetConfig {
        source: DatasetSource::File(source),
        sampling: Sampling::Sequential,
        models: vec![Arc::from("m")],
        model_selection: ModelSelection::RoundRobin,
        output_tokens: None,
        system_prompt: SystemPrompt::None,
        user_context_tokens: None,
        has_system_role: true,
    };
    build(&config, Seed::fixed(7), tokenizer).unwrap()
}

/// Prompts that share blocks, in other orders, cut within a block, and with a rest of their own.
fn rows() -> Vec<(Vec<i64>, usize)> {
    let mut rows = Vec::new();
    for row in 0..40_usize {
        let blocks = 1 + row % 7;
        let ids: Vec<i64> = (0..blocks).map(|place| ((row * 5 + place * place) % 9) as i64).collect();
        let length = match row % 3 {
            0 => blocks * BLOCK,
            1 => (blocks - 1) * BLOCK + 1 + row % BLOCK,
            _ => blocks * BLOCK + row,
        };
        rows.push((ids, length));
    }
    rows.push((Vec::new(), 57));
    rows.push((vec![3], 1));
    rows
}

#[test]
fn blocks_join_without_changing_the_count_of_any_tokenizer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.jsonl");
    let lines: Vec<String> =
        rows().iter().map(|(ids, length)| format!("{{\"input_length\":{length},\"hash_ids\":{ids:?}}}")).collect();
    std::fs::write(&path, lines.join("\n")).unwrap();
    for kind in KINDS {
        let tokenizer = tokenizer(kind);
        let trace = TraceOptions { block_size: Some(BLOCK as u32), ..TraceOptions::default() };
        let dataset = loaded(FileSource { trace, ..FileSource::of(path.clone()) }, &tokenizer);
        let mut known: HashMap<i64, Vec<u32>> = HashMap::new();
        for (conversation, (ids, length)) in dataset.conversations().zip(rows()) {
            let tokens = tokenizer.encode(conversation.turns[0].all_texts().next().unwrap());
            assert_eq!(tokens.len(), length, "{kind}: {ids:?}");
            for (id, block) in ids.iter().zip(tokens.chunks(BLOCK)) {
                let known = known.entry(*id).or_default();
                let common = known.len().min(block.len());
                assert_eq!(known[..common], block[..common], "{kind}: block {id} has other tokens elsewhere");
                if block.len() > known.len() {
                    *known = block.to_vec();
                }
            }
        }
        assert_eq!(dataset.inexact_texts(), 0, "{kind}");
    }
}

#[test]
fn recorded_sessions_have_the_recorded_lengths_with_any_tokenizer() {
    for kind in KINDS {
        let tokenizer = tokenizer(kind);
        let dataset = loaded(FileSource::of(fixture("weka_traces")), &tokenizer);
        let lengths: Vec<Vec<usize>> = dataset
            .conversations()
            .map(|conversation| {
                let count = |message: &serde_json::Value| tokenizer.count(message["content"].as_str().unwrap());
                conversation.turns.iter().map(|turn| turn.raw_messages.iter().flatten().map(count).sum()).collect()
            })
            .collect();
        assert_eq!(lengths, [&[200, 300, 420][..], &[140, 210], &[130, 200]], "{kind}");
        assert_eq!(dataset.inexact_texts(), 0, "{kind}");
    }
}
