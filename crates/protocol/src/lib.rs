//! The vocabulary of the inference APIs and of runs: which endpoint types there are and what each can do, what a reply consists of, how
//! requests and runs end. Every
//! crate that names an endpoint type or a reply depends on this one; how requests are written and responses are read is the job of
//! `aiperf-endpoint`.
#![forbid(unsafe_code)]

mod failure_kind;
mod kind;
mod kserve_backend;
mod medium;
mod method_name;
mod phase_kind;
mod reply;
mod request_outcome;
mod run_outcome;
mod spec_decode;
mod template_text;
mod tool_call;
mod unix_socket;
mod usage;
mod wire;

pub use failure_kind::FailureKind;
pub use kind::{BodyForm, EndpointFacts, EndpointKind};
pub use kserve_backend::KserveBackend;
pub use medium::Medium;
pub use method_name::{MethodName, MethodNameError};
pub use phase_kind::PhaseKind;
pub use reply::{ChoiceEnd, ContentChunk, Delivery, Reply, ReplyError, VideoReport};
pub use request_outcome::RequestOutcome;
pub use run_outcome::{RunEnding, RunOutcome, StopReason};
pub use spec_decode::{SpecDecode, SpecDecodeError};
pub use template_text::TemplateText;
pub use tool_call::{ToolCall, ToolKind};
pub use unix_socket::{NotUnixSocket, unix_socket};
pub use usage::{OutputSplit, Usage};
pub use wire::Wire;
