//! The bytes of a connection, plain or under TLS.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use aiperf_socket::StampedStream;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::client::TlsStream;

#[derive(Debug)]
pub(crate) enum ByteStream {
    Plain(StampedStream),
    Tls(Box<TlsStream<StampedStream>>),
    /// To a server through a proxy that is itself spoken to under TLS.
    TlsInTls(Box<TlsStream<TlsStream<StampedStream>>>),
}

/// Reads one TLS record: `poll_read` would go on reading, and what came first would get the time of what came last.
fn read_record(
    mut stream: impl AsyncBufRead + Unpin,
    cx: &mut Context<'_>,
    buffer: &mut ReadBuf<'_>,
) -> Poll<io::Result<()>> {
    let record = ready!(Pin::new(&mut stream).poll_fill_buf(cx))?;
    let count = record.len().min(buffer.remaining());
    buffer.put_slice(&record[..count]);
    Pin::new(&mut stream).consume(count);
    Poll::Ready(Ok(()))
}

impl ByteStream {
    pub(crate) fn socket(&self) -> &StampedStream {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(tls) => tls.get_ref().0,
            Self::TlsInTls(tls) => tls.get_ref().0.get_ref().0,
        }
    }

    /// The protocol that both ends agreed on under TLS.
    pub(crate) fn agreed_protocol(&self) -> Option<&[u8]> {
        match self {
            Self::Plain(_) => None,
            Self::Tls(tls) => tls.get_ref().1.alpn_protocol(),
            Self::TlsInTls(tls) => tls.get_ref().1.alpn_protocol(),
        }
    }

    pub(crate) fn poll_read(&mut self, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Tls(stream) => read_record(stream, cx, buffer),
            Self::TlsInTls(stream) => read_record(stream, cx, buffer),
        }
    }

    pub(crate) fn poll_write(&mut self, cx: &mut Context<'_>, parts: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        match self {
            Self::Plain(stream) => Pin::new(stream).poll_write_vectored(cx, parts),
            Self::Tls(stream) => Pin::new(stream).poll_write_vectored(cx, parts),
            Self::TlsInTls(stream) => Pin::new(stream).poll_write_vectored(cx, parts),
        }
    }

    pub(crate) fn poll_shutdown(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::TlsInTls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }

    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
            Self::TlsInTls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }
}
