//! The vocabulary of the inference APIs: which endpoint types there are and what each can do, and what a reply consists of. Every
//! crate that names an endpoint type or a reply depends on this one; how requests are written and responses are read is the job of
//! `aiperf-endpoint`.
#![forbid(unsafe_code)]

mod kind;
mod kserve_backend;
mod medium;
mod method_name;
mod reply;
mod spec_decode;
mod template_text;
mod tool_call;
mod unix_socket;
mod usage;
mod wire;

pub use kind::{BodyForm, EndpointFacts, EndpointKind};
pub use kserve_backend::KserveBackend;
pub use medium::Medium;
pub use method_name::{MethodName, MethodNameError};
pub use reply::{ChoiceEnd, ContentChunk, Delivery, Reply, ReplyError, VideoReport};
pub use spec_decode::{SpecDecode, SpecDecodeError};
pub use template_text::TemplateText;
pub use tool_call::{ToolCall, ToolKind};
pub use unix_socket::{NotUnixSocket, unix_socket};
pub use usage::{OutputSplit, Usage};
pub use wire::Wire;
