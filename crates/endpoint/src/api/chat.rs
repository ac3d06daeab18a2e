//! Chat completions: `POST /v1/chat/completions`.

use crate::completion_event::{self, CompletionEvent, Function, Message};
use crate::documents::{self, Heard};
use crate::message;
use crate::payload::{Field, Payload, StreamUsage};
use crate::transcript::Transcript;
use crate::{BuildError, Endpoint, Reply, ReplyError, ResponseBody, TurnRequest};

#[derive(Debug)]
pub(super) struct Chat;

impl Endpoint for Chat {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let turn = request.current()?;
        let options = request.options;
        let mut payload = Payload::default();
        payload.set("messages", Field::Messages(message::messages(request)?));
        payload.set("model", Field::Text(&turn.model));
        payload.set("stream", Field::Flag(options.streaming));
        if let Some(limit) = turn.max_tokens {
            let name = if options.legacy_max_tokens { "max_tokens" } else { "max_completion_tokens" };
            payload.set(name, Field::Count(limit));
        }
        payload.lay_extras(request)?;
        payload.ask_for_usage(if options.per_chunk_usage { StreamUsage::OnEveryChunk } else { StreamUsage::AtEnd });
        payload.into_bytes(request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read(body, hear)
    }

    fn carries_content(&self, data: &str) -> bool {
        let mut transcript = Transcript::default();
        matches!(hear(data, &mut transcript), Heard::Understood) && transcript.event_has_content()
    }
}

fn hear(data: &str, transcript: &mut Transcript) -> Heard {
    completion_event::hear(data, transcript, speak)
}

fn speak(event: &CompletionEvent<'_>, transcript: &mut Transcript) {
    for choice in &event.choices.0 {
        if let Some(message) = choice.delta.0.as_ref().or(choice.message.0.as_ref()) {
            speak_message(choice.index(), message, transcript);
        }
    }
    if let Some(message) = &event.message.0 {
        speak_message(0, message, transcript);
    }
}

/// All that the model generated counts, whatever field it came in, and each kind beside the others.
fn speak_message(choice: u64, message: &Message<'_>, transcript: &mut Transcript) {
    transcript.reasoning(choice, message.reasoning());
    transcript.text(choice, &message.content.text);
    transcript.text(choice, message.refusal.as_str());
    let called = message.tool_calls.0.iter().filter_map(|call| call.function.0.as_ref());
    for Function { name, arguments } in called.chain(message.function_call.0.as_ref()) {
        transcript.tool_text(choice, name.as_str());
        transcript.tool_text(choice, arguments.as_str());
    }
}
