//! Answers of a `KServe` server: the text is the output `text_output`, else the first that holds text.

use std::collections::BTreeMap;

use aiperf_grpc::frames;
use aiperf_grpc::kserve::{Datatype, InferResponse, StreamForm, StreamInferResponse};
use aiperf_protocol::{Reply, ReplyError};

use crate::reply::documents::{EventResult, tree};
use crate::reply::transcript::{BodyKind, Transcript};
use crate::{KserveSettings, ResponseBody};

const TEXT: &str = "text_output";

/// One document of the JSON form.
pub(super) fn parse_event(data: &str, transcript: &mut Transcript) -> EventResult {
    let answer = tree(data)?;
    let outputs = answer["outputs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let named = outputs.iter().find(|output| output["name"] == TEXT);
    let text = named.or_else(|| outputs.iter().find(|output| output["datatype"] == Datatype::Bytes.name()));
    match text {
        Some(text) => {
            for (choice, text) in text["data"].as_array().into_iter().flatten().enumerate() {
                transcript.text(choice as u64, text.as_str().unwrap_or_default());
            }
        }
        None => transcript.non_text(usize::from(!outputs.is_empty())),
    }
    Ok(())
}

/// How the server writes its messages. All messages of a response have one form, so one message with a clear form is enough.
pub(super) fn form<'a>(settings: &KserveSettings, messages: impl Iterator<Item = &'a [u8]> + Clone) -> StreamForm {
    if !settings.streaming {
        return StreamForm::Bare;
    }
    let first_field = |message| StreamForm::Wrapped.decode(message).map(|lone| lone.error_message);
    let is_name = |message| first_field(message).is_ok_and(|text| settings.model(&text).is_some());
    let known = messages.clone().find_map(StreamForm::of);
    // A response without outputs holds only the model's name, in the place of an error message.
    known.or_else(|| messages.into_iter().any(is_name).then_some(StreamForm::Bare)).unwrap_or(StreamForm::Wrapped)
}

pub(super) fn read_messages(body: ResponseBody<'_>, settings: &KserveSettings) -> Result<Reply, ReplyError> {
    let unreadable = |reason: String| ReplyError::Unreadable(reason);
    let frames = frames(body.bytes).map_err(|error| unreadable(error.to_string()))?;
    let form = form(settings, frames.iter().map(|frame| frame.of(body.bytes)));
    let mut transcript = Transcript::default();
    let mut texts = StreamTexts::default();
    for (number, frame) in frames.into_iter().enumerate() {
        let answer = form.decode(frame.of(body.bytes)).map_err(|error| {
            unreadable(format!("message {number} is not a response of the KServe protocol: {error}"))
        })?;
        if !answer.error_message.is_empty() {
            let (code, kind, message) = (None, "InferenceError".to_owned(), answer.error_message);
            return Err(ReplyError::InBand { code, kind, message });
        }
        if let Some(answer) = answer.infer_response {
            texts.append(&answer, number, &mut transcript)?;
        }
        transcript.close_event(body.arrival(frame.end).unwrap_or_default());
    }
    texts.finish()?;
    transcript.into_reply(BodyKind::Document)
}

pub(super) fn message_carries_content(message: &[u8], form: StreamForm) -> bool {
    let Ok(StreamInferResponse { infer_response: Some(answer), .. }) = form.decode(message) else { return false };
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
struct StreamTexts {
    /// By choice, the beginning of a character.
    begun: BTreeMap<u64, Vec<u8>>,
}

impl StreamTexts {
    fn append(&mut self, answer: &InferResponse, number: usize, transcript: &mut Transcript) -> Result<(), ReplyError> {
        let Some(at) = text_output(answer) else {
            transcript.non_text(usize::from(!answer.outputs.is_empty()));
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
        "output {output} of message {number} is not UTF-8 text: it contains the byte {byte:#04x}"
    ))
}

#[cfg(test)]
mod tests {
    use aiperf_clock::{Mono, ReadMark};
    use aiperf_grpc::frame;
    use aiperf_grpc::kserve::{ModelTensors, OutputTensor, TensorContents};
    use proptest::prelude::*;
    use prost::Message;

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
    fn read<M: Message>(messages: &[M]) -> Result<Reply, ReplyError> {
        let (mut body, mut marks) = (Vec::new(), Vec::new());
        for (number, message) in messages.iter().enumerate() {
            frame(&message.encode_to_vec(), &mut body);
            marks.push(ReadMark::user(body.len(), Mono::from_nanos(number as u64)));
        }
        read_messages(ResponseBody { content_type: None, bytes: &body, marks: &marks }, &streamed())
    }

    fn streamed() -> KserveSettings {
        let model = ModelTensors { name: "words".into(), ..ModelTensors::default() };
        KserveSettings { streaming: true, models: vec![model], ..KserveSettings::default() }
    }

    fn bare(text: &str) -> InferResponse {
        InferResponse { model_name: "words".into(), ..output(TEXT, "BYTES", text.as_bytes()) }
    }

    fn wrapped(text: &[u8]) -> StreamInferResponse {
        StreamInferResponse { infer_response: Some(output(TEXT, "BYTES", text)), ..StreamInferResponse::default() }
    }

    #[test]
    fn a_character_may_be_cut_in_two_by_the_end_of_a_message() {
        let reply = read(&[wrapped(b"a\xe2\x82"), wrapped(b"\xac"), StreamInferResponse::default()]).unwrap();
        assert_eq!(reply.output_text, "a\u{20ac}");
        let at: Vec<u64> = reply.chunks.iter().map(|chunk| chunk.at.as_nanos()).collect();
        assert_eq!(at, [0, 1], "the empty last message is no content");
    }

    #[test]
    fn bytes_that_are_no_text_fail_the_request_and_say_where() {
        let error = read(&[wrapped(b"ok"), wrapped(b"a\xff")]).unwrap_err().to_string();
        assert!(error.contains("message 1") && error.contains("0xff"), "{error}");
        let cut = read(&[wrapped(b"a\xe2")]).unwrap_err().to_string();
        assert!(cut.contains("inside a character"), "{cut}");
    }

    #[test]
    fn an_error_in_the_stream_fails_it_and_other_outputs_are_content_all_the_same() {
        let error = StreamInferResponse { error_message: "no slot".into(), infer_response: None };
        assert!(
            matches!(read(&[wrapped(b"a"), error]), Err(ReplyError::InBand { message, .. }) if message == "no slot")
        );
        let named = |name: &str, datatype: &str| StreamInferResponse {
            infer_response: Some(output(name, datatype, b"hi")),
            ..StreamInferResponse::default()
        };
        assert_eq!(read(&[named("other", "BYTES")]).unwrap().output_text, "hi");
        let scores = read(&[named("scores", "FP32")]).unwrap();
        assert_eq!((scores.chunks.len(), scores.output_text.as_str()), (1, ""));
        assert_eq!(read(&[StreamInferResponse::default()]), Err(ReplyError::NoContent));
    }

    #[test]
    fn a_stream_of_answers_without_envelopes_is_read_as_what_it_is() {
        let nothing = InferResponse { model_name: "words".into(), ..InferResponse::default() };
        let reply = read(&[nothing.clone(), bare(" a"), bare(" b")]).unwrap();
        assert_eq!((reply.output_text.as_str(), reply.chunks.len()), (" a b", 2));
        assert_eq!(read(&[nothing.clone(), nothing]), Err(ReplyError::NoContent));
        let contents = TensorContents { bytes: vec![b" c".to_vec()], ..TensorContents::default() };
        let mut typed = InferResponse { raw_output_contents: Vec::new(), ..bare("") };
        typed.outputs[0].contents = Some(contents);
        assert!(message_carries_content(&typed.encode_to_vec(), StreamForm::Bare));
        assert_eq!(read(&[typed]).unwrap().output_text, " c");
    }

    #[test]
    fn an_error_stays_one_though_it_is_all_that_comes() {
        let error = StreamInferResponse { error_message: "no slot".into(), infer_response: None };
        let with_id = InferResponse { id: "7".into(), ..InferResponse::default() };
        let answered = StreamInferResponse { infer_response: Some(with_id), ..error.clone() };
        for refused in [error, answered] {
            assert!(matches!(read(&[refused]), Err(ReplyError::InBand { message, .. }) if message == "no slot"));
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80), streaming: bool) {
            let marks = [ReadMark::user(bytes.len(), Mono::from_nanos(1))];
            let settings = KserveSettings { streaming, ..streamed() };
            let _ = read_messages(ResponseBody { content_type: None, bytes: &bytes, marks: &marks }, &settings);
            let _ = message_carries_content(&bytes, StreamForm::Bare);
        }
    }
}
