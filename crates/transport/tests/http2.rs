//! HTTP/2 against a real server of the same protocol: sharing, times, resets, GOAWAY.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test stops at the first surprise")]

mod peer;
mod secure;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use aiperf_address::{ConnectionUse, HttpVersion, Origin, Scheme, TlsOptions, Verification};
use aiperf_clock::{Mono, Nanos, StampSource};
use aiperf_socket::Stamping;
use aiperf_transport::{
    Client, ClientSettings, Exchange, ExchangeObserver, NoObserver, Request, Resend, TlsSettings, TransportError,
};
use bytes::Bytes;
use peer::Http2Peer;

fn settings() -> ClientSettings {
    ClientSettings { http_version: HttpVersion::Http2, stamping: Stamping::start(), ..ClientSettings::default() }
}

fn on_runtime<F: Future>(body: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, body)
}

/// Waits for what another thread does. One that never does it fails the test.
async fn until(done: impl Fn() -> bool) {
    let poll = async {
        while !done() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), poll).await.expect("it happens within 30 s");
}

type ExchangeResult = (Exchange, Result<(), TransportError>);

async fn send(
    client: &Client,
    origin: &Origin,
    path: &str,
    reuse: ConnectionUse<'_>,
    body: Bytes,
    watch: &dyn ExchangeObserver,
) -> ExchangeResult {
    let headers = [("Host", "test"), ("Connection", "close"), ("X-Asked", "yes")];
    let request = Request::post(origin, path, headers, body);
    let mut exchange = Exchange::default();
    let result = client.send(&request, reuse, &mut exchange, watch).await;
    (exchange, result)
}

async fn ask(client: &Client, origin: &Origin, path: &str) -> ExchangeResult {
    send(client, origin, path, ConnectionUse::Pooled, Bytes::from_static(b"{}"), &NoObserver).await
}

#[test]
fn requests_at_once_share_a_connection_and_keep_their_own_times() {
    let peer = Http2Peer::start();
    let origin = peer.origin();
    on_runtime(async {
        let client = Rc::new(Client::new(settings()));
        let tasks: Vec<_> = (0..20)
            .map(|_| {
                let (client, origin) = (Rc::clone(&client), origin.clone());
                tokio::task::spawn_local(async move { ask(&client, &origin, "/stream").await })
            })
            .collect();
        let mut reused = 0;
        for task in tasks {
            let (exchange, result) = task.await.unwrap();
            result.unwrap();
            assert_eq!((exchange.status, exchange.body.as_slice()), (Some(200), &b"part 0 part 1 part 2 "[..]));
            assert_eq!(exchange.header("x-echo"), Some("yes"));
            let trace = &exchange.trace;
            assert_eq!((trace.body_bytes_sent, trace.writes), (2, 1));
            assert_eq!(exchange.marks.len(), 3);
            let stamps = [trace.send_start.unwrap(), trace.headers_received.unwrap(), exchange.marks[0].at];
            assert!(stamps.is_sorted() && exchange.marks.is_sorted_by_key(|mark| mark.at), "{stamps:?}");
            assert!(trace.send_end >= trace.send_start && trace.local.is_some());
            // The parts leave the server 10 ms apart, and none is stamped before it can have come.
            for (mark, earliest) in exchange.marks.iter().zip([0, 9_000_000, 18_000_000]) {
                let after = mark.at.since(stamps[0]);
                assert!(after >= Nanos(earliest), "{after:?}");
            }
            reused += usize::from(trace.reused);
        }
        assert_eq!((peer.connections(), reused), (1, 19));
    });
}

#[test]
fn a_request_that_the_server_resets_fails_alone() {
    let peer = Http2Peer::start();
    let origin = peer.origin();
    on_runtime(async {
        let client = Client::new(settings());
        let (exchange, result) = ask(&client, &origin, "/refuse").await;
        assert!(matches!(result, Err(TransportError::NotTaken(_))) && exchange.status.is_none(), "{result:?}");
        assert_eq!((exchange.resent, peer.requests()), (3, 4), "a server that always refuses is not asked for ever");
        let (exchange, result) = ask(&client, &origin, "/break").await;
        assert!(matches!(result, Err(TransportError::Truncated(_))), "{result:?}");
        assert_eq!(exchange.body, b"half");
        ask(&client, &origin, "/stream").await.1.unwrap();
        assert_eq!(peer.connections(), 1);
    });
}

#[test]
fn after_a_goaway_requests_go_over_another_connection() {
    let peer = Http2Peer::start();
    let origin = peer.origin();
    on_runtime(async {
        let client = Client::new(settings());
        ask(&client, &origin, "/goaway").await.1.unwrap();
        // The server ends the connection only when the client has answered its GOAWAY.
        until(|| peer.closed() == 1).await;
        let (exchange, result) = ask(&client, &origin, "/stream").await;
        result.unwrap();
        assert!(!exchange.trace.reused);
        assert_eq!(peer.connections(), 2);
        let (_, result) = ask(&client, &origin, "/hang-up").await;
        assert!(matches!(result, Err(TransportError::Disconnected | TransportError::Reset(_))), "{result:?}");
        ask(&client, &origin, "/stream").await.1.unwrap();
    });
}

#[test]
fn giving_up_a_request_resets_it_and_nothing_else() {
    let peer = Http2Peer::start();
    let origin = peer.origin();
    on_runtime(async {
        let client = Client::new(settings());
        let (given_up, kept) = tokio::join!(
            tokio::time::timeout(Duration::from_millis(60), ask(&client, &origin, "/wait")),
            ask(&client, &origin, "/slow")
        );
        assert!(given_up.is_err());
        kept.1.unwrap();
        until(|| peer.resets() == 1).await;
        assert_eq!(peer.connections(), 1);
    });
}

#[test]
fn a_request_beyond_what_the_server_takes_says_how_long_it_waited() {
    let peer = Http2Peer::taking(1);
    let origin = peer.origin();
    on_runtime(async {
        let client = Client::new(ClientSettings { connection_limit: 1, ..settings() });
        ask(&client, &origin, "/stream").await.1.unwrap();
        let (first, second) = tokio::join!(ask(&client, &origin, "/slow"), ask(&client, &origin, "/stream"));
        first.1.unwrap();
        second.1.unwrap();
        assert!(first.0.trace.blocked.is_none());
        let blocked = second.0.trace.blocked.unwrap();
        assert!(blocked.length() >= Nanos(80_000_000), "{blocked:?}");
        assert!(second.0.trace.send_start.unwrap() >= first.0.last_body_byte().unwrap());
        assert_eq!(peer.connections(), 1);
    });
}

#[test]
fn connections_are_kept_by_the_strategy_asked_for() {
    let peer = Http2Peer::start();
    let origin = peer.origin();
    on_runtime(async {
        let client = Client::new(settings());
        let sticky = |is_last| ConnectionUse::Sticky { key: "a", is_last };
        let plan = [
            (ConnectionUse::Never, 1),
            (ConnectionUse::Never, 2),
            (sticky(false), 3),
            (sticky(true), 3),
            (sticky(false), 4),
        ];
        for (reuse, connections) in plan {
            let (_, result) = send(&client, &origin, "/stream", reuse, Bytes::from_static(b"{}"), &NoObserver).await;
            result.unwrap();
            assert_eq!(peer.connections(), connections, "{reuse:?}");
        }
    });
}

#[test]
fn large_bodies_pass_in_both_directions() {
    let peer = Http2Peer::start();
    let origin = peer.origin();
    on_runtime(async {
        let client = Client::new(settings());
        let body: Vec<u8> = (0..2_000_000).map(|n| (n % 251) as u8).collect();
        let sent = Bytes::from(body.clone());
        let (exchange, result) = send(&client, &origin, "/echo", ConnectionUse::Pooled, sent, &NoObserver).await;
        result.unwrap();
        assert!(exchange.body == body);
        assert_eq!(exchange.trace.body_bytes_sent, body.len() as u64);
        assert_eq!(exchange.marks.last().unwrap().end, body.len());
    });
}

/// Blocks the thread once the request is out, as another request's work would.
struct Busy;

impl ExchangeObserver for Busy {
    fn sent(&self, _at: Mono) {
        thread::sleep(Duration::from_millis(60));
    }
}

fn assert_stamped_before_it_was_read(exchange: &Exchange) {
    let mark = exchange.marks[0];
    assert_eq!(mark.source, StampSource::Kernel);
    assert!(mark.read_at.since(mark.at) >= Nanos(40_000_000), "{mark:?}");
    assert!(Some(mark.at) >= exchange.trace.send_start);
}

#[test]
#[cfg(target_os = "linux")]
fn an_answer_is_stamped_when_it_arrives_however_late_it_is_read() {
    let peer = Http2Peer::start();
    let origin = peer.origin();
    on_runtime(async {
        let client = Client::new(settings());
        ask(&client, &origin, "/stream").await.1.unwrap();
        let (exchange, result) =
            send(&client, &origin, "/echo", ConnectionUse::Pooled, Bytes::from_static(b"{}"), &Busy).await;
        result.unwrap();
        assert_stamped_before_it_was_read(&exchange);
    });
}

#[test]
fn a_packed_stream_keeps_the_time_of_each_part() {
    let peer = Http2Peer::start();
    let origin = peer.origin();
    on_runtime(async {
        let client = Client::new(settings());
        let (exchange, result) = ask(&client, &origin, "/gzip").await;
        result.unwrap();
        assert_eq!(exchange.body, b"part 0 part 1 part 2 ");
        assert_eq!(exchange.marks.iter().map(|mark| mark.end).collect::<Vec<_>>(), [7, 14, 21]);
        // A busy machine may bring two parts together, but hardly all three.
        let span = exchange.marks[2].at.since(exchange.marks[0].at);
        assert!(span >= Nanos(5_000_000), "{span:?}");
    });
}

#[test]
fn a_redirect_is_followed_on_the_same_connection() {
    let peer = Http2Peer::start();
    let origin = peer.origin();
    on_runtime(async {
        let client = Client::new(settings());
        let body = Bytes::from_static(b"{}");
        let (exchange, result) = send(&client, &origin, "/moved", ConnectionUse::Pooled, body, &NoObserver).await;
        result.unwrap();
        assert_eq!((exchange.status, exchange.body.as_slice()), (Some(200), &b"{}"[..]));
        assert_eq!((exchange.redirects.len(), exchange.redirects[0].status), (1, 307));
        assert_eq!(peer.connections(), 1);
    });
}

#[test]
fn the_version_is_agreed_on_under_tls() {
    let peer = Http2Peer::secure(&[b"h2"]);
    let origin = Origin { scheme: Scheme::Https, ..peer.origin() };
    let tls = || {
        Some(
            TlsSettings::new(
                TlsOptions { verification: Verification::Off, ..TlsOptions::default() },
                HttpVersion::Http2,
            )
            .unwrap(),
        )
    };
    on_runtime(async {
        let client = Client::new(ClientSettings { tls: tls(), ..settings() });
        ask(&client, &origin, "/stream").await.1.unwrap();
        let (exchange, result) =
            send(&client, &origin, "/echo", ConnectionUse::Pooled, Bytes::from_static(b"{}"), &Busy).await;
        result.unwrap();
        assert!(exchange.trace.reused);
        if cfg!(target_os = "linux") {
            assert_stamped_before_it_was_read(&exchange);
        }

        let silent = Http2Peer::secure(&[]);
        let origin = Origin { scheme: Scheme::Https, ..silent.origin() };
        let client = Client::new(ClientSettings { tls: tls(), ..settings() });
        let error = ask(&client, &origin, "/stream").await.1.unwrap_err().to_string();
        assert!(error.contains("--http-version 1.1"), "{error}");
    });
}

#[test]
fn a_server_of_the_old_version_is_a_failure_and_not_a_hang() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let _ = socket.read(&mut [0; 4096]);
        let _ = socket.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    });
    let origin = Origin { scheme: Scheme::Http, host: "127.0.0.1".into(), port };
    let (_, result) = on_runtime(async { ask(&Client::new(settings()), &origin, "/").await });
    assert!(matches!(result, Err(TransportError::NotHttp2(_) | TransportError::Disconnected)), "{result:?}");
}

#[test]
fn a_request_that_the_server_refused_is_sent_again() {
    let peer = Http2Peer::start();
    let origin = peer.origin();
    on_runtime(async {
        let (exchange, result) = ask(&Client::new(settings()), &origin, "/refuse-twice").await;
        result.unwrap();
        assert_eq!((exchange.status, exchange.resent, peer.requests()), (Some(200), 2, 3));
        assert!(exchange.trace.lost.is_some());
        let never = Client::new(ClientSettings { resend: Resend::Never, ..settings() });
        let (exchange, result) = ask(&never, &origin, "/refuse").await;
        let text = result.unwrap_err().to_string();
        assert!(text.contains("did not take the request") && text.contains("REFUSED_STREAM"), "{text}");
        assert_eq!((exchange.resent, peer.requests()), (0, 4));
    });
}

/// Takes no request on its first connection: it sends GOAWAY with a last stream of 0 once the request is there. Answers on
/// the second.
fn goaway_before_the_first_request() -> Origin {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let frame = |kind: u8, flags: u8, stream: u8, payload: &[u8]| {
            [&[0, 0, payload.len() as u8, kind, flags, 0, 0, 0, stream][..], payload].concat()
        };
        let settings = frame(4, 0, 0, b"");
        // Status 200 is entry 8 of the static table.
        let answer = [settings.clone(), frame(1, 4, 1, &[0x88]), frame(0, 1, 1, b"ok")].concat();
        let goaway = [settings, frame(7, 0, 0, &[0; 8])].concat();
        let mut kept = Vec::new();
        for reply in [goaway, answer] {
            let (mut socket, _) = listener.accept().unwrap();
            let (mut seen, mut buffer) = (Vec::new(), [0_u8; 4096]);
            while !seen.windows(2).any(|pair| pair == b"{}") {
                let count = socket.read(&mut buffer).unwrap();
                seen.extend_from_slice(&buffer[..count]);
            }
            socket.write_all(&reply).unwrap();
            kept.push(socket);
        }
        thread::sleep(Duration::from_secs(10));
    });
    Origin { scheme: Scheme::Http, host: "127.0.0.1".into(), port }
}

#[test]
fn a_request_after_the_last_that_a_goaway_names_is_sent_again_elsewhere() {
    on_runtime(async {
        let (exchange, result) = ask(&Client::new(settings()), &goaway_before_the_first_request(), "/").await;
        result.unwrap();
        assert_eq!((&exchange.body[..], exchange.resent), (&b"ok"[..], 1));
        assert!(!exchange.trace.reused && exchange.trace.lost.is_some());
        let never = Client::new(ClientSettings { resend: Resend::Never, ..settings() });
        let text = ask(&never, &goaway_before_the_first_request(), "/").await.1.unwrap_err().to_string();
        assert_eq!(text, "the server did not take the request: it is closing the connection (HTTP/2 GOAWAY)");
    });
}

#[test]
fn a_server_that_speaks_something_else_is_told_by_its_first_bytes() {
    for (answer, words) in [
        (&b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"[..], "--http-version 1.1"),
        (b"\x15\x03\x01\x00\x02\x02\x46", "https:// instead?"),
        (b"SSH-2.0-OpenSSH_9\r\n", "does not speak it on this port"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let _ = socket.read(&mut [0; 4096]);
            socket.write_all(answer).unwrap();
            // The client ends it.
            while socket.read(&mut [0; 4096]).is_ok_and(|count| count > 0) {}
        });
        let origin = Origin { scheme: Scheme::Http, host: "127.0.0.1".into(), port };
        let text = on_runtime(async { ask(&Client::new(settings()), &origin, "/").await.1.unwrap_err().to_string() });
        assert!(text.starts_with("not an HTTP/2 response: ") && text.ends_with(words), "{text}");
    }
}
