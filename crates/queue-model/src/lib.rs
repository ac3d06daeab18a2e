//! Inference servers as queues on virtual time, for searches that must find a capacity. A session of hours takes milliseconds, nothing
//! waits, and the true capacity of each server in [`KnownServer::ALL`] is known.
//!
//! A [`VirtualSession`] sends requests to a server at a [`Load`], which can change at any time, and returns them as they complete.
//! `sim` is the simulator with sockets and real time.

#![forbid(unsafe_code)]

mod known;
mod load;
mod server;
mod session;

pub use known::{KnownServer, Measure, Objective};
pub use load::{CompletedRequest, Load};
pub use server::batching::{BatchingServer, BatchingSpeed};
pub use server::pool::ServerPool;
pub use server::single::{ServiceTime, SingleServer, SpeedOverTime};
pub use server::{ServerModel, crommelin_late_share, pool_late_share};
pub use session::VirtualSession;
