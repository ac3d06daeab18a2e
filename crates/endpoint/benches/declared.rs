//! The work of an endpoint type for one request, a given number of times: `declared built_in|declared COUNT`. Run under callgrind by
//! `benches/plugins`, which compares a declared endpoint type with the built-in one.

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;

use aiperf_clock::{Mono, ReadMark};
use aiperf_conversation::{ContextMode, Conversation, Lineage, Media, SessionId, Turn};
use aiperf_endpoint::{BodyOptions, Endpoint, EndpointSettings, ResponseBody, TurnRequest};
use aiperf_protocol::{
    BodySource, DeclaredEndpoint, EndpointDeclaration, EndpointFacts, EndpointKind, ResponseRules, TemplateText,
};

const CHUNKS: usize = 100;
const WORDS: [&str; 8] = [" place", " total", " chair", " life", " send", " light", " water", " again"];

/// Chat completions, declared.
fn declared() -> EndpointKind {
    let source = r#"{"messages": {{ messages }}, "model": "{{ model }}", "stream": {{ stream }}
        {%- if max_tokens %}, "max_completion_tokens": {{ max_tokens }}{% endif %}
        {%- if stream %}, "stream_options": {"include_usage": true}{% endif %}}"#;
    let paths = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
    let response = ResponseRules {
        text: paths(&["choices[*].delta.content", "choices[*].message.content"]),
        reasoning: paths(&["choices[*].delta.reasoning_content"]),
        choice: paths(&["choices[*].index"]),
        finish_reason: paths(&["choices[*].finish_reason"]),
        usage: paths(&["usage"]),
        ..ResponseRules::default()
    };
    EndpointKind::Declared(DeclaredEndpoint::new(EndpointDeclaration {
        facts: EndpointFacts { name: "declared", body: BodySource::Turn, ..EndpointFacts::CHAT },
        template: TemplateText { source: source.to_owned(), may_write_limit: true },
        response,
        headers: Vec::new(),
    }))
}

/// A streamed answer, one read for each event.
fn stream() -> (Vec<u8>, Vec<ReadMark>) {
    let event = |rest: &str| {
        format!(
            "data: {{\"id\":\"chatcmpl-62a556755ba73290\",\"object\":\"chat.completion.chunk\",\"created\":1794720417,\
             \"model\":\"sim-model\",\"choices\":{rest}}}\n\n"
        )
    };
    let mut events =
        vec![event("[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]")];
    for index in 0..CHUNKS {
        let (word, is_last) = (WORDS[index % WORDS.len()], index + 1 == CHUNKS);
        let finish = if is_last { "\"length\"" } else { "null" };
        events.push(event(&format!(
            "[{{\"index\":0,\"delta\":{{\"content\":\"{word}\"}},\"logprobs\":null,\"finish_reason\":{finish}}}]"
        )));
    }
    events.push(event("[],\"usage\":{\"prompt_tokens\":32,\"total_tokens\":132,\"completion_tokens\":100}"));
    events.push("data: [DONE]\n\n".to_owned());
    let (mut bytes, mut marks) = (Vec::new(), Vec::new());
    for (number, event) in events.iter().enumerate() {
        bytes.extend_from_slice(event.as_bytes());
        marks.push(ReadMark::user(bytes.len(), Mono::from_nanos(1_000_000 * number as u64)));
    }
    (bytes, marks)
}

fn conversation() -> Conversation {
    let text: String = (0..128).map(|index| WORDS[index % WORDS.len()]).collect();
    let turn = Turn {
        texts: vec![Media::unnamed(text.as_str())],
        model: "sim-model".into(),
        max_tokens: Some(100),
        ..Turn::default()
    };
    Conversation {
        session_id: SessionId("session".into()),
        turns: vec![turn],
        system: None,
        user_context: None,
        context_mode: ContextMode::default(),
        lineage: Lineage::Root,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds options of its own, which begin with a dash.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let [part, name, count] = words.as_slice() else {
        println!("declared body|stream built_in|declared COUNT");
        return Ok(());
    };
    let kind = if name == "declared" { declared() } else { EndpointKind::Chat };
    let endpoint: Arc<dyn Endpoint> = aiperf_endpoint::of(kind, &EndpointSettings::default());
    let (bytes, marks) = stream();
    let conversation = conversation();
    let options = BodyOptions { streaming: true, ..BodyOptions::default() };
    for _ in 0..count.parse::<usize>()? {
        if part == "body" {
            let request = TurnRequest { conversation: &conversation, turn: 0, history: &[], options: &options };
            black_box(endpoint.body(black_box(&request))?);
        } else {
            let body = ResponseBody { content_type: Some("text/event-stream"), bytes: &bytes, marks: &marks };
            black_box(endpoint.read(black_box(body)).map_err(|error| error.to_string())?);
        }
    }
    Ok(())
}
