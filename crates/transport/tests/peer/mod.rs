//! An HTTP/2 server on a thread of its own. What it does with a request is in the request's path.

use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use aiperf_address::{Origin, Scheme};
use bytes::Bytes;
use h2::server::{Connection, SendResponse};
use h2::{Reason, RecvStream};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;

pub(crate) struct Http2Peer {
    port: u16,
    counts: Arc<PeerCounts>,
}

#[derive(Default)]
struct PeerCounts {
    connections: AtomicUsize,
    resets: AtomicUsize,
    closed: AtomicUsize,
    requests: AtomicUsize,
}

impl Http2Peer {
    pub(crate) fn start() -> Self {
        Self::serve(100, None)
    }

    /// A server that takes this many requests at once on a connection.
    pub(crate) fn taking(requests: u32) -> Self {
        Self::serve(requests, None)
    }

    pub(crate) fn secure(protocols: &[&[u8]]) -> Self {
        Self::serve(100, Some(crate::secure::server(protocols).into()))
    }

    pub(crate) fn origin(&self) -> Origin {
        Origin { scheme: Scheme::Http, host: "127.0.0.1".into(), port: self.port }
    }

    pub(crate) fn connections(&self) -> usize {
        self.counts.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn resets(&self) -> usize {
        self.counts.resets.load(Ordering::SeqCst)
    }

    /// Connections that have ended.
    pub(crate) fn closed(&self) -> usize {
        self.counts.closed.load(Ordering::SeqCst)
    }

    /// Requests that it saw, refused ones too.
    pub(crate) fn requests(&self) -> usize {
        self.counts.requests.load(Ordering::SeqCst)
    }

    fn serve(requests: u32, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let counts = Arc::new(PeerCounts::default());
        let shared = Arc::clone(&counts);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                while let Ok((socket, _)) = listener.accept().await {
                    socket.set_nodelay(true).unwrap();
                    shared.connections.fetch_add(1, Ordering::SeqCst);
                    let (counts, tls) = (Arc::clone(&shared), tls.clone());
                    tokio::spawn(async move {
                        match tls {
                            None => serve_connection(socket, requests, &counts).await,
                            Some(tls) => match tls.accept(socket).await {
                                Ok(socket) => serve_connection(socket, requests, &counts).await,
                                Err(_) => None,
                            },
                        };
                        counts.closed.fetch_add(1, Ordering::SeqCst);
                    });
                }
            });
        });
        Self { port, counts }
    }
}

async fn serve_connection<T>(socket: T, requests: u32, counts: &Arc<PeerCounts>) -> Option<()>
where
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut server = h2::server::Builder::new();
    let mut connection: Connection<T, Bytes> =
        server.max_concurrent_streams(requests).initial_window_size(1 << 20).handshake(socket).await.ok()?;
    while let Some(accepted) = connection.accept().await {
        let (request, respond) = accepted.ok()?;
        counts.requests.fetch_add(1, Ordering::SeqCst);
        match request.uri().path() {
            "/hang-up" => return None,
            "/goaway" => connection.graceful_shutdown(),
            _ => {}
        }
        let counts = Arc::clone(counts);
        tokio::spawn(async move {
            // A client that went away is part of the tests.
            let _ = answer(request, respond, &counts).await;
        });
    }
    Some(())
}

async fn answer(
    request: http::Request<RecvStream>,
    mut respond: SendResponse<Bytes>,
    counts: &PeerCounts,
) -> Result<(), h2::Error> {
    let (parts, mut body) = request.into_parts();
    let mut asked = Vec::new();
    while let Some(part) = body.data().await {
        let part = part?;
        body.flow_control().release_capacity(part.len())?;
        asked.extend_from_slice(&part);
    }
    assert!(!parts.headers.contains_key("connection"));
    assert_eq!(parts.uri.authority().unwrap(), "test");
    let refused = match parts.uri.path() {
        "/refuse" => true,
        "/refuse-twice" => counts.requests.load(Ordering::SeqCst) <= 2,
        _ => false,
    };
    if refused {
        respond.send_reset(Reason::REFUSED_STREAM);
        return Ok(());
    }
    let echo = parts.headers.get("x-asked").cloned().unwrap();
    let head = http::Response::builder().status(200).header("x-echo", echo);
    let head = match parts.uri.path() {
        "/moved" => head.status(307).header("location", "/echo"),
        "/gzip" => head.header("content-encoding", "gzip"),
        _ => head,
    };
    let head = head.body(()).unwrap();
    let mut stream = respond.send_response(head, false)?;
    match parts.uri.path() {
        "/break" => {
            stream.send_data(Bytes::from_static(b"half"), false)?;
            // Otherwise the reset may overtake the data in the server's own queue.
            tokio::time::sleep(Duration::from_millis(30)).await;
            stream.send_reset(Reason::INTERNAL_ERROR);
        }
        "/wait" => {
            let reason = std::future::poll_fn(|cx| stream.poll_reset(cx)).await?;
            assert_eq!(reason, Reason::CANCEL);
            counts.resets.fetch_add(1, Ordering::SeqCst);
        }
        "/moved" => stream.send_data(Bytes::from_static(b"go there"), true)?,
        "/gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            for part in 0..3 {
                if part > 0 {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                encoder.write_all(format!("part {part} ").as_bytes()).unwrap();
                encoder.flush().unwrap();
                stream.send_data(Bytes::from(std::mem::take(encoder.get_mut())), false)?;
            }
            stream.send_data(Bytes::from(encoder.finish().unwrap()), true)?;
        }
        "/slow" => {
            tokio::time::sleep(Duration::from_millis(150)).await;
            stream.send_data(Bytes::from_static(b"slow"), true)?;
        }
        "/echo" => {
            let mut left = Bytes::from(asked);
            while !left.is_empty() {
                stream.reserve_capacity(left.len());
                let room = std::future::poll_fn(|cx| stream.poll_capacity(cx)).await.unwrap()?;
                let part = left.split_to(room.min(left.len()));
                stream.send_data(part, left.is_empty())?;
            }
        }
        _ => {
            for part in 0..3 {
                if part > 0 {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                stream.send_data(Bytes::from(format!("part {part} ")), false)?;
            }
            stream.send_data(Bytes::new(), true)?;
        }
    }
    Ok(())
}
