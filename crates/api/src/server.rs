//! The server: a thread with a runtime of its own, from before the run is prepared until some time after its end.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_config::{ApiConfig, ApiLinger};
use aiperf_live::{LiveRun, View};
use aiperf_seed::Stream;
use aiperf_web_access::{AccessRules, WebAccess};
use thiserror::Error;
use tokio::time;

use crate::state::ApiState;
use crate::{gauges, routes};

/// Open requests get this long when the server ends.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How often the end of the wait after the run is checked.
const LINGER_TICK: Duration = Duration::from_millis(100);
/// An open page may lose its connection for this long without ending the wait.
const LINGER_GAP: Duration = Duration::from_secs(3);

const ACCESS_RULES: AccessRules = AccessRules {
    pages: &crate::page::ADDRESSES,
    open_paths: &["/healthz", "/readyz"],
    token_origin: "that aiperf printed or was given with --api-token",
};

#[derive(Debug, Error)]
pub enum ApiError {
    #[error(
        "--api-host {host}: this address cannot be resolved ({cause}). Use an address of this machine, for example 127.0.0.1."
    )]
    Host { host: String, cause: io::Error },
    #[error("--api-port {port}: cannot listen on {host} ({cause}). Choose another port, or 0 for any free one.")]
    Bind { host: String, port: u16, cause: io::Error },
    #[error("the live interface cannot start: {0}")]
    Start(io::Error),
}

/// Why the wait after the run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LingerEnd {
    /// The time was over, or nobody looked any more.
    Over,
    /// A client asked the server to end.
    Asked,
    /// The caller wanted to stop, because of Ctrl-C.
    Interrupted,
}

/// Serves a run for as long as it exists.
#[derive(Debug)]
pub struct ApiServer {
    linger: ApiLinger,
    state: Arc<ApiState>,
    thread: Option<JoinHandle<()>>,
    _view: View,
}

impl ApiServer {
    /// `dir`: the folder whose files are offered after the run.
    pub fn start(config: &ApiConfig, live: &Arc<LiveRun>, dir: PathBuf) -> Result<Self, ApiError> {
        let host = config.host.clone();
        let resolved = (host.as_str(), config.port).to_socket_addrs();
        let addresses: Vec<SocketAddr> =
            resolved.map_err(|cause| ApiError::Host { host: host.clone(), cause })?.collect();
        let bind_error = |cause| ApiError::Bind { host: host.clone(), port: config.port, cause };
        let listener = TcpListener::bind(&addresses[..]).map_err(bind_error)?;
        listener.set_nonblocking(true).map_err(ApiError::Start)?;
        let address = listener.local_addr().map_err(ApiError::Start)?;
        let mut random = Stream::from_entropy();
        let given = config.token.as_ref().map(|token| token.0.clone());
        let token = given.or_else(|| (!address.ip().is_loopback()).then(|| random.uuid().simple().to_string()));
        let access = Arc::new(WebAccess::new(token, address, &host, ACCESS_RULES));
        let view = live.attach().map_err(ApiError::Start)?;
        let state = Arc::new(ApiState::new(Arc::clone(live), access, dir, random.uuid().simple().to_string()));
        let shared = Arc::clone(&state);
        let thread = thread::Builder::new().name("api".to_owned()).spawn(move || {
            lower_priority();
            if let Err(error) = serve(listener, &shared) {
                log::error!("the live interface ended: {error}");
            }
        });
        let thread = Some(thread.map_err(ApiError::Start)?);
        Ok(Self { linger: config.linger, state, thread, _view: view })
    }

    /// Where the page is, for a person to open. It contains the token, if there is one.
    pub fn page_address(&self) -> String {
        self.state.access.page_address()
    }

    /// Where the page is, for a log that others may read.
    pub fn page_address_without_token(&self) -> String {
        self.state.access.page_address_without_token()
    }

    /// Whether the run was cancelled through the interface.
    pub fn was_cancelled_by_client(&self) -> bool {
        self.state.was_cancelled.load(Ordering::Acquire)
    }

    /// How long the server will stay after the run; `None` if it does not.
    pub fn linger_time(&self) -> Option<Duration> {
        match self.linger {
            ApiLinger::For(time) => (!time.is_zero()).then_some(time),
            ApiLinger::WhilePagesAreOpen(most) => (self.state.pages() > 0).then_some(most),
        }
    }

    /// Keeps serving after the run. `is_interrupted` waits for the given time and returns whether Ctrl-C was pressed.
    pub fn linger(&self, mut is_interrupted: impl FnMut(Duration) -> bool) -> LingerEnd {
        let Some(most) = self.linger_time() else { return LingerEnd::Over };
        let mut unwatched = Duration::ZERO;
        let mut passed = Duration::ZERO;
        while passed < most && unwatched < LINGER_GAP {
            if *self.state.closing.borrow() {
                return LingerEnd::Asked;
            }
            let tick = LINGER_TICK.min(most.saturating_sub(passed));
            if is_interrupted(tick) {
                return LingerEnd::Interrupted;
            }
            passed += tick;
            let counts_pages = matches!(self.linger, ApiLinger::WhilePagesAreOpen(_));
            unwatched = if counts_pages && self.state.pages() == 0 { unwatched + tick } else { Duration::ZERO };
        }
        LingerEnd::Over
    }
}

impl Drop for ApiServer {
    fn drop(&mut self) {
        self.state.closing.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // It ends by itself within the time for last words.
            let _ = thread.join();
        }
    }
}

fn serve(listener: TcpListener, state: &Arc<ApiState>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(4).build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        tokio::spawn(gauges::follow(Arc::clone(state)));
        let mut closing = state.closing.subscribe();
        let mut stop = state.closing.subscribe();
        let server = axum::serve(listener, routes::router(Arc::clone(state))).with_graceful_shutdown(async move {
            let _ = stop.wait_for(|closing| *closing).await;
        });
        let limit = async {
            let _ = closing.wait_for(|closing| *closing).await;
            time::sleep(LAST_WORDS).await;
        };
        tokio::select! {
            ended = async { server.await } => ended,
            () = limit => Ok(()),
        }
    })
}

/// The load generator comes first.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(cause) = rustix::process::setpriority_process(Some(rustix::thread::gettid()), 10) {
        log::debug!("the thread of the live interface keeps its priority: {cause}");
    }
}
