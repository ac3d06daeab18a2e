//! `dag_jsonl`: one conversation per line, with messages as the API takes them. A turn may start other conversations of the
//! file: forks, which continue its history, and spawns, which start empty. Unknown fields are errors.

mod cycle;
mod graph;
mod node;
mod orchestrator;
mod turn;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use aiperf_conversation::{Conversation, ConversationIndex};
use serde_json::{Map, Value};

use super::fields::{JsonFields, unexpected};
use super::input_data::{LoadedFile, ReadContext};
use super::lines;
use crate::{DatasetError, RowPlace};

/// What is wrong with one line, by its index among the conversations.
#[derive(Debug)]
struct GraphError {
    place: usize,
    problem: String,
}

/// The most sessions that all orchestrators of a file may start. Rounds are written out in memory, so a typing error must not
/// fill it.
const MOST_STARTS: usize = 1_000_000;

pub(crate) fn conversations(
    document: &LoadedFile,
    reading: &mut ReadContext<'_>,
) -> Result<Vec<Conversation>, DatasetError> {
    let mut rows: Vec<(usize, Map<String, Value>)> = Vec::new();
    for (line, content) in aiperf_trace::lines(&document.bytes) {
        match lines::object(content) {
            Ok(object) => rows.push((line, object)),
            Err(problem) => reading.row_errors.note(&document.path, RowPlace::Line(line), problem)?,
        }
    }
    // Rows that name a skipped row are skipped as well, and counted.
    loop {
        let errors = match read(&rows) {
            Ok(conversations) => return Ok(conversations),
            Err(errors) => errors,
        };
        let mut bad = HashSet::new();
        for GraphError { place, problem } in errors {
            let Some((line, _)) = rows.get(place) else { return Ok(Vec::new()) };
            reading.row_errors.note(&document.path, RowPlace::Line(*line), problem)?;
            bad.insert(place);
        }
        let mut place = 0;
        rows.retain(|_| {
            place += 1;
            !bad.contains(&(place - 1))
        });
    }
}

/// The graph of the rows, or their errors: at least one, and all that do not hide each other.
fn read(rows: &[(usize, Map<String, Value>)]) -> Result<Vec<Conversation>, Vec<GraphError>> {
    let names = Names::collect(rows)?;
    let mut conversations = Vec::with_capacity(rows.len());
    let mut errors = Vec::new();
    for (place, (_, object)) in rows.iter().enumerate() {
        match node::read(JsonFields(object), &names) {
            Ok(conversation) => conversations.push(conversation),
            Err(problem) => errors.push(GraphError { place, problem: names.locate(place, &problem) }),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    graph::connect(&mut conversations).map_err(|fault| vec![fault])?;
    Ok(conversations)
}

/// The conversations of the file by name.
#[derive(Debug)]
struct Names<'a> {
    places: HashMap<&'a str, ConversationIndex>,
    ids: Vec<&'a str>,
    /// Sessions that orchestrators may still start.
    starts_left: Cell<usize>,
}

impl<'a> Names<'a> {
    fn collect(rows: &'a [(usize, Map<String, Value>)]) -> Result<Self, Vec<GraphError>> {
        let mut names = Self { places: HashMap::new(), ids: Vec::new(), starts_left: Cell::new(MOST_STARTS) };
        let mut errors = Vec::new();
        for (place, (_, object)) in rows.iter().enumerate() {
            match JsonFields(object).string("session_id") {
                Ok(Some(id)) if !id.is_empty() => {
                    if let Some(ConversationIndex(first)) = names.places.get(id) {
                        let problem = format!("session {id:?} is defined twice: first in line {}", rows[*first].0);
                        errors.push(GraphError { place, problem });
                    } else {
                        names.places.insert(id, ConversationIndex(place));
                        names.ids.push(id);
                    }
                }
                Ok(_) => {
                    let problem = "session_id: a name for the conversation is expected".to_owned();
                    errors.push(GraphError { place, problem });
                }
                Err(problem) => errors.push(GraphError { place, problem }),
            }
        }
        if errors.is_empty() { Ok(names) } else { Err(errors) }
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
