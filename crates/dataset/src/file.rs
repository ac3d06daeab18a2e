//! Conversations from a file: detecting its format and reading its rows.

mod dag;
mod detect;
mod fields;
pub(crate) mod folder;
mod input_data;
mod inputs_json;
mod lines;
mod media;
mod multi_turn;
mod plain_text;
mod random_pool;
mod raw_payload;
mod row;
mod row_errors;
mod sagemaker;
mod single_turn;
mod speed_bench;
mod unpack;
mod window;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aiperf_config::{FileFormat, FileSource};
use aiperf_conversation::Conversation;
use aiperf_seed::Seed;
use aiperf_tokenizer::Tokenizer;

pub use detect::peek;
pub(crate) use fields::{JsonFields, unexpected};
pub(crate) use input_data::{InputData, LoadedFile, ReadContext};
pub(crate) use lines::object;
use media::MediaFiles;
pub(crate) use raw_payload::turn as payload_turn;
pub use row_errors::SkippedRows;
pub(crate) use window::empty_window;

use crate::DatasetError;
use crate::deferred::Deferred;
use crate::trace::weka::{AgentMessages, AgentPrompts};
use crate::trace::{self, PromptPlans, TracePrompts};
use aiperf_trace::Layout;

/// The conversations of a file, and what else is known about it.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The conversations; at least one.
    pub(crate) conversations: Vec<Conversation>,
    pub(crate) format: FileFormat,
    pub(crate) skipped: SkippedRows,
    /// Prompts of a trace that are generated when they are due.
    pub(crate) prompts: Option<DeferredPrompts>,
    /// The number of requests of a trace whose recorded output is empty.
    pub(crate) empty_outputs: usize,
}

/// Prompts of a trace that are generated when they are due.
#[derive(Debug)]
pub(crate) enum DeferredPrompts {
    /// One text per turn, built from blocks.
    Blocks(PromptPlans),
    /// The messages of recorded agents.
    Agents(AgentPrompts),
}

impl DeferredPrompts {
    pub(crate) fn deferred(self, tokenizer: &Arc<dyn Tokenizer>) -> Box<dyn Deferred> {
        match self {
            Self::Blocks(plans) => Box::new(TracePrompts::new(plans, tokenizer)),
            Self::Agents(prompts) => Box::new(AgentMessages::new(prompts, tokenizer)),
        }
    }
}

/// The result of one format's reader.
#[derive(Debug)]
pub(crate) struct FileContents {
    pub(crate) conversations: Vec<Conversation>,
    pub(crate) prompts: Option<DeferredPrompts>,
    pub(crate) empty_outputs: usize,
}

/// The conversations of the file. Without `has_system_role` a system message is a turn like any other. Model names in the
/// file are replaced by `models`.
pub(crate) fn conversations(
    source: &FileSource,
    models: &[Arc<str>],
    has_system_role: bool,
    seed: Seed,
) -> Result<Loaded, DatasetError> {
    // Media paths in the file are relative to the working directory.
    let media = MediaFiles::relative_to(Path::new(""));
    let reading = ReadContext { models, ..ReadContext::new(source, has_system_role, seed, media) };
    load(&InputData::of(source)?, reading)
}

/// The conversations of a file that is already in memory. Its path is only used in messages.
pub(crate) fn conversations_in(
    source: &FileSource,
    bytes: Vec<u8>,
    models: &[Arc<str>],
    has_system_role: bool,
    seed: Seed,
) -> Result<Loaded, DatasetError> {
    let reading = ReadContext { models, ..ReadContext::new(source, has_system_role, seed, MediaFiles::none()) };
    load(&InputData::File(LoadedFile { path: source.path.clone(), bytes }), reading)
}

/// The largest decompressed size of data in memory.
const MOST_IN_MEMORY: u64 = 64 << 20;

/// The conversations of data in memory. It is read like a file, but must not name other files. Memory use is bounded by a
/// multiple of the data, which may decompress to at most 64 MiB.
pub fn conversations_of(format: Option<FileFormat>, data: &[u8]) -> Result<Vec<Conversation>, DatasetError> {
    let path = PathBuf::from("data");
    let bytes = unpack::bytes(&path, data.to_vec(), MOST_IN_MEMORY)?;
    let source = FileSource { format, ..FileSource::of(path.clone()) };
    let reading = ReadContext::new(&source, true, Seed::fixed(0), MediaFiles::none());
    Ok(load(&InputData::File(LoadedFile { path, bytes }), reading)?.conversations)
}

fn load(input: &InputData, mut reading: ReadContext<'_>) -> Result<Loaded, DatasetError> {
    let (source, path) = (reading.source, &reading.source.path);
    let format = match source.format {
        Some(format) => format,
        None => detect::format(input)?,
    };
    if let Some(option) = source.unheeded(format) {
        let (flag, path) = (option.flag.clone(), path.clone());
        return Err(DatasetError::OptionForOtherFormat { flag, path, format: format.name(), why: option.why });
    }
    let FileContents { conversations, prompts, empty_outputs } = read(format, input, &mut reading)?;
    if conversations.is_empty() {
        return Err(reading.row_errors.nothing_left(path));
    }
    let mut conversations =
        if has_window(format) { window::within(source.window, conversations, path)? } else { conversations };
    if let Some(entries) = source.entries.filter(|_| takes_first_entries(format)) {
        conversations.truncate(entries);
    }
    if let Some(cap) = source.delay_cap_ms {
        for turn in conversations.iter_mut().flat_map(|conversation| &mut conversation.turns) {
            turn.delay_ms = turn.delay_ms.map(|delay| delay.min(cap));
        }
    }
    Ok(Loaded { conversations, format, skipped: reading.row_errors.into_skipped(), prompts, empty_outputs })
}

/// Whether `--num-dataset-entries` can simply keep the first conversations of a file. Pools are drawn from, sessions of
/// agents are counted while they are read, and of graphs only the roots count.
fn takes_first_entries(format: FileFormat) -> bool {
    !matches!(format, FileFormat::RandomPool | FileFormat::DagJsonl) && !format.facts().is_agentic
}

/// Whether the time window is applied here. Traces apply it row by row: only some turns of a session may lie in the window.
fn has_window(format: FileFormat) -> bool {
    format.facts().has_times && !format.facts().is_trace
}

fn one_file(input: &InputData, format: FileFormat) -> Result<&LoadedFile, DatasetError> {
    match input {
        InputData::File(document) => Ok(document),
        InputData::Folder(path) => Err(DatasetError::NotAFile { path: path.clone(), format: format.name() }),
        InputData::Pools(_) => {
            Err(DatasetError::NotAFile { path: PathBuf::from("the inline pools"), format: format.name() })
        }
    }
}

fn read(format: FileFormat, input: &InputData, reading: &mut ReadContext<'_>) -> Result<FileContents, DatasetError> {
    let one_file = || one_file(input, format);
    let conversations = match format {
        FileFormat::PlainText => plain_text::conversations(one_file()?, reading),
        FileFormat::SingleTurn => single_turn::conversations(one_file()?, reading),
        FileFormat::MultiTurn => multi_turn::conversations(one_file()?, reading),
        FileFormat::RandomPool => random_pool::conversations(input, reading),
        FileFormat::RawPayload => raw_payload::conversations(input, reading),
        FileFormat::InputsJson => inputs_json::conversations(one_file()?, reading),
        FileFormat::DagJsonl => dag::conversations(one_file()?, reading),
        FileFormat::SagemakerDataCapture => sagemaker::conversations(input, reading),
        FileFormat::SpeedBench(part) => speed_bench::conversations(part, one_file()?, reading),
        FileFormat::MooncakeTrace => return trace::load(one_file()?, Layout::Mooncake, reading),
        FileFormat::BailianTrace => return trace::load(one_file()?, Layout::Bailian, reading),
        FileFormat::BurstGptTrace => return trace::load(one_file()?, Layout::BurstGpt, reading),
        FileFormat::WekaTrace => return trace::weka::load(input, reading),
        FileFormat::Tracelab => return trace::tracelab::load(one_file()?, reading),
        FileFormat::AzureTrace => return trace::load(one_file()?, Layout::Azure, reading),
        FileFormat::BasetenTrace => return trace::load(one_file()?, Layout::Baseten, reading),
    }?;
    Ok(FileContents { conversations, prompts: None, empty_outputs: 0 })
}
