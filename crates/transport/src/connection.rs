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

use crate::certificate::{explained, tls_error};
use crate::error::TransportError;
use crate::exchange::Exchange;
use crate::request::Request;
use crate::response::{Progress, ResponseReader};
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

    /// Writes the request and reads the whole response; says whether the connection can carry another request. `scratch` is
    /// shared by all connections of the thread and borrowed only while a read is being taken in, never across a wait.
    pub(crate) async fn converse(
        &mut self,
        request: &Request<'_>,
        scratch: &RefCell<Box<[u8]>>,
        exchange: &mut Exchange,
        watch: &dyn Watch,
    ) -> Result<bool, TransportError> {
        let mut talk = Conversation { wire: &mut self.wire, reader: ResponseReader::new(), scratch, exchange, watch };
        match talk.send(request).await? {
            // What was not sent of the request would be taken for the next one.
            Progress::Complete { .. } => Ok(false),
            Progress::Reading => talk.receive().await,
        }
    }
}

/// One request and its response on their way.
struct Conversation<'a> {
    wire: &'a mut Wire,
    reader: ResponseReader,
    scratch: &'a RefCell<Box<[u8]>>,
    exchange: &'a mut Exchange,
    watch: &'a dyn Watch,
}

/// What happened first.
enum Event {
    Wrote(usize),
    Refused(io::Error),
    Read(Progress),
}

impl Conversation<'_> {
    /// Writes the whole request, unless the server has answered before: it may not want all of a large body.
    async fn send(&mut self, request: &Request<'_>) -> Result<Progress, TransportError> {
        self.exchange.trace.send_start = Some(Mono::now());
        let (head, body) = (request.head.as_slice(), request.body.as_ref());
        let total = head.len() + body.len();
        let mut sent = 0;
        while sent < total {
            let parts =
                [IoSlice::new(&head[sent.min(head.len())..]), IoSlice::new(&body[sent.saturating_sub(head.len())..])];
            let parts = if sent < head.len() { &parts[..] } else { &parts[1..] };
            let event = poll_fn(|cx| match self.wire.poll_write(cx, parts) {
                Poll::Ready(Ok(0)) => Poll::Ready(Ok(Event::Refused(io::ErrorKind::WriteZero.into()))),
                Poll::Ready(Ok(wrote)) => Poll::Ready(Ok(Event::Wrote(wrote))),
                Poll::Ready(Err(cause)) => Poll::Ready(Ok(Event::Refused(cause))),
                Poll::Pending => self.poll_take(cx).map_ok(Event::Read),
            })
            .await?;
            match event {
                Event::Wrote(wrote) => sent += wrote,
                Event::Refused(cause) => return self.receive_instead(cause).await,
                Event::Read(Progress::Reading) => {}
                Event::Read(complete) => return Ok(complete),
            }
            let trace = &mut self.exchange.trace;
            trace.writes += u64::from(sent > head.len() && matches!(event, Event::Wrote(_)));
            trace.head_bytes_sent = sent.min(head.len()) as u64;
            trace.body_bytes_sent = sent.saturating_sub(head.len()) as u64;
        }
        if let Err(cause) = poll_fn(|cx| self.wire.poll_flush(cx)).await {
            return self.receive_instead(cause).await;
        }
        let end = Mono::now();
        self.exchange.trace.send_end = Some(end);
        self.watch.sent(end);
        Ok(Progress::Reading)
    }

    /// The server takes no more of the request. It may have said why; else that is the failure.
    async fn receive_instead(&mut self, refused: io::Error) -> Result<Progress, TransportError> {
        match self.receive().await {
            Ok(_) => Ok(Progress::Complete { reusable: false }),
            Err(error) if self.reader.has_begun() => Err(error),
            Err(_) => Err(TransportError::Send(refused)),
        }
    }

    /// Reads until the response is complete.
    async fn receive(&mut self) -> Result<bool, TransportError> {
        loop {
            if let Progress::Complete { reusable } = poll_fn(|cx| self.poll_take(cx)).await? {
                return Ok(reusable);
            }
        }
    }

    /// Takes in one read.
    fn poll_take(&mut self, cx: &mut Context<'_>) -> Poll<Result<Progress, TransportError>> {
        let mut scratch = self.scratch.borrow_mut();
        let mut buffer = ReadBuf::new(&mut scratch);
        match ready!(self.wire.poll_read(cx, &mut buffer)) {
            Ok(()) if buffer.filled().is_empty() => Poll::Ready(self.reader.end_of_stream(self.exchange)),
            // Many servers close TLS without saying so. Whether anything is missing, the framing of the response tells.
            Err(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => {
                Poll::Ready(self.reader.end_of_stream(self.exchange))
            }
            Err(cause) => Poll::Ready(Err(broken(cause, self.reader.has_begun()))),
            Ok(()) => {
                // An answer cannot come before its question.
                let asked = self.exchange.trace.send_start.unwrap_or_default();
                let stamp = self.wire.socket().last_read().not_before(asked);
                let progress = self.reader.feed(buffer.filled(), stamp, self.exchange)?;
                drop(scratch);
                self.watch.read(stamp, self.exchange);
                Poll::Ready(Ok(progress))
            }
        }
    }
}

/// A read that failed: before the first byte the server broke the connection, after it the response broke off.
fn broken(cause: io::Error, has_begun: bool) -> TransportError {
    if has_begun {
        return TransportError::Truncated(cause.to_string());
    }
    if cause.kind() == io::ErrorKind::ConnectionReset {
        return TransportError::Severed(cause);
    }
    // A server that wants a client's certificate says so only when it is asked for something.
    TransportError::Reset(tls_error(&cause).map_or_else(|| cause.to_string(), explained))
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
