//! Serves embeddings: one vector for each input.

use std::io::Write as _;

use serde::Deserialize;

use crate::api::single_reply::{self, ReplyInputs, SingleReplyPlan};
use crate::api::text_request::RejectedRequest;
use crate::generation::prefix_cache::content_hash;
use crate::generation::prompt::{MessageTexts, RequestPrompt};
use crate::server::connection::{ClientConnection, ClientGone, ClientRequest};
use crate::server::exchange::ServedRequest;
use crate::server::response::{After, JSON, refuse};
use crate::server::worker::ServerWorker;

#[derive(Deserialize)]
struct EmbeddingBody {
    model: Option<String>,
    input: Option<RequestPrompt>,
    messages: Option<MessageTexts>,
    dimensions: Option<u32>,
    #[serde(default)]
    encoding_format: Encoding,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Encoding {
    #[default]
    Float,
    Base64,
}

/// The longest vector that is made.
const MOST_DIMENSIONS: u32 = 1 << 16;

fn read(body: &[u8]) -> Result<(EmbeddingBody, RequestPrompt), RejectedRequest> {
    let mut body: EmbeddingBody = serde_json::from_slice(body).map_err(|e| RejectedRequest::invalid_json(&e))?;
    if body.dimensions.is_some_and(|dimensions| dimensions == 0 || dimensions > MOST_DIMENSIONS) {
        return Err(RejectedRequest::of("dimensions", format!("dimensions must be between 1 and {MOST_DIMENSIONS}.")));
    }
    let given = body.input.take().or_else(|| body.messages.take().map(|MessageTexts(prompt)| prompt));
    let prompt = given.ok_or_else(|| RejectedRequest::of("input", "field required: input".to_owned()))?;
    Ok((body, prompt))
}

pub(crate) async fn embed(
    worker: &ServerWorker,
    connection: &mut ClientConnection,
    exchange: &mut ServedRequest,
    received: &ClientRequest,
) -> Result<After, ClientGone> {
    let options = &worker.state.options;
    let (body, prompt) = match read(&received.body) {
        Ok(read) => read,
        Err(refusal) => return refuse(connection, exchange, 400, &refusal, received.head.keep_alive).await,
    };
    let dimensions = body.dimensions.unwrap_or(options.embed_dim);
    let model = body.model.as_deref().unwrap_or(&options.model);
    let make = |made: &ReplyInputs<'_>| {
        let mut text = Vec::new();
        write_list(&mut text, prompt.items, dimensions, body.encoding_format, made.draws.key());
        // Writes to a vector cannot fail.
        let _ = write!(
            text,
            r#","model":{},"usage":{{"prompt_tokens":{tokens},"total_tokens":{tokens}}}}}"#,
            serde_json::Value::from(model),
            tokens = made.prompt.tokens,
        );
        (JSON, text)
    };
    single_reply::serve(
        worker,
        connection,
        exchange,
        received,
        SingleReplyPlan { prompt: &prompt, steps: 0, make: &make },
    )
    .await
}

/// Writes the answer up to the end of the list. The same key gives the same vectors.
fn write_list(out: &mut Vec<u8>, items: usize, dimensions: u32, encoding: Encoding, key: u64) {
    out.extend_from_slice(br#"{"object":"list","data":["#);
    for index in 0..items {
        let values = (0..dimensions).map(|place| component(key, index, place));
        let comma = if index > 0 { "," } else { "" };
        let _ = write!(out, r#"{comma}{{"object":"embedding","index":{index},"embedding":"#);
        match encoding {
            Encoding::Float => {
                out.push(b'[');
                for (place, value) in values.enumerate() {
                    let comma = if place > 0 { "," } else { "" };
                    let _ = write!(out, "{comma}{value:.6}");
                }
                out.push(b']');
            }
            Encoding::Base64 => {
                let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
                out.push(b'"');
                write_base64(&bytes, out);
                out.push(b'"');
            }
        }
        out.push(b'}');
    }
    out.push(b']');
}

/// Between minus one and one.
fn component(key: u64, index: usize, place: u32) -> f32 {
    let hash = content_hash(&[&key.to_le_bytes(), &index.to_le_bytes(), &place.to_le_bytes()]);
    (hash >> 40) as f32 / (1_u32 << 23) as f32 - 1.0
}

pub(crate) fn write_base64(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for group in bytes.chunks(3) {
        let bits = group.iter().enumerate().fold(0_u32, |bits, (i, &byte)| bits | u32::from(byte) << (16 - 8 * i));
        for digit in 0..4 {
            let index = (bits >> (18 - 6 * digit)) & 63;
            out.push(if digit <= group.len() { DIGITS[index as usize] } else { b'=' });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_pads_as_the_standard_says() {
        for (plain, encoded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            let mut out = Vec::new();
            write_base64(plain.as_bytes(), &mut out);
            assert_eq!(out, encoded.as_bytes());
        }
    }

    #[test]
    fn a_vector_has_the_length_asked_and_differs_by_input() {
        let mut out = Vec::new();
        write_list(&mut out, 2, 5, Encoding::Float, 9);
        out.push(b'}');
        let list: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let vectors: Vec<_> = list["data"].as_array().unwrap().iter().map(|item| item["embedding"].clone()).collect();
        assert_eq!(vectors[0].as_array().unwrap().len(), 5);
        assert_ne!(vectors[0], vectors[1]);
    }
}
