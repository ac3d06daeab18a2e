//! The simulator as a program of its own: serves until it is told to stop.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::error::SimError;
use crate::options::SimOptions;
use crate::server::sim::Sim;

/// A request to stop, shared between the thread that makes it (that of a signal handler) and the one that waits for it.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    shared: Arc<(Mutex<bool>, Condvar)>,
}

impl Shutdown {
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests the stop. Later calls change nothing.
    pub fn request(&self) {
        let (wanted, changed) = &*self.shared;
        *wanted.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_all();
    }

    /// Returns after the stop was requested.
    pub fn wait(&self) {
        let (wanted, changed) = &*self.shared;
        let mut guard = wanted.lock().unwrap_or_else(PoisonError::into_inner);
        while !*guard {
            guard = changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Serves until `shutdown` is requested. Once clients may connect, one line with the URL goes to `announce`.
pub fn serve(
    options: SimOptions,
    bind: SocketAddr,
    shutdown: &Shutdown,
    announce: &mut dyn Write,
) -> Result<(), SimError> {
    let mut sim = Sim::start(options, bind)?;
    writeln!(announce, "aiperf sim listens on {}", sim.url())
        .and_then(|()| match sim.dcgm_addr() {
            Some(address) => writeln!(announce, "DCGM page at http://{address}/metrics"),
            None => Ok(()),
        })
        .and_then(|()| announce.flush())
        .map_err(SimError::Announce)?;
    shutdown.wait();
    sim.stop()
}
