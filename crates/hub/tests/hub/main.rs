//! The cache and the downloads, against a hub on the loopback interface.
#![allow(clippy::unwrap_used, reason = "a step of a test that fails must fail the test")]

mod downloads;
mod splits;

use std::path::Path;

use aiperf_hub::HubEnvironment;
use aiperf_loopback_hub::LoopbackHub;

/// The environment of a process whose hub is this one.
fn environment(server: &LoopbackHub, home: &Path, more: &[(&str, &str)]) -> HubEnvironment {
    HubEnvironment::from_variables(|name| match name {
        "HF_HOME" => home.to_str().map(str::to_owned),
        "HF_ENDPOINT" => Some(server.url.clone()),
        _ => more.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned()),
    })
}
