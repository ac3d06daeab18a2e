//! One turn of a `dag_jsonl` conversation, and the branches that start from it.

use std::collections::HashSet;
use std::sync::Arc;

use aiperf_conversation::{Branch, BranchKind, ConversationIndex, Turn};
use serde_json::Value;

use super::Names;
use crate::file::fields::{JsonFields, unexpected};

const FIELDS: [&str; 8] = ["messages", "model", "max_tokens", "tools", "extra", "delay", "forks", "spawns"];

pub(super) fn read_all(turns: &[Value], names: &Names<'_>) -> Result<Vec<Turn>, String> {
    let read = |(index, value): (usize, &Value)| {
        let place = TurnPlace { index, last: turns.len() - 1 };
        read(value, place, names).map_err(|problem| format!("turn {index}: {problem}"))
    };
    turns.iter().enumerate().map(read).collect()
}

/// The index of a turn, and that of the last turn.
#[derive(Debug, Clone, Copy)]
struct TurnPlace {
    index: usize,
    last: usize,
}

fn read(value: &Value, place: TurnPlace, names: &Names<'_>) -> Result<Turn, String> {
    let object = value.as_object().ok_or_else(|| unexpected("turns", "an object", value))?;
    let fields = JsonFields(object);
    fields.only(&FIELDS)?;
    let mut branches = Vec::new();
    add_forks(&mut branches, fields, place, names)?;
    add_spawns(&mut branches, fields, place, names)?;
    let mut seen: HashSet<ConversationIndex> = HashSet::new();
    if !branches.iter().flat_map(|branch| &branch.children).all(|child| seen.insert(*child)) {
        return Err("forks and spawns together name a child twice; each may start once per turn".to_owned());
    }
    Ok(Turn {
        raw_messages: Some(messages(fields)?),
        raw_tools: fields.list("tools")?.map(<[Value]>::to_vec),
        model: Arc::from(fields.string("model")?.unwrap_or_default()),
        max_tokens: fields.count("max_tokens")?,
        delay_ms: fields.milliseconds("delay")?,
        extra_body: fields.object("extra")?,
        branches,
        ..Turn::default()
    })
}

fn messages(fields: JsonFields<'_>) -> Result<Vec<Value>, String> {
    let Some(messages) = fields.list("messages")?.filter(|messages| !messages.is_empty()) else {
        return Err("messages: at least one message is expected".to_owned());
    };
    let has_role = |message: &Value| message.get("role").and_then(Value::as_str).is_some_and(|role| !role.is_empty());
    match messages.iter().find(|message| !has_role(message)) {
        Some(bare) => Err(unexpected("messages", "an object with a role", bare)),
        None => Ok(messages.to_vec()),
    }
}

/// Adds the forks of a turn: `"child"`, or `{"child": "child", "background": true}`.
fn add_forks(
    branches: &mut Vec<Branch>,
    fields: JsonFields<'_>,
    place: TurnPlace,
    names: &Names<'_>,
) -> Result<(), String> {
    let (mut foreground, mut background_forks) = (Vec::new(), Vec::new());
    for fork in fields.list("forks")?.unwrap_or_default() {
        let (child, background) = match fork.as_object() {
            None => (fork, false),
            Some(object) => {
                let fields = JsonFields(object);
                fields.only(&["child", "background"]).map_err(|problem| format!("forks: {problem}"))?;
                let child = fields.get("child").ok_or_else(|| unexpected("forks", "an object with a child", fork))?;
                (child, fields.boolean("background")?.unwrap_or(false))
            }
        };
        let child = names.find("forks", child)?;
        if background {
            background_forks.push(child);
        } else if place.index == place.last {
            foreground.push(child);
        } else {
            return Err(format!(
                "forks: a foreground fork ends its parent, so it is only allowed in the last turn ({}); make it a \
                 background fork with {{\"child\": ..., \"background\": true}}",
                place.last
            ));
        }
    }
    for (background, children) in [(true, background_forks), (false, foreground)] {
        if !children.is_empty() {
            branches.push(Branch { kind: BranchKind::Fork { background }, children });
        }
    }
    Ok(())
}

/// Adds the spawns of a turn: `"child"`, or `{"children": ["child"], "join_at": 3}`. Children without `join_at` share one join,
/// at the next turn.
fn add_spawns(
    branches: &mut Vec<Branch>,
    fields: JsonFields<'_>,
    place: TurnPlace,
    names: &Names<'_>,
) -> Result<(), String> {
    // After the last turn nothing waits for the children.
    let next = (place.index < place.last).then_some(place.index + 1);
    let mut named = Vec::new();
    for spawn in fields.list("spawns")?.unwrap_or_default() {
        let Some(object) = spawn.as_object() else {
            named.push(names.find("spawns", spawn)?);
            continue;
        };
        let fields = JsonFields(object);
        fields.only(&["children", "join_at"]).map_err(|problem| format!("spawns: {problem}"))?;
        let children = fields.list("children")?.unwrap_or_default();
        if children.is_empty() {
            return Err(unexpected("spawns", "an object with at least one of children", spawn));
        }
        let join_at = match fields.count("join_at")? {
            None => next,
            Some(turn) if (place.index + 1..=place.last).contains(&(turn as usize)) => Some(turn as usize),
            Some(turn) => {
                return Err(format!(
                    "spawns: join_at {turn} is not a later turn of this conversation, whose last is {}",
                    place.last
                ));
            }
        };
        let children = names.find_all("spawns", children)?;
        branches.push(Branch { kind: BranchKind::Spawn { join_at }, children });
    }
    if !named.is_empty() {
        branches.push(Branch { kind: BranchKind::Spawn { join_at: next }, children: named });
    }
    Ok(())
}
