//! Rows that share a session make one conversation, in file order.

use std::collections::{HashMap, HashSet};

use aiperf_conversation::{ContextMode, Conversation, Lineage, SessionId};
use aiperf_seed::Seed;

use super::row::Row;
use crate::session::SessionNames;

pub(crate) fn conversations(rows: Vec<Row>, context_mode: ContextMode, seed: Seed) -> Vec<Conversation> {
    let taken: HashSet<SessionId> = rows.iter().filter_map(|row| row.session.clone()).collect();
    let mut names = SessionNames::new(seed, taken);
    let mut conversations: Vec<Conversation> = Vec::new();
    let mut places: HashMap<SessionId, usize> = HashMap::new();
    for Row { session, turns } in rows {
        let known = session.as_ref().and_then(|id| places.get(id)).copied();
        if let Some(place) = known {
            conversations[place].turns.extend(turns);
            continue;
        }
        if let Some(id) = &session {
            places.insert(id.clone(), conversations.len());
        }
        conversations.push(Conversation {
            session_id: session.unwrap_or_else(|| names.next()),
            turns,
            system: None,
            user_context: None,
            context_mode,
            lineage: Lineage::Root,
        });
    }
    conversations
}
