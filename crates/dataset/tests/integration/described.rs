//! Data as tests describe it, with nothing more said than they need.

use std::path::Path;
use std::sync::Arc;

use aiperf_config::{
    Corpus, DatasetConfig, DatasetSource, FileSource, Length, ModelSelection, PromptLengths, Sampling, SyntheticSource,
    SystemPrompt, TurnDelay,
};
use aiperf_dataset::{Dataset, DatasetError, build};
use aiperf_seed::Seed;
use aiperf_tokenizer::{HubEnvironment, Tokenizer, TokenizerRequest};

pub(crate) fn tokenizer(request: &TokenizerRequest) -> Arc<dyn Tokenizer> {
    aiperf_tokenizer::load(request, &HubEnvironment::from_variables(|_| None)).unwrap()
}

pub(crate) fn builtin() -> Arc<dyn Tokenizer> {
    tokenizer(&TokenizerRequest::named("builtin"))
}

/// For one model, `m`, in order.
pub(crate) fn config(source: DatasetSource) -> DatasetConfig {
    DatasetConfig {
        source,
        sampling: Sampling::Sequential,
        models: vec![Arc::from("m")],
        model_selection: ModelSelection::RoundRobin,
        output_tokens: None,
        system_prompt: SystemPrompt::None,
        user_context_tokens: None,
        has_system_role: true,
    }
}

pub(crate) fn generated(source: SyntheticSource) -> DatasetConfig {
    config(DatasetSource::Synthetic(source))
}

/// Single prompts of `tokens` tokens.
pub(crate) fn prompts(entries: usize, tokens: f64) -> SyntheticSource {
    SyntheticSource {
        entries,
        lengths: PromptLengths::Drawn(Length::constant(tokens)),
        corpus: Corpus::Prose,
        batch_size: 1,
        prefix: None,
        user_context_tokens: None,
        turns: Length::constant(1.0),
        turn_delay: TurnDelay::default(),
        rankings: None,
        marked_first_turn: false,
        media: None,
    }
}

/// A sample file; traces are those that the tests of `aiperf-trace` read.
pub(crate) fn fixture(name: &str) -> FileSource {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let own = crates.join("dataset/tests/fixtures").join(name);
    FileSource::of(if own.exists() { own } else { crates.join("trace/tests/fixtures").join(name) })
}

/// A file of these rows, which lives as long as the folder.
pub(crate) fn rows(content: &str) -> (tempfile::TempDir, FileSource) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.jsonl");
    std::fs::write(&path, content).unwrap();
    (folder, FileSource::of(path))
}

pub(crate) fn loaded(source: FileSource) -> Result<Dataset, DatasetError> {
    build(&config(DatasetSource::File(source)), Seed::fixed(7), &builtin())
}
