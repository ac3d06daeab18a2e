//! One file per API: how a turn becomes a request body, and how the bytes that came back are read. Nothing here opens a
//! socket or reads a clock.
#![forbid(unsafe_code)]

mod api;
mod completion_event;
mod detect;
mod documents;
mod endpoint;
mod form_document;
mod headers;
mod history;
mod in_band;
mod input_text;
mod job;
mod kserve;
mod live;
mod loose;
mod media;
mod message;
mod multipart;
mod payload;
mod refrain;
mod response;
mod response_field;
mod settings;
mod spec_decode;
pub mod sse;
mod surrogate;
mod template;
mod tool_call;
mod transcript;
mod unsent;
mod url;
mod usage;

pub use aiperf_clock::ReadMark;
pub use api::of;
pub use endpoint::{BodyOptions, BuildError, Endpoint, TurnRequest, check_turns};
pub use form_document::body_document;
pub use headers::{AffinityHeaders, HeaderError, HeaderOptions, HeaderPlan, RequestIds};
pub use history::{History, Past};
pub use input_text::InputText;
pub use job::{Job, JobAnswer, JobPlace, JobStep};
pub use kserve::KserveSettings;
pub use live::{LiveChat, NewWords};
pub use response::ResponseBody;
pub use response_field::ResponseField;
pub use settings::EndpointSettings;
pub use template::PayloadTemplate;
pub use unsent::unsent;
pub use url::{RequestUrl, Scheme, UrlError, request_url};
