//! A connection whose reads are stamped.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::SocketAddr;
#[cfg(unix)]
use std::os::fd::{AsFd, BorrowedFd};
#[cfg(windows)]
use std::os::windows::io::{AsSocket, BorrowedSocket};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use aiperf_clock::{EpochNanos, Mono, ReadStamp};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;

use crate::receive::receive_stamped;
use crate::stamping::Kernel;

/// To be read and written like any stream. After each read, [`Self::last_read`] tells its time; what lies on top and reads
/// ahead (TLS) finds there the time of the last bytes that it needed.
#[derive(Debug)]
pub struct StampedStream {
    socket: Socket,
    kernel: Option<Arc<Kernel>>,
    last: ReadStamp,
}

#[derive(Debug)]
pub(crate) enum Socket {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl StampedStream {
    /// `since`: before the connection was opened, and so before anything could arrive on it.
    pub(crate) fn new(socket: Socket, kernel: Option<Arc<Kernel>>, since: Mono) -> Self {
        Self { socket, kernel, last: ReadStamp::user(since) }
    }

    /// The time of the last read that brought bytes.
    pub fn last_read(&self) -> ReadStamp {
        self.last
    }

    /// `None` for Unix sockets.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        match &self.socket {
            Socket::Tcp(socket) => socket.local_addr().ok(),
            #[cfg(unix)]
            Socket::Unix(_) => None,
        }
    }

    /// `None` for Unix sockets.
    pub fn peer_addr(&self) -> Option<SocketAddr> {
        match &self.socket {
            Socket::Tcp(socket) => socket.peer_addr().ok(),
            #[cfg(unix)]
            Socket::Unix(_) => None,
        }
    }

    /// Whether the peer neither closed the connection nor sent anything that was not read.
    pub fn is_quiet(&self) -> bool {
        let mut byte = [MaybeUninit::uninit()];
        SockRef::from(&self.socket).peek(&mut byte).is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    /// Reads without waiting. Fails with `WouldBlock` when nothing is there, and the runtime then waits for more.
    fn try_receive(&self, buffer: &mut [u8]) -> io::Result<(usize, ReadStamp)> {
        let mut received = None;
        let tried = self.socket.try_read(|| {
            let (count, stamp) = receive_stamped(&self.socket, buffer)?;
            received = Some((count, self.stamp(stamp)));
            // A read that did not fill the buffer took all there was. Saying so here makes the runtime wait for the next
            // arrival at once, which saves the read that would only find that out.
            if count > 0 && count < buffer.len() { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
        });
        match received {
            Some(received) => Ok(received),
            None => Err(tried.err().unwrap_or_else(|| io::ErrorKind::WouldBlock.into())),
        }
    }

    fn stamp(&self, wall: Option<EpochNanos>) -> ReadStamp {
        let read_at = Mono::now();
        match (&self.kernel, wall) {
            // Bytes arrive in order: a stamp before that of the bytes ahead of them is not one to trust.
            (Some(kernel), Some(wall)) => ReadStamp::kernel(kernel.offset.mono(wall), read_at).not_before(self.last.at),
            _ => ReadStamp::user(read_at),
        }
    }
}

impl Socket {
    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Tcp(socket) => socket.poll_read_ready(cx),
            #[cfg(unix)]
            Self::Unix(socket) => socket.poll_read_ready(cx),
        }
    }

    fn try_read(&self, read: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        match self {
            Self::Tcp(socket) => socket.try_io(Interest::READABLE, read),
            #[cfg(unix)]
            Self::Unix(socket) => socket.try_io(Interest::READABLE, read),
        }
    }
}

impl Socket {
    #[cfg(unix)]
    fn write_now(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        Ok(rustix::io::writev(self, parts)?)
    }

    #[cfg(windows)]
    fn write_now(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        SockRef::from(self).send_vectored(parts)
    }
}

#[cfg(windows)]
impl AsSocket for Socket {
    fn as_socket(&self) -> BorrowedSocket<'_> {
        let Self::Tcp(socket) = self;
        socket.as_socket()
    }
}

#[cfg(unix)]
impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(socket) => socket.as_fd(),
            #[cfg(unix)]
            Self::Unix(socket) => socket.as_fd(),
        }
    }
}

impl AsyncRead for StampedStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            ready!(self.socket.poll_readable(cx))?;
            match self.try_receive(buffer.initialize_unfilled()) {
                Ok((count, stamp)) => {
                    // The end of the stream brings nothing, and what lies on top may look for it too early.
                    if count > 0 {
                        self.last = stamp;
                    }
                    buffer.advance(count);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for StampedStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        // The runtime learns only at its next look at all sockets that a new connection can be written to. The socket itself
        // knows it now, and nearly always has room.
        match self.socket.write_now(parts) {
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            written => return Poll::Ready(written),
        }
        match &mut self.socket {
            Socket::Tcp(socket) => Pin::new(socket).poll_write_vectored(cx, parts),
            #[cfg(unix)]
            Socket::Unix(socket) => Pin::new(socket).poll_write_vectored(cx, parts),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// Sockets keep nothing back.
    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.socket {
            Socket::Tcp(socket) => Pin::new(socket).poll_shutdown(cx),
            #[cfg(unix)]
            Socket::Unix(socket) => Pin::new(socket).poll_shutdown(cx),
        }
    }
}
