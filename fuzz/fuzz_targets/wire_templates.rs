//! Templates of bodies, with texts to fill in: whatever both say, rendering ends. A zero byte parts them.
#![no_main]

use aiperf_protocol::EndpointKind;
use aiperf_conversation::{ContextMode, Conversation, Lineage, Media, SessionId, Turn};
use aiperf_endpoint::{BodyOptions, EndpointSettings, PayloadTemplate, TurnRequest, of};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(data) = std::str::from_utf8(data) else { return };
    let (source, text) = data.split_once('\0').unwrap_or((data, "What is \"AI\" & <ML>?"));
    let Ok(template) = PayloadTemplate::parse(source) else { return };
    let turn = Turn {
        texts: vec![Media::unnamed(text), Media { name: "query".into(), contents: vec![text.into()] }],
        images: vec![Media::unnamed("data:image/png;base64,iVBORw0KGgo=")],
        model: "m".into(),
        max_tokens: Some(7),
        ..Turn::default()
    };
    let said = Conversation {
        session_id: SessionId("s".into()),
        turns: vec![turn],
        system: Some(text.into()),
        user_context: None,
        context_mode: ContextMode::default(),
        lineage: Lineage::Root,
    };
    let settings = EndpointSettings { template: Some(template), ..EndpointSettings::default() };
    let options = BodyOptions::default();
    let request = TurnRequest { conversation: &said, turn: 0, history: &[], options: &options };
    if let Ok(body) = of(EndpointKind::Template, &settings).body(&request) {
        assert!(serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(&body).is_ok());
    }
});
