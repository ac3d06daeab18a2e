//! `dag_jsonl`: one conversation per line, in messages of the API's own shape. A turn may start other conversations of
//! the file: forks, that go on from its history, and spawns, that start afresh. Unknown fields are refused.

mod cycle;
mod graph;
mod node;
mod orchestrator;
mod turn;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use aiperf_conversation::{Conversation, ConversationIndex};
use serde_json::{Map, Value};

use super::fields::{Fields, unexpected};
use super::input::{Document, Reading};
use super::lines;
use crate::{DatasetError, RowPlace};

/// What is wrong with one line, by its place among the conversations.
#[derive(Debug)]
struct Fault {
    place: usize,
    problem: String,
}

/// Sessions that all orchestrators of a file may start. Rounds are written out, so a slip of the keyboard must not fill
/// the memory.
const MOST_STARTS: usize = 1_000_000;

pub(crate) fn conversations(document: &Document, reading: &mut Reading<'_>) -> Result<Vec<Conversation>, DatasetError> {
    let mut rows: Vec<(usize, Map<String, Value>)> = Vec::new();
    for (line, content) in lines::lines(&document.bytes) {
        match lines::object(content) {
            Ok(object) => rows.push((line, object)),
            Err(problem) => reading.faults.note(&document.path, RowPlace::Line(line), problem)?,
        }
    }
    // A row that is left out may take others with it, which name it; each is counted.
    loop {
        let Fault { place, problem } = match read(&rows) {
            Ok(conversations) => return Ok(conversations),
            Err(fault) => fault,
        };
        if place >= rows.len() {
            return Ok(Vec::new());
        }
        let (line, _) = rows.remove(place);
        reading.faults.note(&document.path, RowPlace::Line(line), problem)?;
    }
}

fn read(rows: &[(usize, Map<String, Value>)]) -> Result<Vec<Conversation>, Fault> {
    let names = Names::collect(rows)?;
    let mut conversations = Vec::with_capacity(rows.len());
    for (place, (_, object)) in rows.iter().enumerate() {
        let conversation = node::read(Fields(object), &names);
        conversations.push(conversation.map_err(|problem| Fault { place, problem: names.locate(place, &problem) })?);
    }
    graph::connect(&mut conversations)?;
    Ok(conversations)
}

/// The conversations by the names that the file gives them.
#[derive(Debug)]
struct Names<'a> {
    places: HashMap<&'a str, ConversationIndex>,
    ids: Vec<&'a str>,
    /// Sessions that orchestrators may still start.
    starts_left: Cell<usize>,
}

impl<'a> Names<'a> {
    fn collect(rows: &'a [(usize, Map<String, Value>)]) -> Result<Self, Fault> {
        let mut names = Self { places: HashMap::new(), ids: Vec::new(), starts_left: Cell::new(MOST_STARTS) };
        for (place, (_, object)) in rows.iter().enumerate() {
            let id = Fields(object).string("session_id").map_err(|problem| Fault { place, problem })?;
            let Some(id) = id.filter(|id| !id.is_empty()) else {
                let problem = "session_id: a name for the conversation is expected".to_owned();
                return Err(Fault { place, problem });
            };
            if let Some(ConversationIndex(first)) = names.places.insert(id, ConversationIndex(place)) {
                let line = rows[first].0;
                let problem = format!("session {id:?} is defined twice: first in line {line}");
                return Err(Fault { place, problem });
            }
            names.ids.push(id);
        }
        Ok(names)
    }

    /// The conversation that a field names.
    fn find(&self, field: &str, name: &Value) -> Result<ConversationIndex, String> {
        let id = name.as_str().ok_or_else(|| unexpected(field, "the session_id of another line", name))?;
        let known = self.places.get(id).copied();
        known.ok_or_else(|| format!("{field} names {id:?}, but no line of the file has that session_id"))
    }

    /// The conversations that a list names, each once.
    fn find_all(&self, field: &str, names: &[Value]) -> Result<Vec<ConversationIndex>, String> {
        let mut found: Vec<ConversationIndex> = Vec::with_capacity(names.len());
        let mut seen = HashSet::new();
        for name in names {
            let child = self.find(field, name)?;
            if !seen.insert(child) {
                return Err(format!("{field} names {name} twice"));
            }
            found.push(child);
        }
        Ok(found)
    }

    fn locate(&self, place: usize, problem: &str) -> String {
        format!("session {:?}: {problem}", self.ids.get(place).copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests;
