//! HTTP/1.1: a connection carries one request at a time.

mod body_framing;
mod exchange_io;
mod receiver;
mod request_head;
mod response;

pub(crate) use exchange_io::{HttpConnection, write_head};
pub(crate) use receiver::Receiver;
#[cfg(test)]
pub(crate) use request_head::text as request_text;
pub use response::{ReadProgress, ResponseReader};
pub(crate) use response::{SPEAKS_TLS, coding_of, header_text};
