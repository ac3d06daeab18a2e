//! The `KServe` v2 protocol over gRPC: its messages, by their field numbers, and tensors as bytes. What both of its forms,
//! JSON and gRPC, share stands here too.

mod datatype;
mod json;
mod message;
mod model;
mod stream_form;

pub use datatype::{Datatype, ElementError};
pub use message::{
    InferParameter, InferRequest, InferResponse, InputTensor, ModelConfig, ModelConfigResponse, ModelMetadataResponse,
    ModelReadyResponse, ModelRequest, OutputTensor, ParameterChoice, StreamInferResponse, TensorContents,
    TensorMetadata, TransactionPolicy,
};
pub use model::{ModelTensors, TensorShape};
pub use stream_form::StreamForm;

/// The service.
pub const SERVICE: &str = "inference.GRPCInferenceService";

/// Its description, for servers that offer reflection.
pub const PROTO: &str = include_str!("kserve/inference.proto");

/// The calls of it that are made here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KserveCall {
    ModelInfer,
    ModelStreamInfer,
    ModelMetadata,
    ModelConfig,
    ModelReady,
}

impl KserveCall {
    pub const fn name(self) -> &'static str {
        match self {
            Self::ModelInfer => "ModelInfer",
            Self::ModelStreamInfer => "ModelStreamInfer",
            Self::ModelMetadata => "ModelMetadata",
            Self::ModelConfig => "ModelConfig",
            Self::ModelReady => "ModelReady",
        }
    }

    pub fn path(self) -> String {
        format!("/{SERVICE}/{}", self.name())
    }
}
