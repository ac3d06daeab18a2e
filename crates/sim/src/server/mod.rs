//! The server: sockets, HTTP/1.1, routes, and the state that all connections share.

pub(crate) mod connection;
pub(crate) mod exchange;
pub(crate) mod http_request;
pub(crate) mod http_response;
pub(crate) mod listener;
pub(crate) mod response;
pub(crate) mod route;
pub(crate) mod serve;
pub(crate) mod sim;
pub(crate) mod state;
pub(crate) mod worker;

pub use route::serves;
pub use serve::{Shutdown, serve};
pub use sim::Sim;
