//! One serving thread: accepts connections and serves their requests one after the other.

use std::rc::Rc;
use std::sync::Arc;

use aiperf_clock::{Mono, Nanos, Timer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::api::dialect::openai::error_object;
use crate::api::grpc;
use crate::server::connection::{ClientConnection, NoRequest};
use crate::server::http_request::Unreadable;
use crate::server::http_response::{error_kind, write_whole};
use crate::server::response::After;
use crate::server::route;
use crate::server::state::SimState;

#[derive(Debug)]
pub(crate) struct ServerWorker {
    pub(crate) state: Arc<SimState>,
    /// Number of this thread, from zero.
    pub(crate) thread: usize,
    pub(crate) timer: Timer,
}

/// What a port is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PortRole {
    Inference,
    /// `/metrics` is the DCGM page, as on the port of an exporter.
    Dcgm,
}

/// How long to wait if no connection can be accepted, most likely because no descriptors are left.
const ACCEPT_PAUSE: Nanos = Nanos(10_000_000);
/// How long to wait before the clocks are compared again.
const CLOCK_PAUSE: Nanos = Nanos(1_000_000_000);

impl ServerWorker {
    /// Serves until told to stop. Connections end with the `LocalSet` that this runs in.
    pub(crate) async fn run(self, listener: TcpListener, dcgm: Option<TcpListener>, mut stop: watch::Receiver<bool>) {
        let worker = Rc::new(self);
        if worker.thread == 0 {
            tokio::task::spawn_local(follow_clock(Rc::clone(&worker)));
        }
        if let Some(dcgm) = dcgm {
            let worker = Rc::clone(&worker);
            tokio::task::spawn_local(async move { accept(&worker, &dcgm, PortRole::Dcgm).await });
        }
        tokio::select! {
            () = accept(&worker, &listener, PortRole::Inference) => {}
            // An error means that the sender is gone, so that nobody could stop this worker: it stops now.
            _ = stop.wait_for(|stop| *stop) => {}
        }
    }
}

/// Measures again and again how far the wall clock is ahead: receive stamps are wall-clock times, and someone may set it.
async fn follow_clock(worker: Rc<ServerWorker>) {
    loop {
        worker.timer.sleep_until(Mono::now() + CLOCK_PAUSE).await;
        worker.state.clock.resample();
    }
}

async fn accept(worker: &Rc<ServerWorker>, listener: &TcpListener, role: PortRole) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::task::spawn_local(serve_connection(Rc::clone(worker), stream, role));
            }
            Err(_) => worker.timer.sleep_until(Mono::now() + ACCEPT_PAUSE).await,
        }
    }
}

async fn serve_connection(worker: Rc<ServerWorker>, stream: TcpStream, role: PortRole) {
    // Without it small writes wait for each other; a system that refuses still serves.
    let _ = stream.set_nodelay(true);
    if grpc::is_http2_preface(&worker, &stream).await {
        return grpc::serve_connection(worker, stream).await;
    }
    let mut connection = ClientConnection::new(stream, Arc::clone(&worker.state.clock));
    // Numbered by its first request on record, so that scrapes of the metrics do not show in the truth.
    let (mut number, mut served) = (None, 0);
    loop {
        let received = match connection.receive().await {
            Ok(received) => received,
            Err(NoRequest::Gone) => return,
            Err(NoRequest::Unreadable(why)) => return reject_unreadable(&mut connection, why).await,
        };
        match route::serve(&worker, &mut connection, &received, (&mut number, served), role).await {
            After::KeepAlive => served += 1,
            After::Close => return,
            After::Reset => return connection.reset(),
        }
    }
}

async fn reject_unreadable(connection: &mut ClientConnection, why: Unreadable) {
    let (status, message) = match why {
        Unreadable::Malformed(what) => (400, what),
        Unreadable::TooLarge => (413, "the request is too large"),
    };
    let body = error_object(status, error_kind(status), message, None);
    let mut out = Vec::new();
    write_whole(status, "application/json", body.as_bytes(), false, &mut out);
    // The connection ends here in any case.
    let _ = connection.write(&out).await;
}
