//! An open connection: writes a request, hands each read to the response reader with its time.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use aiperf_clock::Mono;
use aiperf_socket::StampedStream;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::client::TlsStream;

use crate::error::TransportError;
use crate::exchange::Exchange;
use crate::request::Request;
use crate::response::{Progress, ResponseReader};
use crate::tls::tls_error;
use crate::watch::Watch;

#[derive(Debug)]
pub(crate) enum Wire {
    Plain(StampedStream),
    Tls(Box<TlsStream<StampedStream>>),
    /// To a server through a proxy that is spoken to under TLS itself.
    TlsInTls(Box<TlsStream<TlsStream<StampedStream>>>),
}

#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) wire: Wire,
    pub(crate) local: Option<SocketAddr>,
    pub(crate) remote: Option<SocketAddr>,
}

impl Connection {
    /// Whether an idle connection can still be used: the peer neither closed it nor sent anything unasked.
    pub(crate) fn is_alive(&self) -> bool {
        self.wire.socket().is_quiet()
    }

    /// Writes the whole request.
    pub(crate) async fn send(
        &mut self,
        request: &Request<'_>,
        exchange: &mut Exchange,
        watch: &dyn Watch,
    ) -> Result<(), TransportError> {
        let trace = &mut exchange.trace;
        trace.send_start = Some(Mono::now());
        let (head, body) = (request.head.as_slice(), request.body.as_ref());
        let total = head.len() + body.len();
        let mut sent = 0;
        while sent < total {
            let parts =
                [IoSlice::new(&head[sent.min(head.len())..]), IoSlice::new(&body[sent.saturating_sub(head.len())..])];
            let parts = if sent < head.len() { &parts[..] } else { &parts[1..] };
            let wrote = poll_fn(|cx| self.wire.poll_write(cx, parts)).await.map_err(TransportError::Send)?;
            if wrote == 0 {
                return Err(TransportError::Send(io::ErrorKind::WriteZero.into()));
            }
            sent += wrote;
            trace.writes += u64::from(sent > head.len());
            trace.head_bytes_sent = sent.min(head.len()) as u64;
            trace.body_bytes_sent = sent.saturating_sub(head.len()) as u64;
        }
        poll_fn(|cx| self.wire.poll_flush(cx)).await.map_err(TransportError::Send)?;
        let end = Mono::now();
        trace.send_end = Some(end);
        watch.sent(end);
        Ok(())
    }

    /// Reads the whole response; says whether the connection can carry another request. `scratch` is shared by all
    /// connections of the thread and borrowed only while a read is being taken in, never across a wait.
    pub(crate) async fn receive(
        &mut self,
        scratch: &RefCell<Box<[u8]>>,
        exchange: &mut Exchange,
        watch: &dyn Watch,
    ) -> Result<bool, TransportError> {
        let mut reader = ResponseReader::new();
        let asked = exchange.trace.send_start.unwrap_or_default();
        loop {
            let (progress, stamp) = poll_fn(|cx| {
                let mut scratch = scratch.borrow_mut();
                let mut buffer = ReadBuf::new(&mut scratch);
                match self.wire.poll_read(cx, &mut buffer) {
                    Poll::Pending => Poll::Pending,
                    Poll::Ready(Err(cause)) => Poll::Ready(Err(broken(&cause, exchange))),
                    Poll::Ready(Ok(())) => {
                        let bytes = buffer.filled();
                        if bytes.is_empty() {
                            return Poll::Ready(reader.end_of_stream(exchange).map(|progress| (progress, None)));
                        }
                        // An answer cannot come before its question.
                        let stamp = self.wire.socket().last_read().not_before(asked);
                        Poll::Ready(reader.feed(bytes, stamp, exchange).map(|progress| (progress, Some(stamp))))
                    }
                }
            })
            .await?;
            if let Some(stamp) = stamp {
                watch.read(stamp, exchange);
            }
            if let Progress::Complete { reusable } = progress {
                return Ok(reusable);
            }
        }
    }
}

/// A read that failed: before the first byte the server broke the connection, after it the response broke off.
fn broken(cause: &io::Error, exchange: &Exchange) -> TransportError {
    if exchange.status.is_some() {
        return TransportError::Truncated(cause.to_string());
    }
    // A server that wants a client's certificate says so only when it is asked for something.
    TransportError::Reset(tls_error(cause).map_or_else(|| cause.to_string(), ToString::to_string))
}

/// One record at a time: `poll_read` would go on reading, and what came first would get the time of what came last.
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

impl Wire {
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
