//! The live interface of a command: started with the other views, and there for some time after the report.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use aiperf_api::{ApiServer, LingerEnd};
use aiperf_config::{Config, Environment};
use aiperf_live::{LiveRun, RunState};

use crate::interrupts::Interrupts;

/// A variable that Kubernetes sets in every container.
const IN_A_POD: &str = "KUBERNETES_SERVICE_HOST";

/// Starts the interface and prints where it is. The address may contain a token, so it does not go to the log file.
pub(super) fn start(
    live: &Arc<LiveRun>,
    config: &Config,
    environment: &Environment,
    dir: &Path,
) -> anyhow::Result<Option<LiveServer>> {
    let Some(api) = &config.api else { return Ok(None) };
    let server = ApiServer::start(api, live, dir.to_owned())?;
    let is_in_pod = environment.variables.contains_key(IN_A_POD);
    let server = LiveServer { server, hides_token: is_in_pod && api.token.is_some() };
    eprintln!("Live page: {}", server.shown_address());
    Ok(Some(server))
}

/// The interface, and how its address is shown.
#[derive(Debug)]
pub(super) struct LiveServer {
    pub(super) server: ApiServer,
    /// Logs of pods are stored where others can read them, and who gave the token knows it.
    hides_token: bool,
}

impl LiveServer {
    fn shown_address(&self) -> String {
        if self.hides_token { self.server.page_address_without_token() } else { self.server.page_address() }
    }
}

/// What is left of the views when the result is known.
#[derive(Debug)]
pub(crate) struct AfterRun {
    pub(super) server: Option<LiveServer>,
    pub(super) outcome: RunState,
}

impl AfterRun {
    /// Keeps serving the results for as long as `--api-linger` says, or until Ctrl-C.
    pub(crate) fn linger(self, interrupts: &Interrupts) {
        let Some(live) = self.server else { return };
        let server = &live.server;
        // Who pressed Ctrl-C wants the program to end.
        if self.outcome == RunState::Cancelled && !server.was_cancelled_by_client() {
            return;
        }
        let Some(time) = server.linger_time() else { return };
        let seconds = time.as_secs();
        eprintln!("The live page stays for up to {seconds} s: {}  Press Ctrl-C to end now.", live.shown_address());
        let pressed = Arc::new((Mutex::new(false), Condvar::new()));
        let press = Arc::clone(&pressed);
        interrupts.call(move || {
            *press.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
            press.1.notify_all();
        });
        let is_pressed = |time: Duration| {
            let guard = pressed.0.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = pressed.1.wait_timeout_while(guard, time, |pressed| !*pressed);
            *waited.unwrap_or_else(PoisonError::into_inner).0
        };
        if server.linger(is_pressed) == LingerEnd::Interrupted {
            log::debug!("the live interface was ended by Ctrl-C");
        }
    }
}
