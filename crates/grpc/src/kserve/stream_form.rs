//! The two forms in which servers stream answers: Triton wraps each one in a message that may say an error instead,
//! `MLServer` sends it as it is. Both call the method and the service by the same name.

use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use prost::{DecodeError, Message};

use super::{InferResponse, StreamInferResponse};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamForm {
    /// `ModelStreamInferResponse`: an error, or an answer.
    Wrapped,
    /// `ModelInferResponse`, as answers are that do not stream; errors are told by the call's status.
    Bare,
}

impl StreamForm {
    /// By the fields that a message has. `None` for one that may be either: a lone first field is an error in one form and a
    /// model's name in the other.
    pub fn of(message: &[u8]) -> Option<Self> {
        let (mut has_first, mut second) = (false, None);
        for field in (StreamFields { rest: message }) {
            match field? {
                (1, _) => has_first = true,
                (2, value) => second = Some(value),
                // Id, parameters, outputs and their bytes; an envelope has no such fields.
                (3..=6, _) => return Some(Self::Bare),
                _ => {}
            }
        }
        let second = second?;
        Some(if has_first && !is_answer(second) { Self::Bare } else { Self::Wrapped })
    }

    /// The message, wrapped if it was not.
    pub fn decode(self, message: &[u8]) -> Result<StreamInferResponse, DecodeError> {
        match self {
            Self::Wrapped => StreamInferResponse::decode(message),
            Self::Bare => {
                let infer_response = Some(InferResponse::decode(message)?);
                Ok(StreamInferResponse { error_message: String::new(), infer_response })
            }
        }
    }
}

/// Whether the second field is a message, and not the version of a model: text has bytes that stand for no field of one.
fn is_answer(second: &[u8]) -> bool {
    let known = |field: Option<(u32, &[u8])>| matches!(field, Some((1..=6, _)));
    (StreamFields { rest: second }).all(known) && InferResponse::decode(second).is_ok()
}

/// Numbers of the fields of a message, with the bytes of those that have a length; `None` ends bytes that are not a message.
struct StreamFields<'a> {
    rest: &'a [u8],
}

impl<'a> StreamFields<'a> {
    fn field(&mut self) -> Option<(u32, &'a [u8])> {
        let (tag, wire) = decode_key(&mut self.rest).ok()?;
        if wire != WireType::LengthDelimited {
            skip_field(wire, tag, &mut self.rest, DecodeContext::default()).ok()?;
            return Some((tag, &[]));
        }
        let length = usize::try_from(decode_varint(&mut self.rest).ok()?).ok()?;
        let (value, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some((tag, value))
    }
}

impl<'a> Iterator for StreamFields<'a> {
    type Item = Option<(u32, &'a [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.rest = &[];
        }
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::OutputTensor;
    use super::*;

    fn answer(version: &str) -> InferResponse {
        InferResponse { model_name: "words".into(), model_version: version.into(), ..InferResponse::default() }
    }

    fn wrapped(error: &str, answer: Option<InferResponse>) -> Vec<u8> {
        StreamInferResponse { error_message: error.into(), infer_response: answer }.encode_to_vec()
    }

    #[test]
    fn an_answer_is_told_from_one_in_an_envelope() {
        let outputs = InferResponse { outputs: vec![OutputTensor::default()], ..answer("") };
        for bare in [outputs.clone(), InferResponse { id: "7".into(), ..answer("1") }, answer("1"), answer("81")] {
            assert_eq!(StreamForm::of(&bare.encode_to_vec()), Some(StreamForm::Bare), "{bare:?}");
            assert_eq!(StreamForm::of(&wrapped("", Some(bare.clone()))), Some(StreamForm::Wrapped), "{bare:?}");
            assert_eq!(StreamForm::of(&wrapped("no slot", Some(bare.clone()))), Some(StreamForm::Wrapped), "{bare:?}");
        }
        assert_eq!(StreamForm::of(&wrapped("no slot", Some(InferResponse::default()))), Some(StreamForm::Wrapped));
        let decoded = StreamForm::Bare.decode(&outputs.encode_to_vec()).unwrap();
        assert_eq!((decoded.error_message.as_str(), decoded.infer_response), ("", Some(outputs)));
    }

    #[test]
    fn a_lone_text_and_nothing_at_all_may_be_either() {
        for either in [wrapped("no slot", None), answer("").encode_to_vec(), Vec::new(), b"\xff\xff none".to_vec()] {
            assert_eq!(StreamForm::of(&either), None, "{either:?}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = StreamForm::of(&bytes);
        }

        #[test]
        fn any_version_in_print_is_told_from_an_answer(version in "[ -~]{1,32}", name in "\\PC{1,20}", error: bool) {
            let bare = InferResponse { model_name: name, model_version: version, ..answer("") };
            prop_assert_eq!(StreamForm::of(&bare.encode_to_vec()), Some(StreamForm::Bare));
            let envelope = wrapped(if error { "x" } else { "" }, Some(bare));
            prop_assert_eq!(StreamForm::of(&envelope), Some(StreamForm::Wrapped));
        }
    }
}
