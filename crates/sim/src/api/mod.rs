//! The APIs: how each reads its requests and writes its replies.

pub(crate) mod dialect;
pub(crate) mod embeddings;
pub(crate) mod form;
pub(crate) mod grpc;
pub(crate) mod kserve;
pub(crate) mod media;
pub(crate) mod rankings;
pub(crate) mod sample_files;
pub(crate) mod single_reply;
pub(crate) mod stream;
pub(crate) mod text;
pub(crate) mod text_request;
pub(crate) mod video;
