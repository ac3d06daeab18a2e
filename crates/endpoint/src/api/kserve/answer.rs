//! Answers of a `KServe` server: the text is the output `text_output`, else the first that holds text.

use std::collections::BTreeMap;

use aiperf_grpc::frames;
use aiperf_grpc::kserve::{Datatype, InferResponse, StreamInferResponse};
use prost::Message;

use crate::documents::{Heard, tree};
use crate::transcript::{Transcript, Wholeness};
use crate::{Reply, ReplyError, ResponseBody};

const TEXT: &str = "text_output";

/// One document of the JSON form.
pub(super) fn hear(data: &str, transcript: &mut Transcript) -> Heard {
    let answer = match tree(data) {
        Ok(answer) => answer,
        Err(heard) => return heard,
    };
    let outputs = answer["outputs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let named = outputs.iter().find(|output| output["name"] == TEXT);
    let text = named.or_else(|| outputs.iter().find(|output| output["datatype"] == Datatype::Bytes.name()));
    match text {
        Some(text) => {
            for (choice, text) in text["data"].as_array().into_iter().flatten().enumerate() {
                transcript.text(choice as u64, text.as_str().unwrap_or_default());
            }
        }
        None => transcript.wordless(usize::from(!outputs.is_empty())),
    }
    Heard::Understood
}

/// One message: an answer, or what stands for an error in a stream.
pub(super) fn decode(message: &[u8], streaming: bool) -> Result<StreamInferResponse, String> {
    let decoded = if streaming {
        StreamInferResponse::decode(message)
    } else {
        let whole = |answer| StreamInferResponse { error_message: String::new(), infer_response: Some(answer) };
        InferResponse::decode(message).map(whole)
    };
    decoded.map_err(|error| error.to_string())
}

pub(super) fn read_messages(body: ResponseBody<'_>, streaming: bool) -> Result<Reply, ReplyError> {
    let unreadable = |reason: String| ReplyError::Unreadable(reason);
    let mut transcript = Transcript::default();
    let mut texts = Texts::default();
    for (number, frame) in frames(body.bytes).map_err(|error| unreadable(error.to_string()))?.into_iter().enumerate() {
        let answer = decode(frame.of(body.bytes), streaming)
            .map_err(|error| unreadable(format!("message {number} is no answer of a KServe server: {error}")))?;
        if !answer.error_message.is_empty() {
            let (code, kind, message) = (None, "InferenceError".to_owned(), answer.error_message);
            return Err(ReplyError::InBand { code, kind, message });
        }
        if let Some(answer) = answer.infer_response {
            texts.speak(&answer, number, &mut transcript)?;
        }
        transcript.close_event(body.arrival(frame.end).unwrap_or_default());
    }
    texts.finish()?;
    transcript.into_reply(Wholeness::Document)
}

pub(super) fn message_carries_content(message: &[u8], streaming: bool) -> bool {
    let Ok(StreamInferResponse { infer_response: Some(answer), .. }) = decode(message, streaming) else { return false };
    match text_output(&answer) {
        Some(at) => answer.texts(at).iter().any(|text| !text.is_empty()),
        None => !answer.outputs.is_empty(),
    }
}

fn text_output(answer: &InferResponse) -> Option<usize> {
    let named = answer.outputs.iter().position(|output| output.name == TEXT);
    named.or_else(|| answer.outputs.iter().position(|output| output.datatype == Datatype::Bytes.name()))
}

/// The texts of a stream; a character may be cut in two by the end of a message.
#[derive(Debug, Default)]
struct Texts {
    /// By choice, the beginning of a character.
    begun: BTreeMap<u64, Vec<u8>>,
}

impl Texts {
    fn speak(&mut self, answer: &InferResponse, number: usize, transcript: &mut Transcript) -> Result<(), ReplyError> {
        let Some(at) = text_output(answer) else {
            transcript.wordless(usize::from(!answer.outputs.is_empty()));
            return Ok(());
        };
        for (choice, bytes) in answer.texts(at).into_iter().enumerate() {
            let choice = choice as u64;
            let mut all = self.begun.remove(&choice).unwrap_or_default();
            all.extend_from_slice(&bytes);
            let text = match std::str::from_utf8(&all) {
                Ok(text) => text,
                Err(error) if error.error_len().is_none() => {
                    let (whole, begun) = all.split_at(error.valid_up_to());
                    self.begun.insert(choice, begun.to_vec());
                    std::str::from_utf8(whole).unwrap_or_default()
                }
                Err(error) => return Err(not_text(&answer.outputs[at].name, number, all[error.valid_up_to()])),
            };
            transcript.text(choice, text);
        }
        Ok(())
    }

    fn finish(self) -> Result<(), ReplyError> {
        match self.begun.into_values().next() {
            None => Ok(()),
            Some(_) => Err(ReplyError::Unreadable("its text ends inside a character".to_owned())),
        }
    }
}

fn not_text(output: &str, number: usize, byte: u8) -> ReplyError {
    ReplyError::Unreadable(format!(
        "output {output} of message {number} is no UTF-8 text: it holds the byte {byte:#04x}"
    ))
}
