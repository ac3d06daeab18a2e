//! HTTP over a Unix socket.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::io::Write;
use std::os::unix::net::UnixListener;
use std::thread;

use aiperf_address::{ConnectionUse, Origin, Scheme};
use aiperf_clock::StampSource;
use aiperf_socket::Stamping;
use aiperf_test_server::read_request;
use aiperf_transport::{Client, ClientSettings, Exchange, NoObserver, Request};
use bytes::Bytes;

#[test]
fn an_exchange_over_a_unix_socket_has_its_whole_trace_and_the_connection_is_reused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server.sock");
    let listener = UnixListener::bind(&path).unwrap();
    thread::spawn(move || {
        let (mut peer, _) = listener.accept().unwrap();
        for _ in 0..2 {
            read_request(&mut peer, 1).unwrap();
            peer.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap();
        }
    });
    let origin = Origin { scheme: Scheme::Unix, host: path.to_str().unwrap().to_owned(), port: 0 };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Client::new(ClientSettings { stamping: Stamping::start(), ..ClientSettings::default() });
        for reused in [false, true] {
            let request = Request::post(&origin, "/", [("Host", "localhost")], Bytes::from_static(b"{}"));
            let mut exchange = Exchange::default();
            client.send(&request, ConnectionUse::Pooled, &mut exchange, &NoObserver).await.unwrap();
            assert_eq!((exchange.body.as_slice(), exchange.trace.reused), (&b"ok"[..], reused));
            assert_eq!(exchange.trace.connect.is_none(), reused);
            assert!(exchange.trace.send_end.is_some() && exchange.marks[0].source == StampSource::User);
        }
        let nobody = Origin { host: "/nowhere/server.sock".into(), ..origin.clone() };
        let request = Request::post(&nobody, "/", [("Host", "localhost")], Bytes::new());
        let sent = client.send(&request, ConnectionUse::Pooled, &mut Exchange::default(), &NoObserver).await;
        let error = sent.unwrap_err().to_string();
        assert!(error.starts_with("cannot connect to unix:/nowhere/server.sock"), "{error}");
    });
}
