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

/// The conversations of the set: all of them, or as many as are wanted.
pub(crate) fn conversations(
    source: &PublicSource,
    seed: Seed,
    tokenizer: &dyn Tokenizer,
    hub: &Hub,
) -> Result<Vec<Conversation>, DatasetError> {
    if source.set.recipe == Recipe::Weka {
        return Err(problem(source, "Weka traces cannot be replayed yet; choose another set".to_owned()));
    }
    let mut drafts: Vec<Draft> = Vec::new();
    let (mut taken, mut seen) = (0, 0);
    let most = source.entries.unwrap_or(usize::MAX);
    for_each_row(source, hub, &mut |row| {
        seen += 1;
        let found = recipe::drafts(source, row, tokenizer)?;
        taken += usize::from(!found.is_empty());
        drafts.extend(found);
        Ok(if taken >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    log::debug!("--public-dataset {}: {taken} of {seen} rows are used", source.set.name);
    if drafts.is_empty() {
        let why = if source.filters.is_empty() { "" } else { " that meets --dataset-filter" };
        return Err(problem(source, format!("of {seen} rows there is none{why} to make a request of")));
    }
    Ok(named(drafts, seed))
}

/// Gives rows to `take`, file after file, until it has enough. A file is fetched when the ones before it were not enough.
fn for_each_row(
    source: &PublicSource,
    hub: &Hub,
    take: &mut dyn FnMut(&Row) -> Result<ControlFlow<()>, String>,
) -> Result<(), DatasetError> {
    for shard in shards::of(source, hub)? {
        let path = shard.path(source, hub)?;
        let mut number = 0;
        let mut filtered = |row: Row| {
            number += 1;
            let taken = match meets(&source.filters, &row) {
                Ok(true) => take(&row),
                Ok(false) => Ok(ControlFlow::Continue(())),
                Err(reason) => Err(reason),
            };
            taken.map_err(|reason| format!("row {number}: {reason}"))
        };
        let columns = recipe::columns(source);
        let flow = row_file::each(&path, columns.as_deref(), &mut filtered)
            .map_err(|reason| problem(source, format!("{}: {reason}", shard.name())))?;
        if flow.is_break() {
            break;
        }
    }
    Ok(())
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
