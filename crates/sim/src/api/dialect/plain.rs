//! APIs whose events are small objects with a text: Hugging Face TGI, Triton's generate extension, `KServe`, Solido RAG.

use serde_json::{Value, json};

use super::{answer_of, piece_text};
use crate::api::dialect::openai::UsageCounts;
use crate::api::kserve;
use crate::api::text_request::TextApi;
use crate::generation::reply::{Finish, GeneratedReply, ReplyPiece};

#[derive(Debug)]
pub(crate) struct PlainWriter {
    api: TextApi,
    model: String,
}

impl PlainWriter {
    pub(super) fn new(api: TextApi, model: &str) -> Self {
        Self { api, model: model.to_owned() }
    }

    pub(super) fn piece(
        &self,
        reply: &GeneratedReply,
        piece: ReplyPiece,
        finish: Option<Finish>,
        usage: UsageCounts,
        out: &mut Vec<u8>,
    ) {
        let text = piece_text(reply, piece);
        let event = match self.api {
            TextApi::HuggingFace => json!({
                "index": piece.ends_at(),
                "token": {"id": piece.ends_at(), "text": text, "logprob": -0.1, "special": false},
                "generated_text": finish.map(|_| answer_of(reply)),
                "details": finish.map(|finish| details(finish, usage)),
            }),
            TextApi::Triton => self.triton(&text),
            TextApi::Kserve => kserve::answer(&self.model, &text),
            _ => json!({ "content": text }),
        };
        // TGI puts no blank after the colon.
        let blank = if self.api == TextApi::HuggingFace { "" } else { " " };
        out.extend_from_slice(format!("data:{blank}{event}\n\n").as_bytes());
    }

    pub(super) fn closing(&self, out: &mut Vec<u8>) {
        if self.api == TextApi::Solido {
            out.extend_from_slice(b"data: {\"content\":\"\",\"sources\":[]}\n\ndata: [DONE]\n\n");
        }
    }

    pub(super) fn full(&self, reply: &GeneratedReply, usage: UsageCounts, out: &mut Vec<u8>) {
        let text = answer_of(reply);
        let body = match self.api {
            TextApi::HuggingFace => json!({"generated_text": text, "details": details(reply.finish, usage)}),
            TextApi::Triton => self.triton(&text),
            TextApi::Kserve => kserve::answer(&self.model, &text),
            _ => json!({"content": text, "sources": []}),
        };
        out.extend_from_slice(body.to_string().as_bytes());
    }

    fn triton(&self, text: &str) -> Value {
        json!({"model_name": self.model, "model_version": "1", "text_output": text})
    }
}

pub(super) fn error(message: &str, out: &mut Vec<u8>) {
    let event = json!({"error": message, "error_type": "generation"});
    out.extend_from_slice(format!("data: {event}\n\n").as_bytes());
}

fn details(finish: Finish, usage: UsageCounts) -> Value {
    let reason = if finish == Finish::Length { "length" } else { "eos_token" };
    json!({"finish_reason": reason, "generated_tokens": usage.completion, "input_length": usage.prompt})
}
