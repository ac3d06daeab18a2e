//! Runs the program, reads what it leaves behind, and starts the servers it talks to.

mod artifacts;
mod authority;
mod captured;
pub(crate) mod grpc_service;
mod http2;
mod log;
mod nats;
mod program;
mod proxy_server;
mod recorded_replies;
mod replies;
mod server;
mod terminal;

pub(crate) use aiperf_test_server::{AfterReply, ReceivedRequest, TestReply, TestServer};
pub(crate) use artifacts::{Artifacts, Record};
pub(crate) use authority::Authority;
pub(crate) use captured::{CapturedRequest, CapturedRun, captured_runs};
pub(crate) use http2::{TOKEN_GAP, http2_server, refusing_http2_server};
pub(crate) use log::{Entry, Log, assert_order, reply_of, truth_of};
pub(crate) use nats::NatsServer;
pub(crate) use program::{Ended, Program, Running, shell};
pub(crate) use proxy_server::{ProxyBehaviour, ProxyServer};
pub(crate) use recorded_replies::{RecordedReply, manifest, recordings};
pub(crate) use replies::{chat_events, chat_reply, in_chunks, in_one};
pub(crate) use server::{by_request_id, requests, sim};
pub(crate) use terminal::Terminal;

use std::thread;
use std::time::{Duration, Instant};

/// Far longer than anything here takes: reached only when something hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Asks again and again until there is an answer.
pub(crate) fn wait_for<T>(what: &str, mut answer: impl FnMut() -> Option<T>) -> T {
    let given_up = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = answer() {
            return answer;
        }
        assert!(Instant::now() < given_up, "waited {PATIENCE:?} in vain for {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Several runs at once: most of their time is waiting.
pub(crate) fn together<T: Send, const N: usize>(inputs: [&str; N], run: impl Fn(&str) -> T + Sync) -> [T; N] {
    thread::scope(|scope| {
        let runs = inputs.map(|input| scope.spawn(|| run(input)));
        runs.map(|running| running.join().unwrap())
    })
}
