//! One exchange on an open connection: writes the request, and hands each read to the response reader with its time.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::task::{Context, Poll, ready};

use aiperf_clock::Mono;
use tokio::io::ReadBuf;

use super::receiver::Receiver;
use super::response::{ReadProgress, ResponseReader};
use crate::connection::{ByteStream, OpenConnection, explained, tls_error};
use crate::error::TransportError;
use crate::exchange::Exchange;
use crate::observer::ExchangeObserver;
use crate::request::Request;

/// An open connection that carries one request after the other.
#[derive(Debug)]
pub(crate) struct HttpConnection(pub(crate) OpenConnection);

impl HttpConnection {
    /// Whether an idle connection can still be used: the peer neither closed it nor sent anything unasked.
    pub(crate) fn is_alive(&self) -> bool {
        self.0.stream.socket().is_quiet()
    }

    /// Writes the request and reads the whole response; says whether the connection can carry another request. `scratch` is
    /// shared by all connections of the thread and borrowed only while a read is being taken in, never across a wait.
    pub(crate) async fn exchange(
        mut self,
        request: &Request<'_>,
        receiver: &Receiver,
        scratch: &RefCell<Box<[u8]>>,
        exchange: &mut Exchange,
        observer: &dyn ExchangeObserver,
    ) -> Result<(Self, bool), TransportError> {
        let stream = &mut self.0.stream;
        let mut io = ExchangeIo { stream, reader: ResponseReader::new(), scratch, exchange, observer };
        match io.send(request).await? {
            // What was not sent of the request would be taken for the next one.
            ReadProgress::Complete { .. } => return Ok((self, false)),
            ReadProgress::Reading => {}
        }
        let Some(observer) = observer.shared() else {
            let reusable = io.receive().await?;
            return Ok((self, reusable));
        };
        // Most responses that are not streamed come in one read.
        match poll_fn(|cx| io.poll_take(cx)).await? {
            ReadProgress::Complete { reusable } => Ok((self, reusable)),
            ReadProgress::Reading => {
                let reader = io.reader;
                receiver.receive(self, reader, scratch, exchange, observer).await
            }
        }
    }
}

/// Writes a request that has no body.
pub(crate) async fn write_head(stream: &mut ByteStream, request: &Request<'_>) -> io::Result<()> {
    let mut parts = request.parts();
    let (mut left, mut sent) = (&mut parts[..], 0);
    while sent < request.head_length() {
        let wrote = poll_fn(|cx| stream.poll_write(cx, left)).await?;
        if wrote == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        sent += wrote;
        IoSlice::advance_slices(&mut left, wrote);
    }
    poll_fn(|cx| stream.poll_flush(cx)).await
}

/// One request and its response on their way.
struct ExchangeIo<'a> {
    stream: &'a mut ByteStream,
    reader: ResponseReader,
    scratch: &'a RefCell<Box<[u8]>>,
    exchange: &'a mut Exchange,
    observer: &'a dyn ExchangeObserver,
}

/// What happened first.
enum IoEvent {
    Wrote(usize),
    Refused(io::Error),
    Read(ReadProgress),
}

impl ExchangeIo<'_> {
    /// Writes the whole request, unless the server has answered before: it may not want all of a large body.
    async fn send(&mut self, request: &Request<'_>) -> Result<ReadProgress, TransportError> {
        self.exchange.trace.send_start = Some(Mono::now());
        let head_length = request.head_length();
        let total = head_length + request.body.len();
        let mut parts = request.parts();
        let (mut left, mut sent) = (&mut parts[..], 0);
        while sent < total {
            let event = poll_fn(|cx| match self.stream.poll_write(cx, left) {
                Poll::Ready(Ok(0)) => Poll::Ready(Ok(IoEvent::Refused(io::ErrorKind::WriteZero.into()))),
                Poll::Ready(Ok(wrote)) => Poll::Ready(Ok(IoEvent::Wrote(wrote))),
                Poll::Ready(Err(cause)) => Poll::Ready(Ok(IoEvent::Refused(cause))),
                Poll::Pending => self.poll_take(cx).map_ok(IoEvent::Read),
            })
            .await?;
            match event {
                IoEvent::Wrote(wrote) => {
                    sent += wrote;
                    IoSlice::advance_slices(&mut left, wrote);
                }
                IoEvent::Refused(cause) => return self.receive_instead(cause).await,
                IoEvent::Read(ReadProgress::Reading) => {}
                IoEvent::Read(complete) => return Ok(complete),
            }
            let trace = &mut self.exchange.trace;
            trace.writes += u64::from(sent > head_length && matches!(event, IoEvent::Wrote(_)));
            trace.head_bytes_sent = sent.min(head_length) as u64;
            trace.body_bytes_sent = sent.saturating_sub(head_length) as u64;
        }
        if let Err(cause) = poll_fn(|cx| self.stream.poll_flush(cx)).await {
            return self.receive_instead(cause).await;
        }
        let end = Mono::now();
        self.exchange.trace.send_end = Some(end);
        self.observer.sent(end);
        Ok(ReadProgress::Reading)
    }

    /// The server accepts no more of the request. Its response may say why; otherwise this is the failure.
    async fn receive_instead(&mut self, refused: io::Error) -> Result<ReadProgress, TransportError> {
        match self.receive().await {
            Ok(_) => Ok(ReadProgress::Complete { reusable: false }),
            Err(error) if self.reader.has_begun() => Err(error),
            Err(_) => Err(TransportError::Send(refused)),
        }
    }

    /// Reads until the response is complete.
    async fn receive(&mut self) -> Result<bool, TransportError> {
        loop {
            if let ReadProgress::Complete { reusable } = poll_fn(|cx| self.poll_take(cx)).await? {
                return Ok(reusable);
            }
        }
    }

    /// Adds one read to the exchange.
    fn poll_take(&mut self, cx: &mut Context<'_>) -> Poll<Result<ReadProgress, TransportError>> {
        poll_take(self.stream, &mut self.reader, self.scratch, self.exchange, self.observer, cx)
    }
}

/// Adds one read of `stream` to the exchange.
pub(super) fn poll_take(
    stream: &mut ByteStream,
    reader: &mut ResponseReader,
    scratch: &RefCell<Box<[u8]>>,
    exchange: &mut Exchange,
    observer: &dyn ExchangeObserver,
    cx: &mut Context<'_>,
) -> Poll<Result<ReadProgress, TransportError>> {
    let mut scratch = scratch.borrow_mut();
    let mut buffer = ReadBuf::new(&mut scratch);
    match ready!(stream.poll_read(cx, &mut buffer)) {
        Ok(()) if buffer.filled().is_empty() => Poll::Ready(reader.end_of_stream(exchange)),
        // Many servers close TLS without saying so. Whether anything is missing, the framing of the response tells.
        Err(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => Poll::Ready(reader.end_of_stream(exchange)),
        Err(cause) => Poll::Ready(Err(broken(cause, reader.has_begun()))),
        Ok(()) => {
            // A response cannot arrive before its request was sent.
            let asked = exchange.trace.send_start.unwrap_or_default();
            let stamp = stream.socket().last_read().not_before(asked);
            let progress = reader.feed(buffer.filled(), stamp, exchange)?;
            drop(scratch);
            observer.read(stamp, exchange);
            Poll::Ready(Ok(progress))
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
    // A server that requires a client certificate says so only after the first request.
    TransportError::Reset(tls_error(&cause).map_or_else(|| cause.to_string(), explained))
}
