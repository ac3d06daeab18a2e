//! The JSON that chat and completions answer with: whole responses and stream events have one shape but for the name of
//! the message (`message` or `delta`). Borrowed from the input, and only what is needed is kept.

use std::borrow::Cow;
use std::fmt;

use aiperf_protocol::{ToolKind, Usage};
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::Value;

use crate::reply::documents::{EventError, EventResult};
use crate::reply::in_band;
use crate::reply::lenient::{CountField, Object, Objects, Text, Truthy, nothing_for};
use crate::reply::spec_decode::EngineMetrics;
use crate::reply::tool_call::CallFragment;
use crate::reply::transcript::Transcript;
use crate::reply::usage::UsageField;

#[derive(Debug, Deserialize)]
pub(crate) struct CompletionEvent<'a> {
    #[serde(default, borrow)]
    pub(crate) choices: Objects<EventChoice<'a>>,
    /// Next to `choices` only in Ollama's own protocol, a document per line.
    #[serde(default, borrow)]
    pub(crate) message: Object<EventMessage<'a>>,
    #[serde(default)]
    usage: UsageField,
    #[serde(default)]
    metrics: Object<EngineMetrics>,
    #[serde(default, borrow)]
    object: Text<'a>,
    #[serde(default, borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(default)]
    error: Truthy,
    #[serde(default)]
    done: Truthy,
    #[serde(default)]
    prompt_eval_count: CountField,
    #[serde(default)]
    eval_count: CountField,
}

#[derive(Debug, Deserialize)]
pub(crate) struct EventChoice<'a> {
    #[serde(default)]
    index: CountField,
    #[serde(default, borrow)]
    pub(crate) delta: Object<EventMessage<'a>>,
    #[serde(default, borrow)]
    pub(crate) message: Object<EventMessage<'a>>,
    #[serde(default, borrow)]
    pub(crate) text: Text<'a>,
    #[serde(default, borrow)]
    finish_reason: Text<'a>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct EventMessage<'a> {
    #[serde(default, borrow)]
    pub(crate) content: EventContent<'a>,
    #[serde(default, borrow)]
    pub(crate) refusal: Text<'a>,
    #[serde(default, borrow)]
    reasoning_content: Text<'a>,
    #[serde(default, borrow)]
    reasoning: Text<'a>,
    #[serde(default, borrow)]
    thinking: Text<'a>,
    #[serde(default, borrow)]
    tool_calls: Objects<EventToolCall<'a>>,
    #[serde(default, borrow)]
    function_call: Object<Function<'a>>,
    #[serde(default, borrow)]
    pub(crate) audio: Object<Speech<'a>>,
}

/// A spoken answer with its transcript.
#[derive(Debug, Deserialize)]
pub(crate) struct Speech<'a> {
    #[serde(default, borrow)]
    pub(crate) transcript: Text<'a>,
    #[serde(default)]
    pub(crate) data: Truthy,
}

#[derive(Debug, Deserialize)]
pub(crate) struct EventToolCall<'a> {
    #[serde(default)]
    index: CountField,
    #[serde(default, borrow)]
    id: Text<'a>,
    #[serde(default, borrow)]
    function: Object<Function<'a>>,
    /// A tool of the user's own grammar, which is called with a text.
    #[serde(default, borrow)]
    custom: Object<Function<'a>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Function<'a> {
    #[serde(default, borrow)]
    name: Text<'a>,
    #[serde(default, borrow)]
    arguments: Text<'a>,
    #[serde(default, borrow)]
    input: Text<'a>,
}

/// A message's content: a string, or a list of parts of which some may be reasoning.
#[derive(Debug, Default)]
pub(crate) struct EventContent<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) reasoning: String,
}

#[derive(Debug, Deserialize)]
struct EventPart<'a> {
    #[serde(default, borrow)]
    text: Text<'a>,
    #[serde(default, borrow)]
    thinking: EventContent<'a>,
}

impl EventMessage<'_> {
    /// Servers name the field in three ways, and some send several of them with the same text.
    pub(crate) fn reasoning(&self) -> &str {
        let named = [&self.reasoning_content, &self.reasoning, &self.thinking];
        named.into_iter().map(Text::as_str).find(|text| !text.is_empty()).unwrap_or(&self.content.reasoning)
    }

    /// The fragments of tool calls, including the one call of the older API.
    pub(crate) fn calls(&self) -> impl Iterator<Item = CallFragment<'_>> {
        let numbered = self.tool_calls.0.iter().filter_map(|call| {
            let function = call.function.0.as_ref().map(|function| (function, ToolKind::Function));
            let (called, kind) = function.or(call.custom.0.as_ref().map(|custom| (custom, ToolKind::Custom)))?;
            Some(CallFragment { index: call.index.0, id: call.id.as_str(), kind, ..called.fragment() })
        });
        numbered.chain(self.function_call.0.as_ref().map(Function::fragment))
    }
}

impl Function<'_> {
    fn fragment(&self) -> CallFragment<'_> {
        let arguments = if self.arguments.as_str().is_empty() { self.input.as_str() } else { self.arguments.as_str() };
        CallFragment { name: self.name.as_str(), arguments, ..CallFragment::default() }
    }
}

/// Reads one document and lets `append` put each choice's own content into the transcript. `append` must hand on a text as it
/// stands in the event, whatever it says, and be the same for all events of a transcript: then an event that repeats another
/// but for its text need not be read again.
pub(crate) fn parse_event(
    data: &str,
    transcript: &mut Transcript,
    append: impl Fn(&CompletionEvent<'_>, &mut Transcript),
) -> EventResult {
    if transcript.repeats(data) {
        return Ok(());
    }
    let result = parse_new_event(data, transcript, append);
    if result.is_ok() {
        transcript.remember(data);
    }
    result
}

fn parse_new_event(
    data: &str,
    transcript: &mut Transcript,
    append: impl Fn(&CompletionEvent<'_>, &mut Transcript),
) -> EventResult {
    match serde_json::from_str::<Object<CompletionEvent<'_>>>(data) {
        Ok(Object(Some(event))) => event.tell(data, transcript, append),
        Ok(Object(None)) => Err(EventError::Undecodable),
        // A key given twice is refused by the direct reading; in a tree the later one wins.
        Err(_) => {
            let tree: Value = serde_json::from_str(data).unwrap_or_default();
            match Object::<CompletionEvent<'_>>::deserialize(&tree) {
                Ok(Object(Some(event))) => event.tell(data, transcript, append),
                _ => Err(EventError::Undecodable),
            }
        }
    }
}

impl CompletionEvent<'_> {
    fn tell(
        &self,
        data: &str,
        transcript: &mut Transcript,
        append: impl Fn(&CompletionEvent<'_>, &mut Transcript),
    ) -> EventResult {
        if self.error.0 || self.object.as_str() == "error" || self.kind.as_str() == "error" {
            return Err(EventError::Failed(in_band::error_object(data)));
        }
        append(self, transcript);
        for choice in &self.choices.0 {
            let reason = choice.finish_reason.as_str();
            if !reason.is_empty() {
                transcript.finish_reason(choice.index(), reason);
            }
        }
        if self.done.0 {
            transcript.end_mark();
        }
        if let Some(metrics) = &self.metrics.0 {
            metrics.append(transcript);
        }
        transcript.usage(self.usage.0.or_else(|| self.ollama_usage()));
        Ok(())
    }

    fn ollama_usage(&self) -> Option<Usage> {
        let usage =
            Usage { prompt_tokens: self.prompt_eval_count.0, completion_tokens: self.eval_count.0, ..Usage::default() };
        (usage != Usage::default()).then_some(usage)
    }
}

impl EventChoice<'_> {
    pub(crate) fn index(&self) -> u64 {
        self.index.0.unwrap_or(0)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for EventContent<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor;
        impl<'de> Visitor<'de> for ContentVisitor {
            type Value = EventContent<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text or a list of parts")
            }

            nothing_for!(EventContent::default(); null boolean number object);

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(EventContent { text: Cow::Borrowed(text), reasoning: String::new() })
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(EventContent { text: Cow::Owned(text.to_owned()), reasoning: String::new() })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut content = EventContent::default();
                while let Some(Object(part)) = seq.next_element::<Object<EventPart<'de>>>()? {
                    let Some(part) = part else { continue };
                    content.text.to_mut().push_str(part.text.as_str());
                    content.reasoning.push_str(&part.thinking.text);
                }
                Ok(content)
            }
        }
        deserializer.deserialize_any(ContentVisitor)
    }
}

#[cfg(test)]
mod tests;
