//! Reads responses: frames, documents and events become a `Reply`.

pub(crate) mod completion_event;
pub(crate) mod content_finder;
pub(crate) mod documents;
mod event_template;
pub(crate) mod in_band;
pub(crate) mod lenient;
mod live;
mod response;
mod response_field;
pub(crate) mod rules;
pub(crate) mod spec_decode;
pub mod sse;
pub(crate) mod stream_reader;
pub(crate) mod surrogate;
pub(crate) mod tool_call;
pub(crate) mod transcript;
pub(crate) mod usage;

pub use live::{LiveChat, NewWords};
pub use response::ResponseBody;
pub use response_field::ResponseField;
pub use stream_reader::ReplyReader;
