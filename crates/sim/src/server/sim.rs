//! A running simulator: its threads, its address and its truth.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;

use aiperf_clock::{Timer, WallAnchor, tighten_timer_slack};
use aiperf_socket::raise_descriptor_limit;
use tokio::sync::watch;

use crate::error::SimError;
use crate::options::SimOptions;
use crate::server::listener::listen;
use crate::server::state::SimState;
use crate::server::worker::ServerWorker;
use crate::truth::TruthRecord;

/// A simulated inference server on its own threads. Dropping it stops it.
#[derive(Debug)]
pub struct Sim {
    state: Arc<SimState>,
    address: SocketAddr,
    stop: watch::Sender<bool>,
    threads: Vec<JoinHandle<std::io::Result<()>>>,
}

impl Sim {
    /// Listens on `bind` (port 0 takes a free one) and serves at once. Clients may connect as soon as this returns.
    pub fn start(options: SimOptions, bind: SocketAddr) -> Result<Self, SimError> {
        raise_descriptor_limit();
        let (listeners, address) = listen(bind, options.threads)?;
        let state = Arc::new(SimState::new(options)?);
        let (stop, stopped) = watch::channel(false);
        let mut sim = Self { state, address, stop, threads: Vec::new() };
        for (number, listener) in listeners.into_iter().enumerate() {
            let (state, stopped) = (Arc::clone(&sim.state), stopped.clone());
            let thread = std::thread::Builder::new()
                .name(format!("sim-{number}"))
                .spawn(move || serve(state, listener, stopped))
                .map_err(|source| SimError::Start { what: "serving thread", source })?;
            sim.threads.push(thread);
        }
        Ok(sim)
    }

    /// Where it listens.
    pub const fn addr(&self) -> SocketAddr {
        self.address
    }

    /// The base URL for clients.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What happened to every finished request that is still kept, in order of arrival. A client that has seen the end of
    /// its reply finds it here.
    pub fn truth(&self) -> Vec<Arc<TruthRecord>> {
        self.state.truth.snapshot().0
    }

    /// How many records no longer are in [`Self::truth`] because `truth_keep` was reached.
    pub fn truth_dropped(&self) -> u64 {
        self.state.truth.snapshot().1
    }

    /// The tie between the stamps of the truth and the wall clock.
    pub fn wall_anchor(&self) -> WallAnchor {
        self.state.anchor
    }

    /// Forgets what happened, as if just started.
    pub fn reset(&self) {
        self.state.reset();
    }

    /// Ends all connections and threads and completes the truth file. The truth stays readable; doing it twice is fine.
    pub fn stop(&mut self) -> Result<(), SimError> {
        self.stop.send_replace(true);
        let mut result = Ok(());
        for thread in self.threads.drain(..) {
            let name = thread.thread().name().unwrap_or("sim").to_owned();
            match thread.join() {
                Ok(Ok(())) => {}
                Ok(Err(source)) => result = Err(SimError::Start { what: "runtime", source }),
                Err(_) => result = Err(SimError::Panicked(name)),
            }
        }
        self.state.truth.close().and(result)
    }
}

impl Drop for Sim {
    fn drop(&mut self) {
        // Whoever wants to know how it ended calls `stop`.
        let _ = self.stop();
    }
}

fn serve(state: Arc<SimState>, listener: TcpListener, stop: watch::Receiver<bool>) -> std::io::Result<()> {
    tighten_timer_slack();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let tasks = tokio::task::LocalSet::new();
    tasks.block_on(&runtime, async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let worker = ServerWorker { state, timer: Timer::start()? };
        worker.run(listener, stop).await;
        Ok(())
    })
}
