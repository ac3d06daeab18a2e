//! The messages that a run sent, conversation by conversation and turn by turn, as a page of elements to open and close.

use std::collections::BTreeMap;
use std::path::Path;

use aiperf_artifact::Folder;
use serde_json::Value;

use crate::TimelineError;
use crate::html::{escaped, page};
use crate::request::each_line;

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnMessagesOptions {
    /// Conversations, those that no other one started first, then by their first requests.
    pub conversations: usize,
    /// Turns of each conversation.
    pub turns: usize,
    /// Letters of each message.
    pub letters: usize,
}

impl Default for TurnMessagesOptions {
    fn default() -> Self {
        Self { conversations: 40, turns: 60, letters: 8_000 }
    }
}

/// What was sent, ready to be shown.
#[derive(Debug)]
pub struct TurnMessages {
    name: String,
    /// Conversations of the run.
    total: usize,
    conversations: Vec<ShownConversation>,
}

#[derive(Debug, Default)]
struct ShownConversation {
    name: String,
    agent_depth: u64,
    start: u64,
    turns: BTreeMap<(u64, u64), Turn>,
    hidden_turns: usize,
}

#[derive(Debug)]
struct Turn {
    index: u64,
    start: u64,
    status: Option<u64>,
    messages: Vec<SentMessage>,
}

/// One message with its role, shortened.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SentMessage {
    role: String,
    text: String,
    /// Letters of the whole message.
    letters: usize,
}

/// Which conversation and turn a line of the raw file is.
struct LinePlace {
    session: String,
    agent_depth: u64,
    turn: u64,
    start: u64,
}

impl LinePlace {
    /// `None` for a request of another phase.
    fn of(line: &Value) -> Option<Self> {
        let metadata = &line["metadata"];
        if metadata["benchmark_phase"].as_str().is_some_and(|phase| phase != "profiling") {
            return None;
        }
        let session = metadata["x_correlation_id"].as_str().map(str::to_owned);
        Some(Self {
            session: session.unwrap_or_else(|| metadata["session_num"].to_string()),
            agent_depth: metadata["agent_depth"].as_u64().unwrap_or_default(),
            turn: metadata["turn_index"].as_u64().unwrap_or_default(),
            start: metadata["request_start_ns"].as_u64().unwrap_or_default(),
        })
    }
}

impl TurnMessages {
    /// Reads the raw file of the run in `dir`, twice: first to choose conversations, then for their messages.
    pub fn read(dir: &Path, options: TurnMessagesOptions) -> Result<Self, TimelineError> {
        let folder = Folder::open(dir)?;
        let path = folder.paths().raw();
        if !path.exists() {
            return Err(TimelineError::NoMessages { path });
        }
        let parse = |line: &str| serde_json::from_str::<Value>(line).map_err(|error| error.to_string());
        let mut starts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        each_line(&path, |line| {
            if let Some(LinePlace { session, agent_depth, start, .. }) = LinePlace::of(&parse(line)?) {
                let first = starts.entry(session).or_insert((agent_depth, start));
                *first = (*first).min((agent_depth, start));
            }
            Ok(())
        })?;
        if starts.is_empty() {
            return Err(TimelineError::NoRequests { path });
        }
        let total = starts.len();
        let mut order: Vec<(u64, u64, String)> =
            starts.into_iter().map(|(session, (depth, start))| (depth, start, session)).collect();
        order.sort_unstable();
        order.truncate(options.conversations);
        let places: BTreeMap<String, usize> =
            order.iter().enumerate().map(|(place, (_, _, session))| (session.clone(), place)).collect();
        let mut shown: Vec<ShownConversation> = order
            .iter()
            .map(|(agent_depth, start, _)| ShownConversation {
                agent_depth: *agent_depth,
                start: *start,
                ..ShownConversation::default()
            })
            .collect();
        each_line(&path, |line| {
            let line = parse(line)?;
            let Some(place) = LinePlace::of(&line) else { return Ok(()) };
            if let Some(conversation) = places.get(&place.session).map(|index| &mut shown[*index]) {
                let name = line["metadata"]["conversation_id"].as_str().unwrap_or(&place.session);
                name.clone_into(&mut conversation.name);
                let messages = messages(&line["payload"], options.letters);
                let turn = Turn { index: place.turn, start: place.start, status: line["status"].as_u64(), messages };
                conversation.turns.insert((place.turn, place.start), turn);
                if conversation.turns.len() > options.turns {
                    conversation.turns.pop_last();
                    conversation.hidden_turns += 1;
                }
            }
            Ok(())
        })?;
        let name =
            dir.file_name().map_or_else(|| dir.display().to_string(), |name| name.to_string_lossy().into_owned());
        Ok(Self { name, total, conversations: shown })
    }

    /// The page.
    pub fn html(&self) -> String {
        let hidden = self.total - self.conversations.len();
        let mut body = format!("<h1>{}: messages by conversation and turn</h1>\n", escaped(&self.name));
        if hidden > 0 {
            body.push_str(&format!(
                "<p>{} of {} conversations are shown. Use --limit-conversations for more.</p>\n",
                self.conversations.len(),
                self.total
            ));
        }
        let origin = self.conversations.iter().map(|conversation| conversation.start).min().unwrap_or(0);
        for conversation in &self.conversations {
            body.push_str(&conversation.html(origin));
        }
        page(&format!("{}: messages", self.name), STYLE, &body)
    }
}

const STYLE: &str = "\
body { margin: 1rem auto; max-width: 70rem; font: 14px/1.45 system-ui, sans-serif; color: #111; background: #fff; }
h1 { font-size: 1.2rem; }
details { border-left: 3px solid #ccc; margin: .25rem 0; padding-left: .6rem; }
details.conversation { border-color: #1f77b4; }
details.turn { border-color: #ff7f0e; }
summary { cursor: pointer; }
summary small { color: #666; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f6f6f6; padding: .5rem; margin: .3rem 0; }
p.note { color: #666; margin: .2rem 0; }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #161616; } pre { background: #242424; } summary small, p.note { color: #aaa; } }
";

impl ShownConversation {
    fn html(&self, origin: u64) -> String {
        let depth = if self.agent_depth > 0 { format!(", agent of depth {}", self.agent_depth) } else { String::new() };
        let turns = self.turns.len() + self.hidden_turns;
        let mut text = format!(
            "<details class=\"conversation\" open><summary>{} <small>{turns} turns{depth}</small></summary>\n",
            escaped(&self.name)
        );
        let mut before: &[SentMessage] = &[];
        for turn in self.turns.values() {
            text.push_str(&turn.html(origin, before));
            before = &turn.messages;
        }
        if self.hidden_turns > 0 {
            text.push_str(&format!("<p class=\"note\">{} more turns are not shown.</p>\n", self.hidden_turns));
        }
        text.push_str("</details>\n");
        text
    }
}

impl Turn {
    /// Messages that the turn before had too are counted, not repeated.
    fn html(&self, origin: u64, before: &[SentMessage]) -> String {
        let repeated = self.messages.iter().zip(before).take_while(|(own, earlier)| own == earlier).count();
        let seconds = self.start.saturating_sub(origin) as f64 / 1e9;
        let status = self.status.map_or_else(|| "no answer".to_owned(), |status| format!("status {status}"));
        let mut text = format!(
            "<details class=\"turn\"><summary>turn {} <small>{seconds:.3} s, {} messages, {status}</small></summary>\n",
            self.index,
            self.messages.len()
        );
        if repeated > 0 {
            text.push_str(&format!("<p class=\"note\">{repeated} messages as in the turn before.</p>\n"));
        }
        for message in &self.messages[repeated..] {
            let SentMessage { role, text: shown, letters } = message;
            text.push_str(&format!(
                "<details class=\"message\" open><summary>{} <small>{letters} letters</small></summary><pre>{}</pre>",
                escaped(role),
                escaped(shown)
            ));
            let rest = letters - shown.chars().count();
            if rest > 0 {
                text.push_str(&format!(
                    "<p class=\"note\">{rest} more letters. Use --content-cap for all of them.</p>"
                ));
            }
            text.push_str("</details>\n");
        }
        text.push_str("</details>\n");
        text
    }
}

/// The messages of a body: those of chats, the input of responses and embeddings, the prompt of completions. A body of another shape
/// is one message.
fn messages(payload: &Value, most: usize) -> Vec<SentMessage> {
    let listed = payload["messages"].as_array().or_else(|| payload["input"].as_array());
    if let Some(list) = listed {
        return list.iter().map(|message| SentMessage::of(message, most)).collect();
    }
    let whole = ["prompt", "input"].iter().map(|name| &payload[*name]).find(|value| !value.is_null());
    let whole = whole.unwrap_or(payload);
    if whole.is_null() { Vec::new() } else { vec![SentMessage::new("prompt", &text_of(whole), most)] }
}

impl SentMessage {
    fn of(message: &Value, most: usize) -> Self {
        let role = message["role"].as_str().or_else(|| message["type"].as_str()).unwrap_or("input");
        let content = message.get("content").unwrap_or(message);
        let text = text_of(content);
        match message.get("tool_calls").filter(|calls| !calls.is_null()) {
            Some(calls) => Self::new(role, format!("{text}\n{calls:#}").trim_start(), most),
            None => Self::new(role, &text, most),
        }
    }

    fn new(role: &str, text: &str, most: usize) -> Self {
        Self { role: role.to_owned(), text: text.chars().take(most).collect(), letters: text.chars().count() }
    }
}

/// Texts as they are, parts of a message one after the other, anything else as JSON.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Array(parts) => {
            let part = |part: &Value| part["text"].as_str().map_or_else(|| text_of(part), str::to_owned);
            parts.iter().map(part).collect::<Vec<_>>().join("\n")
        }
        other => format!("{other:#}"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    fn line(session: &str, turn: u64, start: u64, payload: &Value) -> String {
        let metadata = json!({"x_correlation_id": session, "conversation_id": format!("c-{session}"), "turn_index": turn,
            "request_start_ns": start, "benchmark_phase": "profiling", "agent_depth": u64::from(session == "agent")});
        json!({"metadata": metadata, "status": 200, "responses": [], "payload": payload}).to_string() + "\n"
    }

    fn chat(texts: &[&str]) -> Value {
        json!({"messages": texts.iter().map(|text| json!({"role": "user", "content": text})).collect::<Vec<_>>()})
    }

    fn read(lines: &[String], options: TurnMessagesOptions) -> TurnMessages {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("profile_export_raw.jsonl"), lines.concat()).unwrap();
        fs::write(dir.path().join("profile_export.jsonl"), "").unwrap();
        TurnMessages::read(dir.path(), options).unwrap()
    }

    #[test]
    fn messages_of_earlier_turns_are_not_repeated() {
        let lines = [
            line("b", 0, 20, &chat(&["second"])),
            line("a", 1, 30, &chat(&["first <question>", "more"])),
            line("a", 0, 10, &chat(&["first <question>"])),
            line("agent", 0, 5, &json!({"prompt": "of an agent"})),
        ];
        let found = read(&lines, TurnMessagesOptions::default());
        let names: Vec<&str> = found.conversations.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["c-a", "c-b", "c-agent"], "agents come after those who started them");
        let html = found.html();
        assert_eq!(html.matches("first &lt;question&gt;").count(), 1, "{html}");
        assert!(html.contains("1 messages as in the turn before") && html.contains("agent of depth 1"), "{html}");
        assert!(!html.contains("<question>") && !html.contains("<script"));
    }

    #[test]
    fn limits_are_kept_and_named() {
        let lines: Vec<String> = (0..4)
            .map(|turn| line("a", turn, turn, &chat(&["0123456789"])))
            .chain([line("b", 0, 9, &chat(&["x"]))])
            .collect();
        let options = TurnMessagesOptions { conversations: 1, turns: 2, letters: 4 };
        let found = read(&lines, options);
        assert_eq!((found.total, found.conversations.len(), found.conversations[0].turns.len()), (2, 1, 2));
        let html = found.html();
        assert!(html.contains("2 more turns are not shown") && html.contains("1 of 2 conversations"), "{html}");
        assert!(html.contains("<pre>0123</pre>") && html.contains("6 more letters"), "{html}");
    }

    #[test]
    fn bodies_of_other_apis_are_shown_too() {
        let texts = |payload: Value| -> Vec<(String, String)> {
            messages(&payload, 100).into_iter().map(|message| (message.role, message.text)).collect()
        };
        assert_eq!(texts(json!({"input": ["a", "b"]})), [("input".into(), "a".into()), ("input".into(), "b".into())]);
        assert_eq!(texts(json!({"prompt": "p"})), [("prompt".into(), "p".into())]);
        let parts = json!({"messages": [{"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "u"}}]}]});
        assert!(texts(parts)[0].1.starts_with("look\n{"));
        assert_eq!(texts(Value::Null), []);
    }

    #[test]
    fn a_run_without_raw_records_says_what_it_needs() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("profile_export.jsonl"), "{}\n").unwrap();
        let refused = TurnMessages::read(dir.path(), TurnMessagesOptions::default()).unwrap_err();
        assert!(refused.to_string().contains("--export-level raw"), "{refused}");
    }
}
