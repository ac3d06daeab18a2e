//! Serves an example run that stands still, to look at the page: `cargo run -p aiperf-api --example scene -- steady 8090`.
#![allow(clippy::unwrap_used, reason = "a tool of developers")]

use std::time::Duration;

use aiperf_api::ApiServer;
use aiperf_config::{ApiConfig, ApiLinger};
use aiperf_live::{LiveRun, Scene};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let scene = match words.first().map(String::as_str) {
        Some("start") => Scene::Start,
        Some("errors") => Scene::Errors,
        Some("saturated") => Scene::Saturated,
        Some("end") => Scene::End,
        Some("sweep") => Scene::Sweep,
        _ => Scene::Steady,
    };
    let port = words.get(1).map_or(0, |port| port.parse().unwrap());
    let linger = ApiLinger::For(Duration::from_secs(3600));
    let config = ApiConfig { host: "127.0.0.1".to_owned(), port, token: None, linger };
    let server = ApiServer::start(&config, &LiveRun::example_of(scene), std::env::temp_dir()).unwrap();
    println!("{}", server.page_address());
    server.linger(|time| {
        std::thread::sleep(time);
        false
    });
}
