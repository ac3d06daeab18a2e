//! Public data sets: their files are read through the hub, row by row, and each row becomes a conversation.

mod audio;
mod csv_rows;
mod image;
mod json_rows;
mod parquet_rows;
mod recipe;
mod row_file;
mod shards;
mod table_row;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use aiperf_config::{PublicSet, PublicSource};
use aiperf_conversation::{Conversation, Lineage, SessionId};
use aiperf_hub::Hub;
use aiperf_seed::Seed;
use aiperf_tokenizer::Tokenizer;
use serde_json::{Map, Value};

use crate::DatasetError;
use crate::session_names::SessionNames;
use recipe::ConversationDraft;
use table_row::TableRow;

/// The conversations of the set: all of them, or as many as requested. A file is downloaded only if the files before it do
/// not have enough rows.
pub(crate) fn conversations(
    source: &PublicSource,
    seed: Seed,
    tokenizer: &dyn Tokenizer,
    hub: &Hub,
) -> Result<Vec<Conversation>, DatasetError> {
    let mut reader = PublicReader::new(source, tokenizer);
    for shard in shards::of(source, hub)? {
        if reader.read(&shard.path(source, hub)?, shard.name())?.is_break() {
            break;
        }
    }
    reader.finish(seed)
}

/// Passes each row of a file to `take` as JSON.
pub(crate) fn each_row(
    path: &Path,
    take: &mut dyn FnMut(Map<String, Value>) -> Result<ControlFlow<()>, String>,
) -> Result<(), String> {
    row_file::each(path, None, &mut |row: TableRow| take(row.to_json())).map(|_| ())
}

/// The rows of a set of Weka traces, as the lines of a file of that format.
pub(crate) fn weka_lines(source: &PublicSource, hub: &Hub) -> Result<Vec<u8>, DatasetError> {
    let mut lines = Vec::new();
    let mut take = |row: TableRow| {
        if meets(&source.filters, &row)? {
            serde_json::to_writer(&mut lines, &without_nulls(Value::Object(row.to_json())))
                .map_err(|error| error.to_string())?;
            lines.push(b'\n');
        }
        Ok(ControlFlow::Continue(()))
    };
    for shard in shards::of(source, hub)? {
        let path = shard.path(source, hub)?;
        let _ = row_file::each(&path, None, &mut take)
            .map_err(|reason| problem(source, format!("{}: {reason}", shard.name())))?;
    }
    Ok(lines)
}

/// Removes null fields. A table has a column for every field of any row, with null in rows that lack it.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let there = fields.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(there.map(|(name, value)| (name, without_nulls(value))).collect())
        }
        Value::Array(list) => Value::Array(list.into_iter().map(without_nulls).collect()),
        other => other,
    }
}

/// The conversations that a set reads from a file in memory.
pub fn public_conversations_of(
    set: &'static PublicSet,
    data: &[u8],
    tokenizer: &dyn Tokenizer,
) -> Result<Vec<Conversation>, DatasetError> {
    let source = PublicSource::of(set);
    let mut reader = PublicReader::new(&source, tokenizer);
    let _ = reader.read_from("data", |columns, take| row_file::each_of(data, columns, take))?;
    reader.finish(Seed::fixed(0))
}

/// Reads the rows of a set, and collects its conversations.
struct PublicReader<'s> {
    source: &'s PublicSource,
    tokenizer: &'s dyn Tokenizer,
    drafts: Vec<ConversationDraft>,
    /// The number of rows that gave a conversation.
    taken: usize,
    seen: usize,
}

impl<'s> PublicReader<'s> {
    fn new(source: &'s PublicSource, tokenizer: &'s dyn Tokenizer) -> Self {
        Self { source, tokenizer, drafts: Vec::new(), taken: 0, seen: 0 }
    }

    /// Reads rows of a file until there are enough.
    fn read(&mut self, path: &Path, name: &str) -> Result<ControlFlow<()>, DatasetError> {
        self.read_from(name, |columns, take| row_file::each(path, columns, take))
    }

    fn read_from(
        &mut self,
        name: &str,
        each: impl FnOnce(Option<&[&str]>, &mut row_file::Take<'_>) -> Result<ControlFlow<()>, String>,
    ) -> Result<ControlFlow<()>, DatasetError> {
        let source = self.source;
        let columns = recipe::columns(source);
        let mut number = 0;
        let mut take = |row: TableRow| {
            number += 1;
            self.take(&row).map_err(|reason| format!("row {number}: {reason}"))
        };
        each(columns.as_deref(), &mut take).map_err(|reason| problem(source, format!("{name}: {reason}")))
    }

    fn take(&mut self, row: &TableRow) -> Result<ControlFlow<()>, String> {
        self.seen += 1;
        if meets(&self.source.filters, row)? {
            let found = recipe::drafts(self.source, row, self.tokenizer)?;
            self.taken += usize::from(!found.is_empty());
            self.drafts.extend(found);
        }
        let enough = self.taken >= self.source.entries.unwrap_or(usize::MAX);
        Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn finish(self, seed: Seed) -> Result<Vec<Conversation>, DatasetError> {
        log::debug!("--public-dataset {}: using {} of {} rows", self.source.set.name, self.taken, self.seen);
        if self.drafts.is_empty() {
            let seen = self.seen;
            let words = if self.source.filters.is_empty() {
                format!("none of the {seen} rows is usable: their contents are missing, empty, too short or too long")
            } else {
                format!("none of the {seen} rows is usable and meets --dataset-filter")
            };
            return Err(problem(self.source, words));
        }
        Ok(named(self.drafts, seed))
    }
}

/// Whether a row matches the filters. A list matches if one of its values does.
fn meets(filters: &[(String, String)], row: &TableRow) -> Result<bool, String> {
    for (key, value) in filters {
        let cell = row.get(filter_column(key, row)).ok_or_else(|| {
            format!("--dataset-filter {key}={value}: no such column; the file has the columns {}", row.names())
        })?;
        if !cell.equals(value) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The column of a filter. Options call the models of recorded sessions `source_model`.
fn filter_column<'k>(key: &'k str, row: &TableRow) -> &'k str {
    if key == "source_model" && row.get(key).is_none() { "models" } else { key }
}

fn named(drafts: Vec<ConversationDraft>, seed: Seed) -> Vec<Conversation> {
    let taken: HashSet<SessionId> = drafts.iter().filter_map(|draft| draft.session.clone()).collect();
    let mut names = SessionNames::new(seed, taken);
    let name = |draft: ConversationDraft| Conversation {
        session_id: draft.session.unwrap_or_else(|| names.next()),
        turns: draft.turns,
        system: None,
        user_context: None,
        context_mode: draft.context_mode,
        lineage: Lineage::Root,
    };
    drafts.into_iter().map(name).collect()
}

pub(crate) fn session(id: &str) -> SessionId {
    SessionId(Arc::from(id))
}

fn problem(source: &PublicSource, problem: String) -> DatasetError {
    DatasetError::Public { name: source.set.name, problem }
}
