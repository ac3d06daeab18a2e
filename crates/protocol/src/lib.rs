//! The vocabulary of the inference APIs and of runs: which endpoint types there are and what each can do, what a reply consists of, how
//! requests and runs end. Every
//! crate that names an endpoint type or a reply depends on this one; how requests are written and responses are read is the job of
//! `aiperf-endpoint`.
#![forbid(unsafe_code)]

mod affinity;
mod endpoint;
mod failure_kind;
mod phase_kind;
mod reply;
mod request_outcome;
mod run_outcome;
mod trace_parent;

pub use affinity::AffinityHeaders;
pub use endpoint::{
    BodyForm, BodySource, DeclaredEndpoint, EndpointDeclaration, EndpointFacts, EndpointKind, GrpcSupport,
    KserveBackend, Medium, MethodName, MethodNameError, ResponseRules, TemplateText, TurnPart, Wire,
};
pub use failure_kind::FailureKind;
pub use phase_kind::PhaseKind;
pub use reply::{
    ChoiceEnd, ContentChunk, Delivery, OutputSplit, Reply, ReplyError, ServerTimes, SpecDecode, SpecDecodeError,
    ToolCall, ToolKind, Usage, VideoReport,
};
pub use request_outcome::RequestOutcome;
pub use run_outcome::{RunEnding, RunOutcome, StopReason};
pub use trace_parent::TraceParent;
