//! One open HTTP/2 connection and the requests on it.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use aiperf_clock::Mono;
use bytes::Bytes;
use h2::client::SendRequest;
use tokio::sync::OwnedSemaphorePermit;

use super::frame_times::FrameTimes;
use super::timed_stream::TimedStream;
use crate::connection::OpenConnection;
use crate::error::TransportError;
use crate::preconnect::ConnectionSetup;

/// How much the server may send ahead, for one request and for a whole connection. What arrives is read at once, so this only
/// limits what is under way; a server must never wait for us.
const STREAM_WINDOW: u32 = 16 << 20;
const CONNECTION_WINDOW: u32 = 1 << 30;
/// Abandoned requests that the server may still answer for a moment.
const REMEMBERED_RESETS: usize = 10_000;

#[derive(Debug)]
pub(super) struct Http2Connection {
    pub(super) sender: SendRequest<Bytes>,
    pub(super) times: Rc<RefCell<FrameTimes>>,
    pub(super) local: Option<SocketAddr>,
    pub(super) remote: Option<SocketAddr>,
    requests: Cell<usize>,
    idle_since: Cell<Mono>,
    /// Of a connection that was opened ahead and has not been used.
    pub(super) opened_ahead: RefCell<Option<Box<ConnectionSetup>>>,
    ended: Rc<Cell<bool>>,
    _slot: Option<OwnedSemaphorePermit>,
}

impl Http2Connection {
    /// Starts HTTP/2 on a connection. A task of the current thread's `LocalSet` drives it until it ends or is no longer used.
    pub(super) async fn start(
        connection: OpenConnection,
        slot: Option<OwnedSemaphorePermit>,
    ) -> Result<Rc<Self>, TransportError> {
        let times = FrameTimes::shared();
        let (local, remote) = (connection.local, connection.remote);
        let timed = TimedStream { stream: connection.stream, times: Rc::clone(&times) };
        let (sender, connection) = h2::client::Builder::new()
            .enable_push(false)
            .initial_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_concurrent_reset_streams(REMEMBERED_RESETS)
            .handshake::<_, Bytes>(timed)
            .await
            .map_err(|error| TransportError::Protocol(error.to_string()))?;
        let ended = Rc::new(Cell::new(false));
        let end = Rc::clone(&ended);
        tokio::task::spawn_local(async move {
            // Requests on it learn of its failure themselves.
            let _ = connection.await;
            end.set(true);
        });
        let (requests, idle_since) = (Cell::new(0), Cell::new(Mono::now()));
        let opened_ahead = RefCell::default();
        Ok(Rc::new(Self { sender, times, local, remote, requests, idle_since, opened_ahead, ended, _slot: slot }))
    }

    /// Whether it can carry requests: the server neither closed it nor announced that it will.
    pub(super) fn is_alive(&self) -> bool {
        let ready = self.sender.clone().poll_ready(&mut Context::from_waker(Waker::noop()));
        !self.ended.get() && !matches!(ready, Poll::Ready(Err(_)))
    }

    /// Whether no request was sent since `since`.
    pub(super) fn is_idle_since(&self, since: Mono) -> bool {
        self.requests.get() == 0 && self.idle_since.get() < since
    }

    /// Whether the server accepts one more request now.
    pub(super) fn has_room(&self) -> bool {
        self.requests.get() < self.sender.current_max_send_streams()
    }

    pub(super) fn requests(&self) -> usize {
        self.requests.get()
    }
}

/// One request's share of a connection.
#[derive(Debug)]
pub(super) struct StreamLease {
    pub(super) connection: Rc<Http2Connection>,
    /// The request must wait for another one to end.
    pub(super) queued: bool,
}

impl StreamLease {
    pub(super) fn of(connection: Rc<Http2Connection>) -> Self {
        let queued = !connection.has_room();
        connection.requests.set(connection.requests.get() + 1);
        Self { connection, queued }
    }
}

impl Drop for StreamLease {
    fn drop(&mut self) {
        self.connection.requests.set(self.connection.requests.get() - 1);
        self.connection.idle_since.set(Mono::now());
    }
}
