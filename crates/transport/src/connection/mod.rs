//! Connections: opening them, TLS on them, proxies in front of them.

mod byte_stream;
mod certificate;
mod connect;
mod proxy_tunnel;
mod tls;

pub(crate) use byte_stream::ByteStream;
pub(crate) use certificate::{explained, tls_error};
pub(crate) use connect::OpenConnection;
pub(crate) use proxy_tunnel::for_proxy;
pub use tls::{TlsError, TlsSettings};
