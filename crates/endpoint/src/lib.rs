//! One file per API: how a turn becomes a request body, and how the bytes that came back are read. Nothing here opens a
//! socket or reads a clock.
#![forbid(unsafe_code)]

mod kind;
mod reply;
mod response;
mod usage;

pub use kind::{EndpointFacts, EndpointKind};
pub use reply::{ContentChunk, Reply, ReplyError};
pub use response::{ReadMark, ResponseBody};
pub use usage::Usage;
