//! The self-test of packs: every entry is used once in the way that a run would use it.

use aiperf_config::ProcessCommand;
use aiperf_conversation::{ContextMode, Conversation, Lineage, Media, SessionId, Turn};
use aiperf_endpoint::{BodyOptions, EndpointSettings, TurnRequest};
use aiperf_protocol::EndpointKind;

use crate::PackSet;
use crate::pack::{EntryContent, PackEntry};
use crate::process::{PluginClient, PluginError};

/// The result of the self-test of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryCheck {
    pub category: &'static str,
    pub name: String,
    /// What is wrong; `None`: nothing.
    pub problem: Option<String>,
}

/// Tests every entry. Packs that could not be read are in [`PackSet::problems`].
pub fn validate(packs: &PackSet) -> Vec<EntryCheck> {
    packs
        .entries()
        .map(|(_, entry)| EntryCheck {
            category: entry.category.name,
            name: entry.name.clone(),
            problem: problem(entry),
        })
        .collect()
}

/// Reading a pack has checked the texts of all declarations; what is left is to use them.
fn problem(entry: &PackEntry) -> Option<String> {
    match &entry.content {
        EntryContent::Endpoint(kind) => sample_body(*kind).err(),
        EntryContent::Process(command) => self_test(entry, command).err().map(|error| error.to_string()),
        _ => None,
    }
}

/// Shakes hands with a program and asks it to test itself.
fn self_test(entry: &PackEntry, command: &ProcessCommand) -> Result<(), PluginError> {
    let mut client = PluginClient::start(entry.category.name, &entry.name, command)?;
    client.request(&serde_json::json!({"type": "check"})).map(|_| ())
}

/// Makes a body of a small turn, streamed and not.
fn sample_body(kind: EndpointKind) -> Result<(), String> {
    let turn = Turn {
        texts: vec![Media::unnamed("Hello")],
        images: vec![Media::unnamed("data:image/png;base64,AA==")],
        model: "model".into(),
        max_tokens: Some(8),
        ..Turn::default()
    };
    let conversation = Conversation {
        session_id: SessionId("sample".into()),
        turns: vec![turn],
        system: None,
        user_context: None,
        context_mode: ContextMode::default(),
        lineage: Lineage::Root,
    };
    let endpoint = aiperf_endpoint::of(kind, &EndpointSettings::default());
    for streaming in [false, true] {
        let options = BodyOptions { streaming, ..BodyOptions::default() };
        let request = TurnRequest { conversation: &conversation, turn: 0, history: &[], options: &options };
        endpoint.body(&request).map_err(|error| error.to_string())?;
    }
    Ok(())
}
