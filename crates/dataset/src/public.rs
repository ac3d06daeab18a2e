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

use aiperf_config::{PublicSource, Recipe};
use aiperf_conversation::{Conversation, Lineage, SessionId};
use aiperf_hub::Hub;
use aiperf_seed::Seed;
use aiperf_tokenizer::Tokenizer;

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
    if source.set.recipe == Recipe::Weka {
        return Err(problem(source, "Weka traces cannot be replayed yet; choose another set".to_owned()));
    }
    let mut reading = Reading::new(source, tokenizer);
    for shard in shards::of(source, hub)? {
        if reading.read(&shard.path(source, hub)?, shard.name())?.is_break() {
            break;
        }
    }
    reading.finish(seed)
}

/// The conversations that a set would make of this file, which need not come from the hub.
pub fn public_conversations_of(
    source: &PublicSource,
    path: &Path,
    seed: Seed,
    tokenizer: &dyn Tokenizer,
) -> Result<Vec<Conversation>, DatasetError> {
    let mut reading = Reading::new(source, tokenizer);
    let _ = reading.read(path, &path.to_string_lossy())?;
    reading.finish(seed)
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
        let source = self.source;
        let columns = recipe::columns(source);
        let mut number = 0;
        let mut take = |row: Row| {
            number += 1;
            self.take(&row).map_err(|reason| format!("row {number}: {reason}"))
        };
        row_file::each(path, columns.as_deref(), &mut take)
            .map_err(|reason| problem(source, format!("{name}: {reason}")))
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
            let why = if self.source.filters.is_empty() { "" } else { " that meets --dataset-filter" };
            let words = format!("of {} rows there is none{why} to make a request of", self.seen);
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
