//! A running simulator: its threads, its address and its truth.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;

use aiperf_clock::{Mono, Timer, WallAnchor, tighten_timer_slack};
use aiperf_socket::raise_descriptor_limit;
use tokio::sync::watch;

use crate::error::SimError;
use crate::monitoring::window::WindowTruth;
use crate::options::SimOptions;
use crate::server::listener::{listen, listen_alone};
use crate::server::state::SimState;
use crate::server::worker::ServerWorker;
use crate::truth::TruthRecord;

/// A simulated inference server on its own threads. Dropping it stops it.
#[derive(Debug)]
pub struct Sim {
    state: Arc<SimState>,
    address: SocketAddr,
    dcgm_address: Option<SocketAddr>,
    stop: watch::Sender<bool>,
    threads: Vec<JoinHandle<std::io::Result<()>>>,
}

impl Sim {
    /// Listens on `bind` (port 0 takes a free one) and serves at once. Clients may connect as soon as this returns.
    pub fn start(options: SimOptions, bind: SocketAddr) -> Result<Self, SimError> {
        raise_descriptor_limit();
        let (listeners, address) = listen(bind, options.threads)?;
        let mut dcgm = None;
        if let Some(port) = options.gpus.port {
            if options.gpus.count == 0 {
                return Err(SimError::DcgmPortWithoutGpus { port });
            }
            dcgm = Some(listen_alone(SocketAddr::new(bind.ip(), port))?);
        }
        let state = Arc::new(SimState::new(options)?);
        let (stop, stopped) = watch::channel(false);
        let dcgm_address = dcgm.as_ref().map(|(_, address)| *address);
        let mut dcgm = dcgm.map(|(listener, _)| listener);
        let mut sim = Self { state, address, dcgm_address, stop, threads: Vec::new() };
        for (number, listener) in listeners.into_iter().enumerate() {
            let (state, stopped) = (Arc::clone(&sim.state), stopped.clone());
            // The first thread has the only socket of the DCGM page.
            let dcgm = dcgm.take();
            let thread = std::thread::Builder::new()
                .name(format!("sim-{number}"))
                .spawn(move || serve(state, number, listener, dcgm, stopped))
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

    /// Where the DCGM page has a port of its own.
    pub const fn dcgm_addr(&self) -> Option<SocketAddr> {
        self.dcgm_address
    }

    /// What was true between two instants, as far as `truth_keep` goes back.
    pub fn window(&self, start: Mono, end: Mono) -> WindowTruth {
        WindowTruth::of(&self.state, start, end)
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

fn serve(
    state: Arc<SimState>,
    thread: usize,
    listener: TcpListener,
    dcgm: Option<TcpListener>,
    stop: watch::Receiver<bool>,
) -> std::io::Result<()> {
    tighten_timer_slack();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let tasks = tokio::task::LocalSet::new();
    tasks.block_on(&runtime, async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let dcgm = dcgm.map(tokio::net::TcpListener::from_std).transpose()?;
        let worker = ServerWorker { state, thread, timer: Timer::start()? };
        worker.run(listener, dcgm, stop).await;
        Ok(())
    })
}
