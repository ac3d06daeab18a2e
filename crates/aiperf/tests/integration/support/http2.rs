//! A chat server that speaks HTTP/2 only: three tokens, [`TOKEN_GAP`] apart.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use h2::RecvStream;
use h2::server::SendResponse;

/// Far above what a client is late by, so that it reads each token by itself.
pub(crate) const TOKEN_GAP: Duration = Duration::from_millis(60);

pub(crate) struct Http2Server {
    pub(crate) addr: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
}

impl Http2Server {
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Those that it refused too.
    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

pub(crate) fn http2_server() -> Http2Server {
    serve(false)
}

/// Refuses every second request before it looks at it.
pub(crate) fn refusing_http2_server() -> Http2Server {
    serve(true)
}

fn serve(refuses: bool) -> Http2Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let addr = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let requests = Arc::new(AtomicUsize::new(0));
    let (counted, asked) = (Arc::clone(&connections), Arc::clone(&requests));
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            while let Ok((socket, _)) = listener.accept().await {
                socket.set_nodelay(true).unwrap();
                counted.fetch_add(1, Ordering::SeqCst);
                let asked = Arc::clone(&asked);
                tokio::spawn(async move {
                    let mut connection = h2::server::handshake(socket).await?;
                    while let Some(Ok((request, mut respond))) = connection.accept().await {
                        if asked.fetch_add(1, Ordering::SeqCst) % 2 == 1 && refuses {
                            respond.send_reset(h2::Reason::REFUSED_STREAM);
                        } else {
                            tokio::spawn(answer(request, respond));
                        }
                    }
                    Ok::<_, h2::Error>(())
                });
            }
        });
    });
    Http2Server { addr, connections, requests }
}

async fn answer(request: http::Request<RecvStream>, mut respond: SendResponse<Bytes>) -> Result<(), h2::Error> {
    let (parts, mut body) = request.into_parts();
    assert_eq!(parts.uri.path(), "/v1/chat/completions");
    while let Some(part) = body.data().await {
        body.flow_control().release_capacity(part?.len())?;
    }
    let head = http::Response::builder().header("content-type", "text/event-stream").body(()).unwrap();
    let mut stream = respond.send_response(head, false)?;
    for index in 0..3 {
        if index > 0 {
            tokio::time::sleep(TOKEN_GAP).await;
        }
        let finish = if index == 2 { r#""stop""# } else { "null" };
        let event = format!(
            "data: {{\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\" a\"}},\"finish_reason\":{finish}}}]}}\n\n"
        );
        stream.send_data(Bytes::from(event), false)?;
    }
    stream.send_data(Bytes::from_static(b"data: [DONE]\n\n"), true)
}
