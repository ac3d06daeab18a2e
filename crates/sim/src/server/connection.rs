//! One client's socket: bytes in and out, each with the time at which it passed.

use std::io;

use aiperf_clock::{Mono, Nanos, Timer};
use tokio::net::TcpStream;

use crate::server::http_request::{BodyLength, ChunkedBody, Head, Unreadable};

/// A request with its body and the times at which its first and last bytes had been read.
#[derive(Debug)]
pub(crate) struct ClientRequest {
    pub(crate) head: Head,
    pub(crate) body: Vec<u8>,
    pub(crate) first_byte: Mono,
    pub(crate) arrival: Mono,
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
    first_byte: Mono,
    last_read: Mono,
    burst: u32,
}

impl ClientConnection {
    pub(crate) fn new(stream: TcpStream) -> Self {
        let never = Mono::default();
        Self { stream, input: Vec::new(), first_byte: never, last_read: never, burst: 0 }
    }

    /// Reads once. False at the end of the stream.
    async fn fill(&mut self, wanted: usize) -> io::Result<bool> {
        self.input.reserve(wanted.max(READ_SIZE));
        loop {
            self.stream.readable().await?;
            match self.read_now() {
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                result => return result,
            }
        }
    }

    fn read_now(&mut self) -> io::Result<bool> {
        let was_empty = self.input.is_empty();
        let count = self.stream.try_read_buf(&mut self.input)?;
        self.last_read = Mono::now();
        if was_empty {
            self.first_byte = self.last_read;
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
        let received = ClientRequest { head, body, first_byte: self.first_byte, arrival: self.last_read };
        // What is left came with the last read at the latest.
        self.first_byte = self.last_read;
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

    /// Resolves when the client has closed its side. Requests that it sends ahead are kept.
    async fn gone(&mut self) {
        loop {
            if self.input.len() > MOST_READ_AHEAD {
                return std::future::pending().await;
            }
            match self.fill(0).await {
                Ok(true) => {}
                Ok(false) | Err(_) => return,
            }
        }
    }

    /// Closes so that the client sees a reset instead of an end.
    pub(crate) fn reset(self) {
        // If the system refuses, the client sees a plain close in mid-reply, which is a broken reply too.
        let _ = socket2::SockRef::from(&self.stream).set_linger(Some(Nanos::ZERO.as_duration()));
    }
}

impl ClientWatch for ClientConnection {
    async fn unless_gone<T>(&mut self, wanted: impl Future<Output = T>) -> Result<T, ClientGone> {
        tokio::select! {
            biased;
            value = wanted => Ok(value),
            () = self.gone() => Err(ClientGone),
        }
    }
}
