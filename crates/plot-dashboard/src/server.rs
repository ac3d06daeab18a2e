//! The server: a thread with a runtime of its own.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aiperf_plot::{PlotError, RunMode};
use aiperf_seed::Stream;
use aiperf_web_access::{AccessRules, WebAccess};
use thiserror::Error;
use tokio::time;

use crate::board::{Board, BoardOptions};
use crate::routes;

/// Open requests get this long when the server ends.
const LAST_WORDS: Duration = Duration::from_millis(300);

const ACCESS_RULES: AccessRules = AccessRules { pages: &["/"], open_paths: &[], token_origin: "that aiperf printed" };

#[derive(Debug, Error)]
pub enum DashboardError {
    #[error(
        "--host {host}: this address cannot be resolved ({cause}). Use an address of this machine, for example 127.0.0.1."
    )]
    Host { host: String, cause: io::Error },
    #[error("--port {port}: cannot listen on {host} ({cause}). Choose another port, or 0 for any free one.")]
    Bind { host: String, port: u16, cause: io::Error },
    #[error("the dashboard cannot start: {0}")]
    Start(io::Error),
    #[error(transparent)]
    Plot(#[from] PlotError),
}

/// Serves the charts of some folders for as long as it exists.
#[derive(Debug)]
pub struct PlotDashboard {
    board: Arc<Board>,
    access: Arc<WebAccess>,
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl PlotDashboard {
    /// Reads the runs and the presets, then listens.
    pub fn start(options: BoardOptions) -> Result<Self, DashboardError> {
        let (host, port) = (options.host.clone(), options.port);
        let resolved = (host.as_str(), port).to_socket_addrs();
        let addresses: Vec<SocketAddr> =
            resolved.map_err(|cause| DashboardError::Host { host: host.clone(), cause })?.collect();
        let board = Arc::new(Board::open(options)?);
        let listener = TcpListener::bind(&addresses[..]).map_err(|cause| DashboardError::Bind {
            host: host.clone(),
            port,
            cause,
        })?;
        listener.set_nonblocking(true).map_err(DashboardError::Start)?;
        let address = listener.local_addr().map_err(DashboardError::Start)?;
        // Everybody who reaches another address could read the runs and change the presets.
        let token = (!address.ip().is_loopback()).then(|| Stream::from_entropy().uuid().simple().to_string());
        let access = Arc::new(WebAccess::new(token, address, &host, ACCESS_RULES));
        let (shared, rules) = (Arc::clone(&board), Arc::clone(&access));
        let thread = thread::Builder::new().name("plot-dashboard".to_owned()).spawn(move || {
            if let Err(error) = serve(listener, &shared, rules) {
                log::error!("the dashboard ended: {error}");
            }
        });
        let thread = Some(thread.map_err(DashboardError::Start)?);
        Ok(Self { board, access, address, thread })
    }

    /// Where the page is, for a person to open. It contains the token, if there is one.
    pub fn page_address(&self) -> String {
        self.access.page_address()
    }

    pub fn is_loopback(&self) -> bool {
        self.address.ip().is_loopback()
    }

    /// How many runs there are, and how they are shown.
    pub fn runs(&self) -> (usize, RunMode) {
        let runs = self.board.runs();
        (runs.runs.len(), runs.mode(self.board.options.plot.mode))
    }

    /// What is odd about the presets and the runs, in words.
    pub fn warnings(&self) -> Vec<String> {
        let presets = self.board.presets();
        let runs = self.board.runs();
        let broken = runs.runs.iter().filter_map(|run| run.summary.as_ref().err().cloned());
        presets.file.warnings.iter().cloned().chain(broken).collect()
    }
}

impl Drop for PlotDashboard {
    fn drop(&mut self) {
        self.board.closing.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // It ends by itself within the time for last words.
            let _ = thread.join();
        }
    }
}

fn serve(listener: TcpListener, board: &Arc<Board>, access: Arc<WebAccess>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(4).build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        tokio::spawn(Arc::clone(board).follow());
        let mut closing = board.closing.subscribe();
        let mut stop = board.closing.subscribe();
        let server =
            axum::serve(listener, routes::router(Arc::clone(board), access)).with_graceful_shutdown(async move {
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
