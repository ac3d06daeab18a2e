//! The times of an exchange when the thread that reads is held up: plain and under TLS.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod secure;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use aiperf_address::{ConnectionUse, HttpVersion, Origin, Scheme, TlsOptions, Verification};
use aiperf_clock::{Mono, Nanos, StampSource};
use aiperf_socket::Stamping;
use aiperf_test_server::read_request;
use aiperf_transport::{Client, ClientSettings, Exchange, ExchangeObserver, Request, TlsSettings};
use bytes::Bytes;

const HELD_UP: Duration = Duration::from_millis(60);
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// Blocks the thread once the request is out, as another request's work would.
struct HeldUp;

impl ExchangeObserver for HeldUp {
    fn sent(&self, _at: Mono) {
        thread::sleep(HELD_UP);
    }
}

/// Answers one request at once and says when.
fn answer(mut peer: impl Read + Write) -> Mono {
    read_request(&mut peer, 1).unwrap();
    let written = Mono::now();
    peer.write_all(ANSWER).unwrap();
    peer.flush().unwrap();
    written
}

fn ask(origin: &Origin, tls: Option<TlsSettings>, stamping: Stamping) -> Exchange {
    let client = Client::new(ClientSettings { tls, stamping, ..ClientSettings::default() });
    let request = Request::post(origin, "/", [("Host", "test")], Bytes::from_static(b"{}"));
    let mut exchange = Exchange::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(client.send(&request, ConnectionUse::Pooled, &mut exchange, &HeldUp)).unwrap();
    assert_eq!(exchange.body, b"ok");
    exchange
}

fn at(scheme: Scheme, port: u16) -> Origin {
    Origin { scheme, host: "127.0.0.1".into(), port }
}

fn kernel_stamps() -> Stamping {
    let stamping = Stamping::start();
    thread::sleep(Duration::from_millis(50));
    stamping
}

#[track_caller]
fn assert_true_to(written: Mono, exchange: &Exchange) {
    let mark = exchange.marks[0];
    assert_eq!(mark.source, StampSource::Kernel);
    let (slack, held_up) = (Nanos(10_000_000), Nanos::from(HELD_UP));
    assert!(mark.at + Nanos(100_000) >= written && mark.at <= written + slack, "{mark:?} {written:?}");
    assert!(mark.read_at.since(mark.at) + slack >= held_up, "{mark:?}");
    assert_eq!(exchange.trace.headers_received, Some(mark.at));
    assert!(Some(mark.at) >= exchange.trace.send_start);
}

#[test]
#[cfg(target_os = "linux")]
fn an_answer_is_stamped_when_it_arrives_however_late_it_is_read() {
    let stamping = kernel_stamps();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || answer(listener.accept().unwrap().0));
    let exchange = ask(&at(Scheme::Http, port), None, stamping);
    assert_true_to(server.join().unwrap(), &exchange);
}

#[test]
#[cfg(target_os = "linux")]
fn the_same_under_tls() {
    let stamping = kernel_stamps();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let config = secure::server(&[b"http/1.1"]);
    let server = thread::spawn(move || {
        let session = rustls::ServerConnection::new(config).unwrap();
        answer(rustls::StreamOwned::new(session, listener.accept().unwrap().0))
    });
    let tls =
        TlsSettings::new(TlsOptions { verification: Verification::Off, ..TlsOptions::default() }, HttpVersion::Http1)
            .unwrap();
    let exchange = ask(&at(Scheme::Https, port), Some(tls), stamping);
    assert!(exchange.trace.tls.is_some());
    assert_true_to(server.join().unwrap(), &exchange);
}

#[test]
fn without_kernel_stamps_the_time_of_the_read_is_taken() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || answer(listener.accept().unwrap().0));
    let exchange = ask(&at(Scheme::Http, port), None, Stamping::user());
    server.join().unwrap();
    let mark = exchange.marks[0];
    assert_eq!((mark.source, mark.at), (StampSource::User, mark.read_at));
}
