//! The live interface of a command: started with the other views, and there for some time after the report.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use aiperf_api::{ApiServer, LingerEnd};
use aiperf_config::Config;
use aiperf_live::{LiveRun, RunState};

use crate::interrupts::Interrupts;

/// Starts the interface and prints where it is. The address may contain a token, so it does not go to the log file.
pub(super) fn start(live: &Arc<LiveRun>, config: &Config, dir: &Path) -> anyhow::Result<Option<ApiServer>> {
    let Some(api) = &config.api else { return Ok(None) };
    let server = ApiServer::start(api, live, dir.to_owned())?;
    eprintln!("Live page: {}", server.page_address());
    Ok(Some(server))
}

/// What is left of the views when the result is known.
#[derive(Debug)]
pub(crate) struct AfterRun {
    pub(super) server: Option<ApiServer>,
    pub(super) outcome: RunState,
}

impl AfterRun {
    /// Keeps serving the results for as long as `--api-linger` says, or until Ctrl-C.
    pub(crate) fn linger(self, interrupts: &Interrupts) {
        let Some(server) = self.server else { return };
        // Who pressed Ctrl-C wants the program to end.
        if self.outcome == RunState::Cancelled && !server.was_cancelled_by_client() {
            return;
        }
        let Some(time) = server.linger_time() else { return };
        let seconds = time.as_secs();
        eprintln!("The live page stays for up to {seconds} s: {}  Press Ctrl-C to end now.", server.page_address());
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
