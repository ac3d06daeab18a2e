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

#[cfg(test)]
mod tests {
    use aiperf_clock::{Mono, ReadMark};
    use aiperf_grpc::frame;
    use aiperf_grpc::kserve::OutputTensor;
    use proptest::prelude::*;

    use super::*;

    fn output(name: &str, datatype: &str, text: &[u8]) -> InferResponse {
        let mut raw = (text.len() as u32).to_le_bytes().to_vec();
        raw.extend_from_slice(text);
        InferResponse {
            outputs: vec![OutputTensor {
                name: name.into(),
                datatype: datatype.into(),
                shape: vec![1],
                contents: None,
            }],
            raw_output_contents: vec![raw],
            ..InferResponse::default()
        }
    }

    /// A stream of these messages, each a nanosecond after the other.
    fn read(messages: &[StreamInferResponse]) -> Result<Reply, ReplyError> {
        let (mut body, mut marks) = (Vec::new(), Vec::new());
        for (number, message) in messages.iter().enumerate() {
            frame(&message.encode_to_vec(), &mut body);
            marks.push(ReadMark::user(body.len(), Mono::from_nanos(number as u64)));
        }
        read_messages(ResponseBody { content_type: None, bytes: &body, marks: &marks }, true)
    }

    fn said(text: &[u8]) -> StreamInferResponse {
        StreamInferResponse { infer_response: Some(output(TEXT, "BYTES", text)), ..StreamInferResponse::default() }
    }

    #[test]
    fn a_character_may_be_cut_in_two_by_the_end_of_a_message() {
        let reply = read(&[said(b"a\xe2\x82"), said(b"\xac"), StreamInferResponse::default()]).unwrap();
        assert_eq!(reply.output_text, "a\u{20ac}");
        let at: Vec<u64> = reply.chunks.iter().map(|chunk| chunk.at.as_nanos()).collect();
        assert_eq!(at, [0, 1], "the empty last message is no content");
    }

    #[test]
    fn bytes_that_are_no_text_fail_the_request_and_say_where() {
        let error = read(&[said(b"ok"), said(b"a\xff")]).unwrap_err().to_string();
        assert!(error.contains("message 1") && error.contains("0xff"), "{error}");
        let cut = read(&[said(b"a\xe2")]).unwrap_err().to_string();
        assert!(cut.contains("inside a character"), "{cut}");
    }

    #[test]
    fn an_error_in_the_stream_fails_it_and_other_outputs_are_content_all_the_same() {
        let error = StreamInferResponse { error_message: "no slot".into(), infer_response: None };
        assert!(matches!(read(&[said(b"a"), error]), Err(ReplyError::InBand { message, .. }) if message == "no slot"));
        let named = |name: &str, datatype: &str| StreamInferResponse {
            infer_response: Some(output(name, datatype, b"hi")),
            ..StreamInferResponse::default()
        };
        assert_eq!(read(&[named("other", "BYTES")]).unwrap().output_text, "hi");
        let scores = read(&[named("scores", "FP32")]).unwrap();
        assert_eq!((scores.chunks.len(), scores.output_text.as_str()), (1, ""));
        assert_eq!(read(&[StreamInferResponse::default()]), Err(ReplyError::NoContent));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80), streaming: bool) {
            let marks = [ReadMark::user(bytes.len(), Mono::from_nanos(1))];
            let _ = read_messages(ResponseBody { content_type: None, bytes: &bytes, marks: &marks }, streaming);
            let _ = message_carries_content(&bytes, streaming);
        }
    }
}
