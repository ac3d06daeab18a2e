//! `speed_bench_*`: prompts of the SPEED-Bench data set, one conversation per line. Each message is a turn; a type that
//! names a category reads only the rows of that category.

use std::collections::BTreeSet;
use std::sync::Arc;

use aiperf_config::SpeedBench;
use aiperf_conversation::{ContextMode, Conversation, Lineage, Media, Role, SessionId, Turn};
use serde_json::Value;

use super::fields::{JsonFields, unexpected};
use super::input_data::{LoadedFile, ReadContext};
use super::lines;
use crate::DatasetError;

/// The number of characters of a question id.
const ID_LENGTH: usize = 32;
/// The text in the published file in place of prompts that must be downloaded from another source.
const PLACEHOLDER: &str = "FULL BENCHMARK DATA SHOULD BE FETCHED FROM THE SOURCE USING SPECDEC_BENCH";

pub(crate) fn conversations(
    part: SpeedBench,
    document: &LoadedFile,
    reading: &mut ReadContext<'_>,
) -> Result<Vec<Conversation>, DatasetError> {
    let mut rows = lines::rows(document, &mut reading.row_errors, parse)?;
    let Some(category) = part.category() else {
        return Ok(rows.into_iter().map(|(_, conversation)| conversation).collect());
    };
    let found: BTreeSet<String> = rows.iter().map(|(category, _)| category.clone()).collect();
    rows.retain(|(own, _)| own == category);
    if rows.is_empty() && !found.is_empty() {
        let found = found.into_iter().collect::<Vec<_>>().join(", ");
        return Err(DatasetError::NoneOfCategory { path: document.path.clone(), category, found });
    }
    Ok(rows.into_iter().map(|(_, conversation)| conversation).collect())
}

fn parse(line: &[u8]) -> Result<(String, Conversation), String> {
    let object = lines::object(line)?;
    let fields = JsonFields(&object);
    let id = fields.string("question_id")?.unwrap_or_default();
    if id.chars().count() != ID_LENGTH {
        return Err(format!("question_id: {ID_LENGTH} characters are expected, not {id:?}"));
    }
    let category = fields.string("category")?.ok_or("category is missing")?;
    let messages = fields.list("messages")?.unwrap_or_default();
    if messages.is_empty() {
        return Err("messages: at least one message is expected".to_owned());
    }
    let turns = messages.iter().map(turn).collect::<Result<_, _>>()?;
    let conversation = Conversation {
        session_id: SessionId(Arc::from(id)),
        turns,
        system: None,
        user_context: None,
        context_mode: ContextMode::DeltasWithoutResponses,
        lineage: Lineage::Root,
    };
    Ok((category.to_owned(), conversation))
}

fn turn(message: &Value) -> Result<Turn, String> {
    let word = |name: &str| message.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let (Some(role), Some(content)) = (word("role"), word("content")) else {
        return Err(unexpected("messages", "an object with a role and a content that is not blank", message));
    };
    if content == PLACEHOLDER {
        return Err("messages: the prompt is not in this file: download the full data set with SPEED-Bench's own tool"
            .to_owned());
    }
    Ok(Turn { role: Some(Role(Arc::from(role))), texts: vec![Media::unnamed(content)], ..Turn::default() })
}
