//! Markers that keep a server from using its prefix cache: their text and their place in a conversation.

use std::sync::Arc;

use aiperf_config::{MarkerPlace, MarkerSide};
use aiperf_conversation::{ContextMode, Conversation, Media, Turn};
use aiperf_seed::Seed;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The number of hexadecimal digits in the marker of a session.
const DIGITS: usize = 12;
/// Separates a marker from the text next to it.
const GAP: &str = "\n\n";

/// The marker of all warmup requests.
pub const WARMUP_MARKER: &str = "[warmup]";

/// The session that a marker is for.
#[derive(Debug, Clone, Copy)]
pub struct MarkedSession<'a> {
    /// An id that differs from run to run.
    pub benchmark: &'a str,
    /// How many complete passes over the data set came before.
    pub pass: u64,
    /// The number of the session within this pass.
    pub lane: u64,
    pub conversation: &'a str,
}

impl MarkedSession<'_> {
    /// `[rid:0123456789ab]`: the same for all turns of the session, and for no other session.
    pub fn marker(&self) -> String {
        let Self { benchmark, pass, lane, conversation } = self;
        let digest = Sha256::digest(format!("{benchmark}:{pass}:{lane}:{conversation}"));
        let mut first = [0; 8];
        first.copy_from_slice(&digest[..8]);
        session_marker(first)
    }
}

/// How many tokens the marker of a session has on average. Markers differ in their digits, and so in their tokens.
pub(crate) fn average_marker_tokens(count: impl Fn(&str) -> usize) -> usize {
    const SAMPLES: usize = 64;
    let mut stream = Seed::fixed(0).stream("marker");
    let all: usize = (0..SAMPLES).map(|_| count(&session_marker(stream.next_u64().to_be_bytes()))).sum();
    (all + SAMPLES / 2) / SAMPLES
}

fn session_marker(bytes: [u8; 8]) -> String {
    let digits = format!("{:016x}", u64::from_be_bytes(bytes));
    format!("[rid:{}]", &digits[..DIGITS])
}

/// The conversation with a marker in it. Without a system message the marker goes into the first user message. A
/// conversation that sends a ready-made body, or has no turns, is not changed.
pub fn mark(conversation: &Conversation, marker: &str, place: MarkerPlace, side: MarkerSide) -> Conversation {
    let mut marked = conversation.clone();
    if let (MarkerPlace::System, Some(system)) = (place, &marked.system) {
        marked.system = Some(Arc::from(joined(marker, system, side)));
        return marked;
    }
    // If each turn is sent alone, each has its own first message.
    let each_alone = marked.context_mode == ContextMode::MessageArrayWithResponses;
    let count = if each_alone { marked.turns.len() } else { 1 };
    for turn in marked.turns.iter_mut().take(count).filter(|turn| turn.raw_payload.is_none()) {
        mark_turn(turn, marker, place, side);
    }
    marked
}

fn mark_turn(turn: &mut Turn, marker: &str, place: MarkerPlace, side: MarkerSide) {
    if let Some(messages) = &mut turn.raw_messages {
        return mark_messages(messages, marker, place, side);
    }
    let mut texts = turn.texts.iter_mut().flat_map(|texts| &mut texts.contents);
    let text = if side == MarkerSide::Prefix { texts.next() } else { texts.last() };
    match text {
        Some(text) => *text = Arc::from(joined(marker, text, side)),
        None => turn.texts.insert(0, Media::unnamed(marker)),
    }
}

fn mark_messages(messages: &mut Vec<Value>, marker: &str, place: MarkerPlace, side: MarkerSide) {
    let of_role = |messages: &[Value], role: &str| {
        messages.iter().position(|message| message.get("role").and_then(Value::as_str) == Some(role))
    };
    let system = (place == MarkerPlace::System).then(|| of_role(messages, "system")).flatten();
    match system.or_else(|| of_role(messages, "user")) {
        Some(found) => mark_content(&mut messages[found]["content"], marker, side),
        None => messages.insert(0, json!({"role": "user", "content": marker})),
    }
}

fn mark_content(content: &mut Value, marker: &str, side: MarkerSide) {
    match content {
        Value::String(text) => *text = joined(marker, text, side),
        Value::Array(parts) => {
            let is_text = |part: &Value| part.get("text").is_some_and(Value::is_string);
            let text = if side == MarkerSide::Prefix {
                parts.iter().position(is_text)
            } else {
                parts.iter().rposition(is_text)
            };
            match text {
                Some(text) => mark_content(&mut parts[text]["text"], marker, side),
                None => parts.insert(0, json!({"type": "text", "text": marker})),
            }
        }
        other => *other = Value::from(marker),
    }
}

fn joined(marker: &str, text: &str, side: MarkerSide) -> String {
    match side {
        MarkerSide::Prefix => format!("{marker}{GAP}{text}"),
        MarkerSide::Suffix => format!("{text}{GAP}{marker}"),
    }
}

#[cfg(test)]
mod tests {
    use aiperf_conversation::{Lineage, SessionId};

    use super::*;

    const SESSION: MarkedSession<'_> = MarkedSession { benchmark: "b", pass: 0, lane: 3, conversation: "c" };

    fn conversation(system: Option<&str>, text: &str) -> Conversation {
        Conversation {
            session_id: SessionId("c".into()),
            turns: vec![Turn { texts: vec![Media::unnamed(text)], ..Turn::default() }, Turn::default()],
            system: system.map(Arc::from),
            user_context: None,
            context_mode: ContextMode::default(),
            lineage: Lineage::Root,
        }
    }

    #[test]
    fn a_marker_belongs_to_one_instance_of_one_conversation() {
        // The first digits of the SHA-256 of "b:0:3:c".
        assert_eq!(SESSION.marker(), "[rid:2c68df5f5c1c]");
        for other in [
            MarkedSession { pass: 1, ..SESSION },
            MarkedSession { lane: 1, ..SESSION },
            MarkedSession { benchmark: "other", ..SESSION },
            MarkedSession { conversation: "d", ..SESSION },
        ] {
            assert_ne!(other.marker(), SESSION.marker());
            assert_eq!(other.marker().len(), 18);
        }
    }

    #[test]
    fn a_marker_stands_before_or_behind_the_message_that_was_chosen() {
        use MarkerPlace::{FirstTurn, System};
        use MarkerSide::{Prefix, Suffix};
        let with = conversation(Some("be brief"), "hi");
        let texts = |place, side| {
            let marked = mark(&with, "[m]", place, side);
            (marked.system.unwrap().to_string(), marked.turns[0].all_texts().next().unwrap().to_owned())
        };
        let both = |system: &str, text: &str| (system.to_owned(), text.to_owned());
        assert_eq!(texts(System, Prefix), both("[m]\n\nbe brief", "hi"));
        assert_eq!(texts(System, Suffix), both("be brief\n\n[m]", "hi"));
        assert_eq!(texts(FirstTurn, Prefix), both("be brief", "[m]\n\nhi"));
        assert_eq!(texts(FirstTurn, Suffix), both("be brief", "hi\n\n[m]"));
    }

    #[test]
    fn without_a_system_message_the_first_turn_is_marked() {
        let marked = mark(&conversation(None, "hi"), "[m]", MarkerPlace::System, MarkerSide::Prefix);
        assert_eq!((marked.system, marked.turns[0].all_texts().next()), (None, Some("[m]\n\nhi")));
    }

    #[test]
    fn messages_in_the_shape_of_the_api_are_marked_by_their_roles() {
        let mut given = conversation(None, "");
        let marked = |given: &Conversation, place, side| {
            json!(mark(given, "[m]", place, side).turns[0].raw_messages.as_ref().unwrap())
        };
        given.turns[0].raw_messages = Some(vec![
            json!({"role": "system", "content": "s"}),
            json!({"role": "user", "content": [{"type": "text", "text": "u"}]}),
        ]);
        assert_eq!(marked(&given, MarkerPlace::System, MarkerSide::Prefix)[0]["content"], "[m]\n\ns");
        let parts = marked(&given, MarkerPlace::FirstTurn, MarkerSide::Suffix)[1]["content"].clone();
        assert_eq!(parts, json!([{"type": "text", "text": "u\n\n[m]"}]));
        given.turns[0].raw_messages = Some(vec![json!({"role": "assistant", "content": "a"})]);
        assert_eq!(marked(&given, MarkerPlace::System, MarkerSide::Prefix)[0]["content"], "[m]");
    }
}
