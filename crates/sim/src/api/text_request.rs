//! A request for text, in every API that has one.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::api::kserve;
use crate::generation::prompt::{MessageTexts, RequestPrompt, TextOrItems};

/// The APIs that answer with text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextApi {
    Chat,
    Completions,
    Responses,
    Messages,
    HuggingFace,
    Triton,
    Kserve,
    Solido,
}

impl TextApi {
    /// Whether replies may hold reasoning and tool calls.
    pub(crate) const fn is_chat(self) -> bool {
        matches!(self, Self::Chat | Self::Responses | Self::Messages)
    }
}

/// A request for text, read and checked.
#[derive(Debug)]
pub(crate) struct TextRequest {
    pub(crate) api: TextApi,
    pub(crate) model: Option<String>,
    pub(crate) prompt: RequestPrompt,
    pub(crate) stream: bool,
    pub(crate) usage: UsagePlacement,
    pub(crate) limit: Option<u32>,
    pub(crate) min_tokens: u32,
    pub(crate) ignore_eos: bool,
    pub(crate) offers_tools: bool,
    /// Whether the reply should state the times of the request.
    pub(crate) wants_metrics: bool,
    /// Replies asked for: one for each prompt, times `n`.
    pub(crate) choices: u32,
    /// Responses: keep the reply.
    pub(crate) store: bool,
    /// Responses: a reply that was kept, whose tokens are part of this prompt.
    pub(crate) previous: Option<String>,
}

/// Where a streamed reply carries `usage`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UsagePlacement {
    Nowhere,
    LastChunk,
    EveryChunk,
}

/// Why a body was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RejectedRequest {
    pub(crate) message: String,
    pub(crate) parameter: Option<&'static str>,
}

#[derive(Deserialize)]
struct TextBody {
    model: Option<String>,
    messages: Option<MessageTexts>,
    prompt: Option<RequestPrompt>,
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    max_tokens: Option<u32>,
    max_completion_tokens: Option<u32>,
    min_tokens: Option<u32>,
    ignore_eos: Option<bool>,
    tools: Option<Vec<IgnoredAny>>,
    include_metrics: Option<bool>,
    n: Option<u32>,
    /// Responses: text, or items like messages.
    input: Option<TextOrItems>,
    instructions: Option<String>,
    max_output_tokens: Option<u32>,
    store: Option<bool>,
    previous_response_id: Option<String>,
    /// Messages: text, or blocks.
    system: Option<TextOrItems>,
    /// Hugging Face.
    inputs: Option<RequestPrompt>,
    parameters: Option<Parameters>,
    /// Triton.
    text_input: Option<RequestPrompt>,
    /// Solido.
    query: Option<RequestPrompt>,
    inference_model: Option<String>,
}

#[derive(Deserialize)]
struct Parameters {
    max_new_tokens: Option<u32>,
}

#[derive(Deserialize)]
struct StreamOptions {
    include_usage: Option<bool>,
    continuous_usage_stats: Option<bool>,
}

/// More replies than this to one request are a mistake.
const MOST_CHOICES: u32 = 256;

/// The longest reply, as a real model's context would set one.
pub(crate) const MOST_TOKENS: u32 = 1 << 20;

impl TextRequest {
    pub(crate) fn read(api: TextApi, body: &[u8]) -> Result<Self, RejectedRequest> {
        let mut body: TextBody = if api == TextApi::Kserve {
            let tensors = serde_json::from_slice(body).map_err(|e| RejectedRequest::invalid_json(&e))?;
            serde_json::from_value(kserve::fields(&tensors)).map_err(|e| RejectedRequest::invalid_json(&e))?
        } else {
            serde_json::from_slice(body).map_err(|e| RejectedRequest::invalid_json(&e))?
        };
        let prompt = body.prompt(api)?;
        let (limit, limit_name) = body.limit(api);
        if api == TextApi::Messages && limit.is_none() {
            return Err(RejectedRequest::of("max_tokens", "field required: max_tokens".to_owned()));
        }
        if limit == Some(0) {
            return Err(RejectedRequest::of(limit_name, format!("{limit_name} must be at least 1, got 0.")));
        }
        let min_tokens = body.min_tokens.unwrap_or(0);
        if let Some(asked) = limit.into_iter().chain([min_tokens]).find(|&tokens| tokens > MOST_TOKENS) {
            let message = format!("{limit_name}={asked} cannot be greater than max_model_len={MOST_TOKENS}.");
            return Err(RejectedRequest::of(limit_name, message));
        }
        if limit.is_some_and(|limit| min_tokens > limit) {
            return Err(RejectedRequest::of("min_tokens", format!("min_tokens must not exceed {limit_name}.")));
        }
        let prompts = if api == TextApi::Completions { prompt.items.max(1) as u32 } else { 1 };
        let choices = body.n.unwrap_or(1).saturating_mul(prompts);
        if choices == 0 || choices > MOST_CHOICES {
            return Err(RejectedRequest::of(
                "n",
                format!("n times the number of prompts must be between 1 and {MOST_CHOICES}."),
            ));
        }
        let usage = match body.stream_options {
            Some(StreamOptions { include_usage: Some(true), continuous_usage_stats: Some(true) }) => {
                UsagePlacement::EveryChunk
            }
            Some(StreamOptions { include_usage: Some(true), .. }) => UsagePlacement::LastChunk,
            _ => UsagePlacement::Nowhere,
        };
        Ok(Self {
            api,
            model: body.model.or(body.inference_model),
            prompt,
            stream: body.stream.unwrap_or(false),
            usage,
            limit,
            min_tokens,
            ignore_eos: body.ignore_eos.unwrap_or(false),
            offers_tools: body.tools.is_some_and(|tools| !tools.is_empty()),
            wants_metrics: body.include_metrics.unwrap_or(false),
            choices,
            store: body.store.unwrap_or(false),
            previous: body.previous_response_id,
        })
    }
}

impl TextBody {
    fn prompt(&mut self, api: TextApi) -> Result<RequestPrompt, RejectedRequest> {
        let (prompt, field) = match api {
            TextApi::Chat | TextApi::Messages => (self.messages.take().map(|MessageTexts(prompt)| prompt), "messages"),
            TextApi::Completions => (self.prompt.take(), "prompt"),
            TextApi::Responses => (self.input.take().map(|TextOrItems(prompt)| prompt), "input"),
            TextApi::HuggingFace => (self.inputs.take(), "inputs"),
            TextApi::Triton | TextApi::Kserve => (self.text_input.take(), "text_input"),
            TextApi::Solido => (self.query.take(), "query"),
        };
        let mut prompt = prompt.ok_or_else(|| RejectedRequest::of(field, format!("field required: {field}")))?;
        let before = self.instructions.take().or_else(|| self.system.take().map(|TextOrItems(system)| system.text));
        if let Some(before) = before {
            prompt.push_front(&before);
        }
        Ok(prompt)
    }

    fn limit(&self, api: TextApi) -> (Option<u32>, &'static str) {
        match api {
            TextApi::Responses => (self.max_output_tokens, "max_output_tokens"),
            TextApi::HuggingFace => {
                let limit = self.parameters.as_ref().and_then(|parameters| parameters.max_new_tokens);
                (limit, "max_new_tokens")
            }
            _ => match self.max_completion_tokens {
                Some(limit) => (Some(limit), "max_completion_tokens"),
                None => (self.max_tokens, "max_tokens"),
            },
        }
    }
}

impl RejectedRequest {
    pub(crate) fn of(parameter: &'static str, message: String) -> Self {
        Self { message, parameter: Some(parameter) }
    }

    pub(crate) fn invalid_json(error: &serde_json::Error) -> Self {
        Self { message: format!("the request body cannot be read: {error}"), parameter: None }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_newer_limit_wins_and_usage_follows_the_stream_options() {
        let body = br#"{"messages":[{"role":"user","content":"hi"}],"max_tokens":5,"max_completion_tokens":7,
            "stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true},"x":[{}]}"#;
        let request = TextRequest::read(TextApi::Chat, body).unwrap();
        assert_eq!((request.limit, request.usage, request.stream), (Some(7), UsagePlacement::EveryChunk, true));
    }

    #[test]
    fn each_prompt_gets_its_choices() {
        let request = TextRequest::read(TextApi::Completions, br#"{"prompt":["a","b"],"n":3}"#).unwrap();
        assert_eq!(request.choices, 6);
    }

    #[test]
    fn each_api_has_its_own_place_for_prompt_and_limit() {
        for (api, body, text, limit) in [
            (TextApi::Responses, r#"{"input":"a","instructions":"be","max_output_tokens":3}"#, "be a", Some(3)),
            (
                TextApi::Responses,
                r#"{"input":[{"role":"user","content":[{"type":"input_text","text":"a"}]},{"type":"function_call","name":"f"}]}"#,
                "a",
                None,
            ),
            (
                TextApi::Messages,
                r#"{"messages":[{"content":"a"}],"max_tokens":2,"system":[{"type":"text","text":"be"}]}"#,
                "be a",
                Some(2),
            ),
            (TextApi::HuggingFace, r#"{"inputs":"a","parameters":{"max_new_tokens":4}}"#, "a", Some(4)),
            (TextApi::Triton, r#"{"text_input":["a","b"],"max_tokens":5}"#, "ab", Some(5)),
            (TextApi::Solido, r#"{"query":["a"],"inference_model":"m"}"#, "a", None),
        ] {
            let request = TextRequest::read(api, body.as_bytes()).unwrap();
            assert_eq!((request.prompt.text.as_str(), request.limit, request.choices), (text, limit, 1), "{body}");
        }
        let without = TextRequest::read(TextApi::Messages, br#"{"messages":[]}"#).unwrap_err();
        assert_eq!(without.parameter, Some("max_tokens"));
    }

    #[test]
    fn what_cannot_be_served_is_refused_by_its_field() {
        for (body, field) in [
            (r#"{"prompt":"x"}"#, Some("messages")),
            (r#"{"messages":[],"max_tokens":0}"#, Some("max_tokens")),
            (r#"{"messages":[],"max_tokens":3,"min_tokens":4}"#, Some("min_tokens")),
            (r#"{"messages":[],"n":0}"#, Some("n")),
            ("{", None),
        ] {
            assert_eq!(TextRequest::read(TextApi::Chat, body.as_bytes()).unwrap_err().parameter, field, "{body}");
        }
    }

    proptest! {
        #[test]
        fn no_body_makes_the_reader_panic(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = TextRequest::read(TextApi::Chat, &body);
            let _ = TextRequest::read(TextApi::Completions, &body);
            let _ = TextRequest::read(TextApi::Responses, &body);
            let _ = TextRequest::read(TextApi::Kserve, &body);
        }
    }
}
