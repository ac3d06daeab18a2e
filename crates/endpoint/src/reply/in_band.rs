//! Errors that a server reports inside a 2xx response.

use aiperf_protocol::ReplyError;
use serde_json::Value;

use crate::reply::sse::SseEvent;

/// Code and kind of a failure that an SSE event named `error` announces, as the reference records it.
const ERROR_EVENT_CODE: u16 = 502;
const ERROR_EVENT_KIND: &str = "SSEResponseError";
/// Types that only mark an event as an error.
const EVENT_KINDS: [&str; 2] = ["error", "response.error"];
/// For an error object that names no type of its own.
pub(crate) const UNNAMED_KIND: &str = "InBandError";

/// Reads an error object: `{"error": {"message", "type", "code"}}`, `{"error": "text"}`, or the fields at the top level.
pub(crate) fn error_object(data: &str) -> ReplyError {
    let root: Value = serde_json::from_str(data).unwrap_or_default();
    let error = root.get("error").filter(|e| e.is_object() || e.is_string()).unwrap_or(&root);
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let message = error
        .as_str()
        .map(str::to_owned)
        .or_else(|| text(error, "message"))
        .or_else(|| text(&root, "message"))
        .unwrap_or_else(|| data.trim().to_owned());
    let code_word = text(error, "code").filter(|code| code.parse::<u16>().is_err());
    let kind = text(error, "type")
        .filter(|kind| !EVENT_KINDS.contains(&kind.as_str()))
        .or_else(|| text(&root, "error_type"))
        .or(code_word)
        .unwrap_or_else(|| UNNAMED_KIND.to_owned());
    ReplyError::InBand { code: code(error), kind, message }
}

/// Reads an SSE event named `error`: its comment is the message, otherwise its data.
pub(crate) fn error_event(event: &SseEvent<'_>) -> ReplyError {
    let comment = event.comment.as_deref().filter(|c| !c.is_empty()).map(str::to_owned);
    let message = comment.unwrap_or_else(|| match error_object(event.data.as_deref().unwrap_or_default()) {
        ReplyError::InBand { message, .. } if !message.is_empty() => message,
        _ => "the server sent an error event without a message".to_owned(),
    });
    ReplyError::InBand { code: Some(ERROR_EVENT_CODE), kind: ERROR_EVENT_KIND.to_owned(), message }
}

/// An HTTP-like status, as number or as digits.
fn code(error: &Value) -> Option<u16> {
    let value = error.get("code").or_else(|| error.get("status")).or_else(|| error.get("status_code"))?;
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
    u16::try_from(number).ok().filter(|code| (100..600).contains(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(data: &str) -> (Option<u16>, String, String) {
        match error_object(data) {
            ReplyError::InBand { code, kind, message } => (code, kind, message),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_shapes_of_known_servers_are_read() {
        let of = |code, kind: &str, message: &str| (code, kind.to_owned(), message.to_owned());
        let openai = r#"{"error":{"message":"overloaded","type":"ServiceUnavailable","param":null,"code":503}}"#;
        assert_eq!(parts(openai), of(Some(503), "ServiceUnavailable", "overloaded"));
        let vllm = r#"{"object":"error","message":"boom","type":"BadRequestError","code":400}"#;
        assert_eq!(parts(vllm), of(Some(400), "BadRequestError", "boom"));
        assert_eq!(parts(r#"{"error":"no slot"}"#), of(None, "InBandError", "no slot"));
        let tgi = r#"{"error":"Model is overloaded","error_type":"overloaded"}"#;
        assert_eq!(parts(tgi), of(None, "overloaded", "Model is overloaded"));
        let worded = r#"{"error":{"message":"m","code":"context_length_exceeded"}}"#;
        assert_eq!(parts(worded), of(None, "context_length_exceeded", "m"));
        let nested = r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#;
        assert_eq!(parts(nested), of(None, "overloaded_error", "m"));
    }

    #[test]
    fn an_error_without_message_is_quoted_whole() {
        assert_eq!(parts(r#"{"error":{"x":1}}"#).2, r#"{"error":{"x":1}}"#);
    }
}
