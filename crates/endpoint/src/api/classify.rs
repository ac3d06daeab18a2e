//! Classification of texts, as vLLM and SGLang serve it: `POST /classify`.

use std::sync::Arc;

use aiperf_protocol::{EndpointKind, Reply, ReplyError};

use crate::reply::documents::{self, EventResult, tree};
use crate::reply::transcript::Transcript;
use crate::reply::usage::UsageField;
use crate::request::payload::{BodyField, Payload};
use crate::{BuildError, Endpoint, EndpointSettings, ResponseBody, TurnRequest};

pub(super) fn endpoint(_: EndpointKind, _: &EndpointSettings) -> Arc<dyn Endpoint> {
    Arc::new(ClassifyApi)
}

#[derive(Debug)]
struct ClassifyApi;

impl Endpoint for ClassifyApi {
    fn body(&self, request: &TurnRequest<'_>) -> Result<Vec<u8>, BuildError> {
        let mut payload = Payload::default();
        payload.set("model", BodyField::Text(&request.current()?.model));
        payload.set("input", BodyField::Texts(request.lone_texts(EndpointKind::Classify)?));
        payload.lay_extras(request)?;
        payload.into_bytes(request)
    }

    fn read(&self, body: ResponseBody<'_>) -> Result<Reply, ReplyError> {
        documents::read(body, parse_event)
    }

    fn carries_content(&self, data: &str) -> bool {
        documents::carries_content(data, parse_event)
    }
}

/// Each label is content: a batch of texts has as many.
fn parse_event(data: &str, transcript: &mut Transcript) -> EventResult {
    let answer = tree(data)?;
    let labels = answer["data"].as_array().into_iter().flatten().filter(|item| item["label"].is_string());
    transcript.non_text(labels.count());
    transcript.usage(UsageField::within(&answer, "usage"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use aiperf_clock::{Mono, ReadMark};

    use super::*;

    const ANSWER: &str = r#"{"object":"list","data":[
        {"index":0,"label":"positive","probs":[0.1,0.9],"num_classes":2},
        {"index":1,"label":"negative","probs":[0.8,0.2],"num_classes":2}],
        "usage":{"prompt_tokens":7,"total_tokens":7}}"#;

    fn read(answer: &str) -> Result<Reply, ReplyError> {
        let marks = [ReadMark::user(answer.len(), Mono::from_nanos(1))];
        ClassifyApi.read(ResponseBody {
            content_type: Some("application/json"),
            bytes: answer.as_bytes(),
            marks: &marks,
        })
    }

    #[test]
    fn each_label_is_content() {
        let reply = read(ANSWER).unwrap();
        assert_eq!(reply.chunks.len(), 2);
        assert_eq!(reply.usage.unwrap().prompt_tokens, Some(7));
        assert!(ClassifyApi.carries_content(ANSWER));
    }

    #[test]
    fn a_response_without_labels_is_a_failure() {
        assert_eq!(read(r#"{"object":"list","data":[]}"#), Err(ReplyError::NoContent));
        assert!(matches!(read(r#"{"error":{"message":"no such model"}}"#), Err(ReplyError::InBand { .. })));
    }
}
