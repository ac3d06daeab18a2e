//! HTTP exchanges with the time of every stage taken at the socket. A worker thread owns one [`Client`] and its
//! connections; nothing is shared between threads and nothing here knows what the bytes mean.
#![forbid(unsafe_code)]

mod client;
mod connection;
mod content_coding;
mod error;
mod exchange;
mod grpc;
mod headers;
mod http1;
mod http2;
mod observer;
mod preconnect;
mod redirect;
mod request;
mod resend;

pub use client::{Client, ClientSettings};
pub use connection::{TlsError, TlsSettings};
pub use error::TransportError;
pub use exchange::{BodyLimit, BodySegment, Exchange, ExchangeSize, ExchangeTrace, StageSpan, TakenPart};
pub use headers::RequestHeaders;
pub use observer::{ExchangeObserver, NoObserver};
pub use redirect::{Hop, RedirectError};
pub use request::{Method, Request};
pub use resend::Resend;

/// For fuzzing and benchmarks only.
#[doc(hidden)]
pub use content_coding::ContentCoding;
#[doc(hidden)]
pub use http1::{ReadProgress, ResponseReader};
#[doc(hidden)]
pub use http2::{Http2Frame, Http2FrameScanner};
