//! HTTP exchanges with the time of every stage taken at the socket. A worker thread owns one [`Client`] and its
//! connections; nothing is shared between threads and nothing here knows what the bytes mean.
#![forbid(unsafe_code)]

mod body;
mod certificate;
mod client;
mod coding;
mod connect;
mod connection;
mod error;
mod exchange;
mod grpc;
mod http2;
mod origin;
mod proxy;
mod redirect;
mod request;
mod resend;
mod response;
mod tls;
mod watch;

pub use client::{Client, ClientSettings, HttpVersion, IpVersion, Reuse};
pub use error::TransportError;
pub use exchange::{BodyLimit, Exchange, ExchangeSize, Span, Trace};
pub use origin::{Origin, Scheme};
pub use proxy::{Proxies, Proxy};
pub use redirect::{Hop, RedirectError};
pub use request::Request;
pub use resend::Resend;
pub use response::{Progress, ResponseReader};
pub use tls::{Identity, TlsError, TlsOptions, TlsSettings, Verification};
pub use watch::{NoWatch, Watch};
