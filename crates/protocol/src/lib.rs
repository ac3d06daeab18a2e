//! The vocabulary of the inference APIs: which endpoint types there are and what each can do, and what a reply consists of. Every
//! crate that names an endpoint type or a reply depends on this one; how requests are written and responses are read is the job of
//! `aiperf-endpoint`.
#![forbid(unsafe_code)]

mod affinity;
mod endpoint;
mod reply;

pub use affinity::AffinityHeaders;
pub use endpoint::{
    BodyForm, BodySource, EndpointFacts, EndpointKind, GrpcSupport, KserveBackend, Medium, MethodName, MethodNameError,
    TemplateText, TurnPart, Wire,
};
pub use reply::{
    ChoiceEnd, ContentChunk, Delivery, OutputSplit, Reply, ReplyError, SpecDecode, SpecDecodeError, ToolCall, ToolKind,
    Usage, VideoReport,
};
