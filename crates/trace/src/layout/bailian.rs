//! `bailian_trace`: chats that name the chat they follow. Times are in seconds; the length and blocks of a turn already
//! include the turns before it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::Deserialize;

use super::field::{NonNegative, WholeNumber, object};
use crate::{BlockId, TracePrompt, TraceRequest};

#[derive(Debug, Deserialize)]
struct BailianRow {
    chat_id: Option<i64>,
    parent_chat_id: Option<i64>,
    timestamp: Option<NonNegative>,
    input_length: Option<WholeNumber>,
    output_length: Option<WholeNumber>,
    turn: Option<WholeNumber>,
    hash_ids: Option<Vec<BlockId>>,
}

/// One row with the fields that link it to others.
#[derive(Debug)]
pub(crate) struct BailianChat {
    id: i64,
    parent: i64,
    turn: u64,
    request: TraceRequest,
}

pub(crate) fn chat(line: usize, content: &[u8]) -> Result<BailianChat, String> {
    let row: BailianRow = object(content)?;
    let missing = |field: &str| format!("{field} is missing");
    Ok(BailianChat {
        id: row.chat_id.ok_or_else(|| missing("chat_id"))?,
        parent: row.parent_chat_id.unwrap_or(-1),
        turn: row.turn.map_or(1, |turn| turn.0),
        request: TraceRequest {
            line,
            timestamp_ms: Some(row.timestamp.ok_or_else(|| missing("timestamp"))?.0 * 1e3),
            delay_ms: None,
            duration_ms: None,
            holds_history: true,
            session: None,
            prompt: TracePrompt::Length {
                tokens: row.input_length.ok_or_else(|| missing("input_length"))?.0,
                blocks: row.hash_ids.unwrap_or_default(),
            },
            output_tokens: Some(row.output_length.ok_or_else(|| missing("output_length"))?.0),
            extra: None,
        },
    })
}

/// Gives every chat the session of its topmost parent, and sorts the turns of each session. The rows of a session keep their
/// positions in the file.
pub(crate) fn requests(chats: Vec<BailianChat>) -> Vec<TraceRequest> {
    let parents: HashMap<i64, i64> = chats.iter().map(|chat| (chat.id, chat.parent)).collect();
    let mut roots: HashMap<i64, i64> = HashMap::new();
    let mut sessions: HashMap<i64, Arc<str>> = HashMap::new();
    let mut order: HashMap<i64, usize> = HashMap::new();
    let mut ranked: Vec<(usize, u64, TraceRequest)> = Vec::with_capacity(chats.len());
    for chat in chats {
        let root = root(chat.id, &parents, &mut roots);
        let session = sessions.entry(root).or_insert_with(|| Arc::from(root.to_string()));
        let next = order.len();
        let place = *order.entry(root).or_insert(next);
        ranked.push((place, chat.turn, TraceRequest { session: Some(Arc::clone(session)), ..chat.request }));
    }
    // The positions of a session stay those of its rows in the file; only the turns on them are sorted.
    let mut by_session: Vec<usize> = (0..ranked.len()).collect();
    by_session.sort_by_key(|&index| (ranked[index].0, ranked[index].1));
    let mut places: Vec<usize> = (0..ranked.len()).collect();
    places.sort_by_key(|&index| ranked[index].0);
    let mut target = vec![0; ranked.len()];
    for (from, to) in by_session.into_iter().zip(places) {
        target[from] = to;
    }
    let mut placed: Vec<(usize, TraceRequest)> = target.into_iter().zip(ranked.into_iter().map(|row| row.2)).collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, request)| request).collect()
}

/// The topmost parent: the first whose parent is not in the file, or one of a cycle.
fn root(id: i64, parents: &HashMap<i64, i64>, known: &mut HashMap<i64, i64>) -> i64 {
    let mut path = Vec::new();
    let mut seen = HashSet::new();
    let mut at = id;
    let root = loop {
        if let Some(&root) = known.get(&at) {
            break root;
        }
        if !seen.insert(at) {
            // A cycle has no top; its smallest id is used, wherever the search began.
            break path.iter().copied().skip_while(|member| *member != at).min().unwrap_or(at);
        }
        path.push(at);
        match parents.get(&at) {
            Some(parent) if parents.contains_key(parent) => at = *parent,
            _ => break at,
        }
    };
    known.extend(path.into_iter().map(|member| (member, root)));
    root
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sessions(rows: &[(i64, i64, u64)]) -> Vec<(usize, String)> {
        let chats = rows.iter().enumerate().map(|(line, (id, parent, turn))| {
            let row = serde_json::json!({"chat_id": id, "parent_chat_id": parent, "turn": turn, "timestamp": 0.5,
                "input_length": 3, "output_length": 4});
            chat(line + 1, row.to_string().as_bytes()).unwrap()
        });
        requests(chats.collect()).iter().map(|r| (r.line, r.session.as_ref().unwrap().to_string())).collect()
    }

    fn named(expected: &[(usize, &str)]) -> Vec<(usize, String)> {
        expected.iter().map(|(line, name)| (*line, (*name).to_owned())).collect()
    }

    #[test]
    fn a_session_is_named_by_the_first_of_its_chats() {
        let found = sessions(&[(10, -1, 1), (20, -1, 1), (11, 10, 2), (12, 11, 3), (30, 99, 2)]);
        assert_eq!(found, named(&[(1, "10"), (2, "20"), (3, "10"), (4, "10"), (5, "30")]));
    }

    #[test]
    fn turns_come_into_order_on_the_places_of_their_session() {
        let found = sessions(&[(12, 11, 3), (20, -1, 1), (10, -1, 1), (11, 10, 2)]);
        assert_eq!(found, named(&[(3, "10"), (2, "20"), (4, "10"), (1, "10")]));
    }

    #[test]
    fn a_circle_of_parents_is_one_session() {
        let found = sessions(&[(1, 2, 1), (2, 3, 2), (3, 2, 3), (4, 4, 1)]);
        assert_eq!(found, named(&[(1, "2"), (2, "2"), (3, "2"), (4, "4")]));
    }

    #[test]
    fn a_missing_field_is_named() {
        let error = chat(1, br#"{"chat_id": 1, "timestamp": 0, "input_length": 5}"#).unwrap_err();
        assert_eq!(error, "output_length is missing");
    }

    proptest! {
        #[test]
        fn no_chat_is_lost(rows in proptest::collection::vec((0_i64..8, -1_i64..8, 0_u64..4), 0..30)) {
            let mut lines: Vec<usize> = sessions(&rows).iter().map(|(line, _)| *line).collect();
            lines.sort_unstable();
            prop_assert_eq!(lines, (1..=rows.len()).collect::<Vec<_>>());
        }
    }
}
