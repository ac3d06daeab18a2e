//! `weka_trace`: recorded sessions of coding agents, one JSON object each, in a file or in the `.json` files of a folder.
//! Sessions of other formats are converted to these and replayed in the same way.

mod layout;
mod order;
mod outline;
mod prompt;
mod recording;
mod row;
mod split;

use std::collections::HashMap;
use std::sync::Arc;

use aiperf_config::TraceOptions;
use serde_json::{Map, Value};

use crate::file::{DeferredPrompts, FileContents, InputData, LoadedFile, ReadContext, folder};
use crate::{DatasetError, RowPlace};
use outline::OutlineBuilder;

pub(crate) use prompt::{AgentMessages, AgentPrompts};
pub(crate) use recording::{AgentRequests, RecordedCall, Recording, Subagent};

pub(crate) fn load(input: &InputData, reading: &mut ReadContext<'_>) -> Result<FileContents, DatasetError> {
    let mut replay = RecordingConverter::new(reading);
    match input {
        InputData::File(document) => replay.read(document)?,
        InputData::Folder(path) => {
            for file in folder::files(path)?.iter().filter(|file| folder::is_json(file) || folder::is_jsonl(file)) {
                replay.read(&LoadedFile::open(file)?)?;
            }
        }
        InputData::Pools(documents) => documents.iter().try_for_each(|document| replay.read(document))?,
    }
    replay.finish()
}

/// Converts recorded sessions to conversations. Only one session at a time is in memory with all of its block ids.
#[derive(Debug)]
pub(crate) struct RecordingConverter<'r, 'a> {
    reading: &'r mut ReadContext<'a>,
    outlines: OutlineBuilder<'a>,
    /// The position at which each id was read.
    places: HashMap<Arc<str>, RowPlace>,
    kept: usize,
    /// The smallest context among the sessions that were left out because their context is too long.
    smallest: Option<u64>,
    /// The shortest prompt among the sessions that were left out because all of their prompts are too long.
    shortest: Option<u64>,
}

impl<'r, 'a> RecordingConverter<'r, 'a> {
    pub(crate) fn new(reading: &'r mut ReadContext<'a>) -> Self {
        let outlines = OutlineBuilder::new(&reading.source.trace, reading.models);
        Self { reading, outlines, places: HashMap::new(), kept: 0, smallest: None, shortest: None }
    }

    /// Reads every object of a file; most files contain one.
    fn read(&mut self, document: &LoadedFile) -> Result<(), DatasetError> {
        let bytes = document.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&document.bytes);
        let mut objects = serde_json::Deserializer::from_slice(bytes).into_iter::<Map<String, Value>>();
        let (mut line, mut counted) = (1, 0);
        loop {
            let blanks = bytes[objects.byte_offset()..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let start = objects.byte_offset() + blanks;
            line += bytes[counted..start].split(|byte| *byte == b'\n').count() - 1;
            counted = start;
            match objects.next() {
                None => return Ok(()),
                Some(Ok(object)) => match row::read(&object, document, line) {
                    Ok(recording) => self.add(recording)?,
                    Err(problem) => self.reading.row_errors.note(&document.path, RowPlace::Line(line), problem)?,
                },
                Some(Err(error)) => {
                    // The rest of the file cannot be parsed.
                    let (problem, line) = (format!("not valid JSON: {error}"), error.line().max(line));
                    return self.reading.row_errors.note(&document.path, RowPlace::Line(line), problem);
                }
            }
        }
    }

    /// Applies the options to a session, and adds it.
    pub(crate) fn add(&mut self, mut recording: Recording) -> Result<(), DatasetError> {
        let TraceOptions { agents: options, synthesis, .. } = &self.reading.source.trace;
        if let Some(place) = self.places.get(&recording.id) {
            let problem = format!("id: trace {:?} was already read ({place})", &*recording.id);
            return self.reading.row_errors.note(&recording.path, recording.place, problem);
        }
        self.places.insert(Arc::clone(&recording.id), recording.place);
        if let Some(shortest) = synthesis.max_isl.and_then(|most| recording.leave_out_longer(most)) {
            self.shortest = Some(self.shortest.unwrap_or(shortest).min(shortest));
            return Ok(());
        }
        let peak = recording.peak_context();
        if options.max_context.is_some_and(|most| peak > most) {
            self.smallest = Some(self.smallest.unwrap_or(peak).min(peak));
            return Ok(());
        }
        if options.entries.is_some_and(|entries| self.kept >= entries) {
            return Ok(());
        }
        if let Some(cap) = options.idle_gap_cap_s {
            recording.shorten_gaps(cap);
        }
        recording.note_reuse();
        self.kept += 1;
        self.outlines.add(recording);
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<FileContents, DatasetError> {
        let (source, seed) = (self.reading.source, self.reading.seed);
        let path = &source.path;
        if let (0, Some(smallest), Some(asked)) = (self.kept, self.smallest, source.trace.agents.max_context) {
            return Err(DatasetError::ContextTooLong { path: path.clone(), asked, smallest });
        }
        if let (0, Some(shortest), Some(asked)) = (self.kept, self.shortest, source.trace.synthesis.max_isl) {
            return Err(DatasetError::AllTooLong { path: path.clone(), asked, shortest });
        }
        if self.outlines.orphans > 0 {
            let (path, count) = (path.display(), self.outlines.orphans);
            log::warn!("--input-file {path}: left out {count} agents that started before their session");
        }
        let key = seed.stream("dataset.trace.blocks").next_u64();
        let (conversations, prompts, empty_outputs) = self.outlines.into_prompts(key);
        Ok(FileContents { conversations, prompts: Some(DeferredPrompts::Agents(prompts)), empty_outputs })
    }
}
