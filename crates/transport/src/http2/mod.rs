//! HTTP/2: many requests on one connection, each with the same trace as on a connection of its own. The `h2` crate speaks
//! the protocol; it hands over frames through queues, so that their times are taken below it, where bytes are read and
//! written.

mod exchange;
mod frame;
mod ledger;
mod observed;
mod pool;
mod session;

pub(crate) use pool::Http2Pool;
