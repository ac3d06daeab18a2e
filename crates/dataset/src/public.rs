//! Public data sets: their files through the hub, their rows one after the other, and a conversation for each.

mod audio;
mod cell;
mod image;
mod json_rows;
mod parquet_rows;
mod recipe;
mod row_file;
mod shards;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use aiperf_config::{PublicSet, PublicSource};
use aiperf_conversation::{Conversation, Lineage, SessionId};
use aiperf_hub::Hub;
use aiperf_seed::Seed;
use aiperf_tokenizer::Tokenizer;
use serde_json::Value;

use crate::DatasetError;
use crate::session::SessionNames;
use cell::Row;
use recipe::Draft;

/// The conversations of the set: all of them, or as many as are wanted. A file is fetched when the ones before it were not
/// enough.
pub(crate) fn conversations(
    source: &PublicSource,
    seed: Seed,
    tokenizer: &dyn Tokenizer,
    hub: &Hub,
) -> Result<Vec<Conversation>, DatasetError> {
    let mut reading = Reading::new(source, tokenizer);
    for shard in shards::of(source, hub)? {
        if reading.read(&shard.path(source, hub)?, shard.name())?.is_break() {
            break;
        }
    }
    reading.finish(seed)
}

/// The rows of a set of Weka traces, as the lines of a file of that format.
pub(crate) fn weka_lines(source: &PublicSource, hub: &Hub) -> Result<Vec<u8>, DatasetError> {
    let mut lines = Vec::new();
    let mut take = |row: Row| {
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

/// A table has a column for whatever any row has; what a row has not is null there.
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

/// The conversations that a set makes of a file that lies in memory.
pub fn public_conversations_of(
    set: &'static PublicSet,
    data: &[u8],
    tokenizer: &dyn Tokenizer,
) -> Result<Vec<Conversation>, DatasetError> {
    let source = PublicSource::of(set);
    let mut reading = Reading::new(&source, tokenizer);
    let _ = reading.read_from("data", |columns, take| row_file::each_of(data, columns, take))?;
    reading.finish(Seed::fixed(0))
}

/// What has been read of a set so far.
struct Reading<'s> {
    source: &'s PublicSource,
    tokenizer: &'s dyn Tokenizer,
    drafts: Vec<Draft>,
    /// Rows that something was made of.
    taken: usize,
    seen: usize,
}

impl<'s> Reading<'s> {
    fn new(source: &'s PublicSource, tokenizer: &'s dyn Tokenizer) -> Self {
        Self { source, tokenizer, drafts: Vec::new(), taken: 0, seen: 0 }
    }

    /// Takes rows of a file until there are enough.
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
        let mut take = |row: Row| {
            number += 1;
            self.take(&row).map_err(|reason| format!("row {number}: {reason}"))
        };
        each(columns.as_deref(), &mut take).map_err(|reason| problem(source, format!("{name}: {reason}")))
    }

    fn take(&mut self, row: &Row) -> Result<ControlFlow<()>, String> {
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
        log::debug!("--public-dataset {}: {} of {} rows are used", self.source.set.name, self.taken, self.seen);
        if self.drafts.is_empty() {
            let seen = self.seen;
            let words = if self.source.filters.is_empty() {
                format!(
                    "none of the {seen} rows is usable: what a request is made of is missing, empty, too short or too long"
                )
            } else {
                format!("none of the {seen} rows is usable and meets --dataset-filter")
            };
            return Err(problem(self.source, words));
        }
        Ok(named(self.drafts, seed))
    }
}

/// Whether a row has what the filters ask for; a list has it when one of its values does.
fn meets(filters: &[(String, String)], row: &Row) -> Result<bool, String> {
    for (key, value) in filters {
        let cell = row.get(filter_column(key, row)).ok_or_else(|| {
            format!("--dataset-filter {key}={value}: there is no such column; there are {}", row.names())
        })?;
        if !cell.equals(value) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `source_model` is what options call the models of recorded sessions.
fn filter_column<'k>(key: &'k str, row: &Row) -> &'k str {
    if key == "source_model" && row.get(key).is_none() { "models" } else { key }
}

fn named(drafts: Vec<Draft>, seed: Seed) -> Vec<Conversation> {
    let taken: HashSet<SessionId> = drafts.iter().filter_map(|draft| draft.session.clone()).collect();
    let mut names = SessionNames::new(seed, taken);
    let name = |draft: Draft| Conversation {
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
