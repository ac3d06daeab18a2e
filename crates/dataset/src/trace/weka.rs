//! `weka_trace`: recorded sessions of coding agents, one JSON object each, in a file or in the `.json` files of a folder.
//! Sessions that were recorded otherwise are replayed in the same way.

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

use crate::file::{Contents, Document, Input, Prompts, Reading, folder};
use crate::{DatasetError, RowPlace};
use outline::Outliner;

pub(crate) use prompt::{AgentMessages, AgentPrompts};
pub(crate) use recording::{Call, Recording, Strand, Subagent};

pub(crate) fn load(input: &Input, reading: &mut Reading<'_>) -> Result<Contents, DatasetError> {
    let mut replay = Replay::new(reading);
    match input {
        Input::Document(document) => replay.read(document)?,
        Input::Folder(path) => {
            for file in folder::files(path)?.iter().filter(|file| folder::is_json(file) || folder::is_jsonl(file)) {
                replay.read(&Document::open(file)?)?;
            }
        }
    }
    replay.finish()
}

/// Recorded sessions on their way to conversations. Only one at a time is held with all of its block ids.
#[derive(Debug)]
pub(crate) struct Replay<'r, 'a> {
    reading: &'r mut Reading<'a>,
    outliner: Outliner<'a>,
    /// Where each id was read.
    places: HashMap<Arc<str>, RowPlace>,
    kept: usize,
    /// Of those left out because they need too long a context: the least that any needs.
    smallest: Option<u64>,
    /// Of those left out because no prompt was short enough: the shortest.
    shortest: Option<u64>,
}

impl<'r, 'a> Replay<'r, 'a> {
    pub(crate) fn new(reading: &'r mut Reading<'a>) -> Self {
        let outliner = Outliner::new(&reading.source.trace, reading.models);
        Self { reading, outliner, places: HashMap::new(), kept: 0, smallest: None, shortest: None }
    }

    /// Every object of a file; most files hold one.
    fn read(&mut self, document: &Document) -> Result<(), DatasetError> {
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
                    Err(problem) => self.reading.faults.note(&document.path, RowPlace::Line(line), problem)?,
                },
                Some(Err(error)) => {
                    // Behind it nothing can be told apart.
                    let (problem, line) = (format!("not valid JSON: {error}"), error.line().max(line));
                    return self.reading.faults.note(&document.path, RowPlace::Line(line), problem);
                }
            }
        }
    }

    /// Changes a session as asked, and takes it in.
    pub(crate) fn add(&mut self, mut recording: Recording) -> Result<(), DatasetError> {
        let TraceOptions { agents: options, synthesis, .. } = &self.reading.source.trace;
        if let Some(place) = self.places.get(&recording.id) {
            let problem = format!("id: a trace {:?} was read before ({place})", &*recording.id);
            return self.reading.faults.note(&recording.path, recording.place, problem);
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
        self.outliner.add(recording);
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<Contents, DatasetError> {
        let (source, seed) = (self.reading.source, self.reading.seed);
        let path = &source.path;
        if let (0, Some(smallest), Some(asked)) = (self.kept, self.smallest, source.trace.agents.max_context) {
            return Err(DatasetError::ContextTooLong { path: path.clone(), asked, smallest });
        }
        if let (0, Some(shortest), Some(asked)) = (self.kept, self.shortest, source.trace.synthesis.max_isl) {
            return Err(DatasetError::AllTooLong { path: path.clone(), asked, shortest });
        }
        if self.outliner.orphans > 0 {
            let (path, count) = (path.display(), self.outliner.orphans);
            log::warn!("--input-file {path}: {count} agents that began before their session did are left out");
        }
        let key = seed.stream("dataset.trace.blocks").next_u64();
        let (conversations, prompts, empty_outputs) = self.outliner.into_prompts(key);
        Ok(Contents { conversations, prompts: Some(Prompts::Agents(prompts)), empty_outputs })
    }
}
