//! HTTP/2: many requests on one connection, each with the same trace as on a connection of its own. The `h2` crate speaks
//! the protocol. It hands over frames through queues, so their times are taken below it, where bytes are read and written.

mod connection;
mod exchange;
mod frame;
mod frame_times;
mod pool;
mod timed_stream;

pub use frame::{Http2Frame, Http2FrameScanner};
pub(crate) use pool::Http2Pool;
