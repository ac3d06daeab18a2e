//! One client's socket: bytes in and out, each with the time at which it passed.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use aiperf_clock::{Mono, Nanos, OffsetWatch, ReadStamp, StampSource, Timer};
use aiperf_socket::receive_stamped;
use tokio::io::Interest;
use tokio::net::TcpStream;

use crate::server::http_request::{BodyLength, ChunkedBody, Head, Unreadable};

/// A request with its body and the times at which its first and last bytes came in.
#[derive(Debug)]
pub(crate) struct ClientRequest {
    pub(crate) head: Head,
    pub(crate) body: Vec<u8>,
    pub(crate) first_byte: Mono,
    pub(crate) arrival: Mono,
    /// Who took the time of its arrival.
    pub(crate) stamped_by: StampSource,
}

/// What came instead of a request.
#[derive(Debug)]
pub(crate) enum NoRequest {
    /// The client closed the connection, or it broke.
    Gone,
    Unreadable(Unreadable),
}

/// The client went away before it had its reply.
#[derive(Debug)]
pub(crate) struct ClientGone;

impl From<io::Error> for ClientGone {
    fn from(_: io::Error) -> Self {
        Self
    }
}

/// A client that waits for a reply and may disconnect before it comes.
pub(crate) trait ClientWatch {
    /// Waits for a future, and notices if the client disconnects meanwhile.
    async fn unless_gone<T>(&mut self, wanted: impl Future<Output = T>) -> Result<T, ClientGone>;
}

/// Every open connection holds this much, so it is small; what is known to come is read at once.
const READ_SIZE: usize = 4 * 1024;
/// Requests that a client sends ahead wait in the socket beyond this.
const MOST_READ_AHEAD: usize = 1 << 20;
/// Writes that may follow each other without giving other connections a turn.
const BURST: u32 = 16;

#[derive(Debug)]
pub(crate) struct ClientConnection {
    stream: TcpStream,
    input: Vec<u8>,
    clock: Arc<OffsetWatch>,
    first_byte: Mono,
    last_read: ReadStamp,
    burst: u32,
}

impl ClientConnection {
    /// `clock` turns the kernel's receive stamps into monotonic time.
    pub(crate) fn new(stream: TcpStream, clock: Arc<OffsetWatch>) -> Self {
        let last_read = ReadStamp::default();
        Self { stream, input: Vec::new(), clock, first_byte: Mono::default(), last_read, burst: 0 }
    }

    /// Reads once. False at the end of the stream.
    async fn fill(&mut self, wanted: usize) -> io::Result<bool> {
        let room = wanted.max(READ_SIZE);
        loop {
            self.stream.readable().await?;
            match self.read_now(room) {
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                result => return result,
            }
        }
    }

    /// Reads what is there, at most as much as `room`. Its time is the kernel's, so that a busy server does not shift arrivals.
    fn read_now(&mut self, room: usize) -> io::Result<bool> {
        let filled = self.input.len();
        self.input.resize(filled + room, 0);
        let stream = &self.stream;
        let received = stream.try_io(Interest::READABLE, || receive_stamped(stream, &mut self.input[filled..]));
        self.input.truncate(filled + received.as_ref().map_or(0, |(count, _)| *count));
        let (count, stamp) = received?;
        let read_at = Mono::now();
        self.last_read = match stamp {
            Some(wall) => ReadStamp::kernel(self.clock.mono(wall), read_at).not_before(self.last_read.at),
            None => ReadStamp::user(read_at),
        };
        if filled == 0 {
            self.first_byte = self.last_read.at;
        }
        Ok(count > 0)
    }

    /// The next request, whole. Bytes beyond it stay for the one after.
    pub(crate) async fn receive(&mut self) -> Result<ClientRequest, NoRequest> {
        let (head, head_length) = loop {
            match Head::parse(&self.input).map_err(NoRequest::Unreadable)? {
                Some(found) => break found,
                None => self.fill_or_gone(0).await?,
            }
        };
        if head.expects_continue {
            self.write(b"HTTP/1.1 100 Continue\r\n\r\n").await.map_err(|_| NoRequest::Gone)?;
        }
        let (body, taken) = match head.body {
            BodyLength::Known(length) => {
                let end = head_length + length;
                while self.input.len() < end {
                    self.fill_or_gone(end - self.input.len()).await?;
                }
                (self.input[head_length..end].to_vec(), end)
            }
            BodyLength::Chunked => {
                let mut chunked = ChunkedBody::default();
                while !chunked.advance(&self.input[head_length..]).map_err(NoRequest::Unreadable)? {
                    self.fill_or_gone(0).await?;
                }
                (chunked.body, head_length + chunked.taken)
            }
        };
        self.input.drain(..taken);
        let ReadStamp { at: arrival, source: stamped_by, .. } = self.last_read;
        let received = ClientRequest { head, body, first_byte: self.first_byte, arrival, stamped_by };
        // What is left came with the last read at the latest.
        self.first_byte = arrival;
        Ok(received)
    }

    async fn fill_or_gone(&mut self, wanted: usize) -> Result<(), NoRequest> {
        match self.fill(wanted).await {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => Err(NoRequest::Gone),
        }
    }

    /// Writes everything. The result is the time just before the first byte was handed to the system.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> io::Result<Mono> {
        let mut rest = bytes;
        let mut stamp = Mono::default();
        loop {
            let before = Mono::now();
            match self.stream.try_write(rest) {
                Ok(count) => {
                    if rest.len() == bytes.len() {
                        stamp = before;
                    }
                    rest = &rest[count..];
                    if rest.is_empty() {
                        return Ok(stamp);
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => self.stream.writable().await?,
                Err(e) => return Err(e),
            }
        }
    }

    /// Waits until `due`, and notices if the client disconnects meanwhile.
    pub(crate) async fn wait_until(&mut self, timer: &Timer, due: Mono) -> Result<(), ClientGone> {
        if Mono::now() >= due {
            self.burst += 1;
            if self.burst.is_multiple_of(BURST) {
                tokio::task::yield_now().await;
            }
            return Ok(());
        }
        self.unless_gone(timer.sleep_until(due)).await
    }

    /// Ready when the client has closed its side. Requests that it sends ahead are kept.
    fn poll_gone(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        while self.input.len() <= MOST_READ_AHEAD {
            // Every chunk comes by here, so this must be quick: unlike `readable`, it keeps one waker and no list of waiters.
            match ready!(self.stream.poll_read_ready(cx)).and_then(|()| self.read_now(READ_SIZE)) {
                Ok(true) => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                Ok(false) | Err(_) => return Poll::Ready(()),
            }
        }
        Poll::Pending
    }

    /// Closes so that the client sees a reset instead of an end.
    pub(crate) fn reset(self) {
        // If the system refuses, the client sees a plain close in mid-reply, which is a broken reply too.
        let _ = socket2::SockRef::from(&self.stream).set_linger(Some(Nanos::ZERO.as_duration()));
    }
}

impl ClientWatch for ClientConnection {
    async fn unless_gone<T>(&mut self, wanted: impl Future<Output = T>) -> Result<T, ClientGone> {
        let mut wanted = pin!(wanted);
        poll_fn(|cx| match wanted.as_mut().poll(cx) {
            Poll::Ready(value) => Poll::Ready(Ok(value)),
            Poll::Pending => self.poll_gone(cx).map(|()| Err(ClientGone)),
        })
        .await
    }
}
