//! One file per API: how a turn becomes a request body, and how the bytes that came back are read. Nothing here opens a
//! socket or reads a clock.
#![forbid(unsafe_code)]

mod api;
mod completion_event;
mod detect;
mod documents;
mod endpoint;
mod headers;
mod history;
mod in_band;
mod input_text;
mod job;
mod kind;
mod kserve;
mod live;
mod loose;
mod media;
mod medium;
mod message;
mod multipart;
mod payload;
mod refrain;
mod reply;
mod response;
mod response_field;
mod settings;
mod spec_decode;
pub mod sse;
mod template;
mod tool_call;
mod transcript;
mod url;
mod usage;
mod wire;

pub use aiperf_clock::ReadMark;
pub use api::of;
pub use endpoint::{BodyOptions, BuildError, Endpoint, TurnRequest, check_turns};
pub use headers::{AffinityHeaders, HeaderError, HeaderOptions, HeaderPlan, RequestIds};
pub use history::{History, Past};
pub use input_text::InputText;
pub use job::{Job, JobAnswer, JobPlace, JobStep};
pub use kind::{BodyForm, EndpointFacts, EndpointKind};
pub use kserve::{KserveBackend, KserveSettings};
pub use live::{LiveChat, NewWords};
pub use medium::Medium;
pub use reply::{ContentChunk, Reply, ReplyError, VideoReport};
pub use response::ResponseBody;
pub use response_field::ResponseField;
pub use settings::EndpointSettings;
pub use spec_decode::{SpecDecode, SpecDecodeError};
pub use template::PayloadTemplate;
pub use tool_call::ToolCall;
pub use url::{RequestUrl, Scheme, UrlError, request_url, unix_socket};
pub use usage::Usage;
pub use wire::Wire;
