//! The live HTTP interface of a run (`--api-port`): the REST routes and WebSocket topics of the reference, Prometheus text,
//! server-sent events, an OpenAPI document and a page for browsers. It reads snapshots of [`aiperf_live::LiveRun`] on a thread of
//! its own with low priority, so it never makes the load generator wait.
#![forbid(unsafe_code)]

mod answer;
mod events;
mod gauges;
mod openapi;
mod page;
mod process;
mod prometheus;
mod routes;
mod server;
mod state;
mod topic;
mod websocket;

pub use server::{ApiError, ApiServer, LingerEnd};
