//! Conversations from a file: which format it has, and its rows.

mod dag;
mod detect;
mod faults;
mod fields;
pub(crate) mod folder;
mod grouping;
mod input;
mod inputs_json;
mod lines;
mod media;
mod multi_turn;
mod plain_text;
mod random_pool;
mod raw_payload;
mod row;
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
pub use faults::SkippedRows;
pub(crate) use fields::{Fields, unexpected};
pub(crate) use input::{Document, Input, Reading};
pub(crate) use lines::{lines as rows, object};
use media::MediaFiles;
pub(crate) use raw_payload::turn as payload_turn;

use crate::DatasetError;
use crate::deferred::Deferred;
use crate::trace::weka::{AgentMessages, AgentPrompts};
use crate::trace::{self, PromptOrders, TracePrompts};
use aiperf_trace::Layout;

/// What a file gives.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// At least one.
    pub(crate) conversations: Vec<Conversation>,
    pub(crate) format: FileFormat,
    pub(crate) skipped: SkippedRows,
    /// Of a trace: prompts that are made when they are due.
    pub(crate) prompts: Option<Prompts>,
    /// Of a trace: requests that got no answer when they were recorded.
    pub(crate) empty_outputs: usize,
}

/// Prompts of a trace, made when they are due.
#[derive(Debug)]
pub(crate) enum Prompts {
    /// One text for each turn.
    Blocks(PromptOrders),
    /// Messages of agents.
    Agents(AgentPrompts),
}

impl Prompts {
    pub(crate) fn deferred(self, tokenizer: &Arc<dyn Tokenizer>) -> Box<dyn Deferred> {
        match self {
            Self::Blocks(orders) => Box::new(TracePrompts::new(orders, tokenizer)),
            Self::Agents(prompts) => Box::new(AgentMessages::new(prompts, tokenizer)),
        }
    }
}

/// What a format's reader gives.
#[derive(Debug)]
pub(crate) struct Contents {
    pub(crate) conversations: Vec<Conversation>,
    pub(crate) prompts: Option<Prompts>,
    pub(crate) empty_outputs: usize,
}

/// The conversations of the file. Without `has_system_role` a system message in it is a turn like any other.
/// The models are for files that name models of their own, which stand for these.
pub(crate) fn conversations(
    source: &FileSource,
    models: &[Arc<str>],
    has_system_role: bool,
    seed: Seed,
) -> Result<Loaded, DatasetError> {
    // Media paths in the file are relative to the working directory.
    let media = MediaFiles::relative_to(Path::new(""));
    let reading = Reading { models, ..Reading::new(source, has_system_role, seed, media) };
    load(&Input::open(&source.path)?, reading)
}

/// The conversations of a file's bytes that came from elsewhere; its path is a name for messages.
pub(crate) fn conversations_in(
    source: &FileSource,
    bytes: Vec<u8>,
    models: &[Arc<str>],
    has_system_role: bool,
    seed: Seed,
) -> Result<Loaded, DatasetError> {
    let reading = Reading { models, ..Reading::new(source, has_system_role, seed, MediaFiles::none()) };
    load(&Input::Document(Document { path: source.path.clone(), bytes }), reading)
}

/// Bytes of data in memory, which may be packed, hold at most this when they are unpacked.
const MOST_IN_MEMORY: u64 = 64 << 20;

/// The conversations of data that lies in memory. It is read as a file would be, except that it may not name other files.
/// Memory is bounded by a multiple of the data, unpacked 64 MiB at most.
pub fn conversations_of(format: Option<FileFormat>, data: &[u8]) -> Result<Vec<Conversation>, DatasetError> {
    let path = PathBuf::from("data");
    let bytes = unpack::bytes(&path, data.to_vec(), MOST_IN_MEMORY)?;
    let source = FileSource { format, ..FileSource::of(path.clone()) };
    let reading = Reading::new(&source, true, Seed::fixed(0), MediaFiles::none());
    Ok(load(&Input::Document(Document { path, bytes }), reading)?.conversations)
}

fn load(input: &Input, mut reading: Reading<'_>) -> Result<Loaded, DatasetError> {
    let (source, path) = (reading.source, &reading.source.path);
    let format = match source.format {
        Some(format) => format,
        None => detect::format(input)?,
    };
    if let Some(option) = source.unheeded(format) {
        let (flag, path) = (option.flag.clone(), path.clone());
        return Err(DatasetError::OptionForOtherFormat { flag, path, format: format.name(), why: option.why });
    }
    let Contents { conversations, prompts, empty_outputs } = read(format, input, &mut reading)?;
    if conversations.is_empty() {
        return Err(reading.faults.nothing_left(path));
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
    Ok(Loaded { conversations, format, skipped: reading.faults.into_skipped(), prompts, empty_outputs })
}

/// Whether the first conversations of a file can be had without the others. Pools are drawn from, sessions of agents are
/// counted while they are read, and of graphs only the roots count.
fn takes_first_entries(format: FileFormat) -> bool {
    !matches!(format, FileFormat::RandomPool | FileFormat::DagJsonl) && !format.facts().is_agentic
}

/// Traces leave out rows by themselves: only some turns of a session may lie in the window.
fn has_window(format: FileFormat) -> bool {
    format.facts().has_times && !format.facts().is_trace
}

fn one_file(input: &Input, format: FileFormat) -> Result<&Document, DatasetError> {
    match input {
        Input::Document(document) => Ok(document),
        Input::Folder(path) => Err(DatasetError::NotAFile { path: path.clone(), format: format.name() }),
    }
}

fn read(format: FileFormat, input: &Input, reading: &mut Reading<'_>) -> Result<Contents, DatasetError> {
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
    Ok(Contents { conversations, prompts: None, empty_outputs: 0 })
}
