//! The real program against the simulator, over real sockets. What the client wrote is held against what the server knows to
//! have happened, never against how long things should have taken.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends where something is not as it should be")]

mod support;

mod agentic_replay;
mod agents;
mod artifact_folders;
mod cancellation;
mod chat;
mod closed_loop;
mod command_line;
mod compression;
mod connections;
mod dataset_docs;
mod deferral;
mod determinism;
mod dynamic_grpc;
mod endpoint_types;
mod endpoints;
mod failures;
mod genai_perf;
mod generated_text;
mod graphs;
mod interrupts;
mod kserve;
mod limits;
mod load;
mod media;
mod metrics;
mod outputs;
mod proxies;
mod public_datasets;
mod rates;
mod readers;
mod readiness;
mod readme;
mod redirects;
mod replay;
mod requests;
mod secrets;
mod selftest;
mod server_hooks;
mod sessions;
mod stall;
mod stopping;
mod tls;
mod traces;
mod transports;
mod trials;
mod truth;
mod twins;
mod users;
mod warmup;
mod wire_requests;
mod wire_responses;
mod workloads;
