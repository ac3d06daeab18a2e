//! One file per API: how a turn becomes a request body, and how the bytes of the response are read. Nothing here opens a socket or
//! reads a clock.
//!
//! `api/` has the files of the APIs, `request/` what they write bodies with, `reply/` what they read responses with.
#![forbid(unsafe_code)]

mod api;
mod endpoint;
mod reply;
mod request;
mod settings;

pub use aiperf_clock::ReadMark;
pub use api::{check_declaration, of};
pub use endpoint::{BodyOptions, BuildError, DeclarationError, Endpoint, TurnRequest, check_turns};
pub use reply::{LiveChat, NewWords, ReplyReader, ResponseBody, ResponseField, sse};
pub use request::{
    HeaderError, HeaderOptions, HeaderPlan, History, InputText, Job, JobAnswer, JobPlace, JobStep, KserveSettings,
    Past, PayloadTemplate, RequestIds, body_document, unsent,
};
pub use settings::EndpointSettings;
