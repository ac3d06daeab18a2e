//! One line of a `dag_jsonl` file: a conversation with turns, or an orchestrator without.

use std::sync::Arc;

use aiperf_conversation::{ContextMode, Conversation, Lineage, SessionId};

use super::{Names, orchestrator, turn};
use crate::file::fields::{JsonFields, unexpected};

const FIELDS: [&str; 12] = [
    "type",
    "session_id",
    "turns",
    "pre_session_spawns",
    "context_mode",
    "orchestrator",
    "spawns",
    "rounds",
    "think_time_ms",
    "think_time_sigma",
    "think_time_min_ms",
    "think_time_max_ms",
];

pub(super) fn read(fields: JsonFields<'_>, names: &Names<'_>) -> Result<Conversation, String> {
    fields.only(&FIELDS)?;
    if let Some(kind) = fields.string("type")?.filter(|kind| *kind != "dag_jsonl") {
        return Err(format!("type is {kind:?}, but this file is read as dag_jsonl"));
    }
    let id = fields.string("session_id")?.unwrap_or_default();
    let turns = fields.list("turns")?.unwrap_or_default();
    let before = fields.list("pre_session_spawns")?.unwrap_or_default();
    let (turns, lineage) = if fields.boolean("orchestrator")?.unwrap_or(false) {
        if !turns.is_empty() {
            return Err("an orchestrator sends nothing itself: remove turns, or orchestrator".to_owned());
        }
        if !before.is_empty() {
            return Err("an orchestrator has no turns, so pre_session_spawns does not apply; list these sessions in its first round".to_owned());
        }
        (Vec::new(), Lineage::Orchestrator(orchestrator::read(fields, names)?))
    } else {
        if let Some(field) = orchestrator::FIELDS.into_iter().find(|field| fields.get(field).is_some()) {
            return Err(format!("{field} belongs to an orchestrator: add \"orchestrator\": true, or remove it"));
        }
        if turns.is_empty() {
            return Err("turns: at least one is expected (or \"orchestrator\": true)".to_owned());
        }
        let before = names.find_all("pre_session_spawns", before)?;
        let lineage = if before.is_empty() { Lineage::Root } else { Lineage::RootWithSpawns(before) };
        (turn::read_all(turns, names)?, lineage)
    };
    Ok(Conversation {
        session_id: SessionId(Arc::from(id)),
        turns,
        system: None,
        user_context: None,
        context_mode: context_mode(fields)?,
        lineage,
    })
}

fn context_mode(fields: JsonFields<'_>) -> Result<ContextMode, String> {
    const EXPECTED: &str = "deltas_without_responses, deltas_with_responses or message_array_with_responses";
    let Some(value) = fields.get("context_mode") else { return Ok(ContextMode::default()) };
    match value.as_str() {
        Some("deltas_without_responses") => Ok(ContextMode::DeltasWithoutResponses),
        Some("deltas_with_responses") => Ok(ContextMode::DeltasWithResponses),
        Some("message_array_with_responses") => Ok(ContextMode::MessageArrayWithResponses),
        _ => Err(unexpected("context_mode", EXPECTED, value)),
    }
}
