//! Messages of the protocol, as far as they are used.

use std::collections::BTreeMap;

use prost::{Message, Oneof};

use super::datatype::split_bytes;

/// Asks about a model: its metadata, its configuration, whether it is ready.
#[derive(Clone, PartialEq, Message)]
pub struct ModelRequest {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub version: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct ModelReadyResponse {
    #[prost(bool, tag = "1")]
    pub ready: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct ModelMetadataResponse {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, repeated, tag = "2")]
    pub versions: Vec<String>,
    #[prost(string, tag = "3")]
    pub platform: String,
    #[prost(message, repeated, tag = "4")]
    pub inputs: Vec<TensorMetadata>,
    #[prost(message, repeated, tag = "5")]
    pub outputs: Vec<TensorMetadata>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TensorMetadata {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub datatype: String,
    #[prost(int64, repeated, tag = "3")]
    pub shape: Vec<i64>,
}

/// An extension of Triton's.
#[derive(Clone, PartialEq, Message)]
pub struct ModelConfigResponse {
    #[prost(message, optional, tag = "1")]
    pub config: Option<ModelConfig>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ModelConfig {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(int32, tag = "4")]
    pub max_batch_size: i32,
    #[prost(message, optional, tag = "19")]
    pub model_transaction_policy: Option<TransactionPolicy>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TransactionPolicy {
    #[prost(bool, tag = "1")]
    pub decoupled: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct InferRequest {
    #[prost(string, tag = "1")]
    pub model_name: String,
    #[prost(string, tag = "2")]
    pub model_version: String,
    #[prost(string, tag = "3")]
    pub id: String,
    #[prost(btree_map = "string, message", tag = "4")]
    pub parameters: BTreeMap<String, InferParameter>,
    #[prost(message, repeated, tag = "5")]
    pub inputs: Vec<InputTensor>,
    #[prost(bytes = "vec", repeated, tag = "7")]
    pub raw_input_contents: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub struct InferParameter {
    #[prost(oneof = "ParameterChoice", tags = "1, 2, 3, 4, 5")]
    pub choice: Option<ParameterChoice>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum ParameterChoice {
    #[prost(bool, tag = "1")]
    Bool(bool),
    #[prost(int64, tag = "2")]
    Int(i64),
    #[prost(string, tag = "3")]
    Text(String),
    #[prost(double, tag = "4")]
    Double(f64),
    #[prost(uint64, tag = "5")]
    Uint(u64),
}

#[derive(Clone, PartialEq, Message)]
pub struct InputTensor {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub datatype: String,
    #[prost(int64, repeated, tag = "3")]
    pub shape: Vec<i64>,
    #[prost(message, optional, tag = "5")]
    pub contents: Option<TensorContents>,
}

#[derive(Clone, PartialEq, Message)]
pub struct InferResponse {
    #[prost(string, tag = "1")]
    pub model_name: String,
    #[prost(string, tag = "2")]
    pub model_version: String,
    #[prost(string, tag = "3")]
    pub id: String,
    #[prost(btree_map = "string, message", tag = "4")]
    pub parameters: BTreeMap<String, InferParameter>,
    #[prost(message, repeated, tag = "5")]
    pub outputs: Vec<OutputTensor>,
    #[prost(bytes = "vec", repeated, tag = "6")]
    pub raw_output_contents: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub struct OutputTensor {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub datatype: String,
    #[prost(int64, repeated, tag = "3")]
    pub shape: Vec<i64>,
    #[prost(message, optional, tag = "5")]
    pub contents: Option<TensorContents>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TensorContents {
    #[prost(bool, repeated, tag = "1")]
    pub bools: Vec<bool>,
    #[prost(int32, repeated, tag = "2")]
    pub ints: Vec<i32>,
    #[prost(int64, repeated, tag = "3")]
    pub longs: Vec<i64>,
    #[prost(uint32, repeated, tag = "4")]
    pub uints: Vec<u32>,
    #[prost(uint64, repeated, tag = "5")]
    pub ulongs: Vec<u64>,
    #[prost(float, repeated, tag = "6")]
    pub floats: Vec<f32>,
    #[prost(double, repeated, tag = "7")]
    pub doubles: Vec<f64>,
    #[prost(bytes = "vec", repeated, tag = "8")]
    pub bytes: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub struct StreamInferResponse {
    #[prost(string, tag = "1")]
    pub error_message: String,
    #[prost(message, optional, tag = "2")]
    pub infer_response: Option<InferResponse>,
}

impl InferResponse {
    /// The elements of an output of type BYTES.
    pub fn texts(&self, at: usize) -> Vec<Vec<u8>> {
        let Some(output) = self.outputs.get(at) else { return Vec::new() };
        let before = self.outputs.iter().take(at).map(|output| output.contents.as_ref());
        match Contents::of(output.contents.as_ref(), before, &self.raw_output_contents) {
            Contents::Typed(contents) => contents.bytes.clone(),
            Contents::Raw(raw) => split_bytes(raw),
            Contents::Nowhere => Vec::new(),
        }
    }
}

/// Where the elements of a tensor are.
#[derive(Debug)]
pub(super) enum Contents<'a> {
    Typed(&'a TensorContents),
    Raw(&'a [u8]),
    Nowhere,
}

impl<'a> Contents<'a> {
    /// Raw contents stand in the order of the tensors that have none of their own, for which `before` are the contents of
    /// the tensors before this one. `MLServer` gives raw tensors contents as well, with nothing in them.
    pub(super) fn of<'b>(
        own: Option<&'a TensorContents>,
        before: impl Iterator<Item = Option<&'b TensorContents>>,
        raw: &'a [Vec<u8>],
    ) -> Self {
        let is_raw = |contents: Option<&TensorContents>| contents.is_none_or(TensorContents::is_empty);
        if let Some(typed) = own.filter(|contents| !contents.is_empty()) {
            return Self::Typed(typed);
        }
        raw.get(before.filter(|contents| is_raw(*contents)).count()).map_or(Self::Nowhere, |raw| Self::Raw(raw))
    }
}

impl TensorContents {
    fn is_empty(&self) -> bool {
        let Self { bools, ints, longs, uints, ulongs, floats, doubles, bytes } = self;
        bools.is_empty()
            && ints.is_empty()
            && longs.is_empty()
            && uints.is_empty()
            && ulongs.is_empty()
            && floats.is_empty()
            && doubles.is_empty()
            && bytes.is_empty()
    }
}
