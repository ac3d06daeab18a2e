//! Which connection a request goes over, and what becomes of it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use aiperf_address::Scheme;
use aiperf_test_server::read_request;
use bytes::Bytes;

use super::*;
use crate::observer::NoObserver;

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// Serves the given answers, each on the connection it names, and counts the connections.
fn serve(plan: Vec<Vec<&'static [u8]>>) -> Origin {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for answers in plan {
            let (mut socket, _) = listener.accept().unwrap();
            for answer in answers {
                if read_request(&mut socket, 1).is_none() {
                    return;
                }
                socket.write_all(answer).unwrap();
            }
        }
    });
    Origin { scheme: Scheme::Http, host: "127.0.0.1".into(), port }
}

fn exchange(origin: &Origin, client: &Client) -> (Exchange, Result<(), TransportError>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(one(origin, client, ConnectionUse::Pooled))
}

/// A machine that is slow to notice a close does not change what is resent.
fn patient() -> ClientSettings {
    ClientSettings { resend: Resend::IfLeftWithin(Nanos(30_000_000_000)), ..ClientSettings::default() }
}

async fn one(origin: &Origin, client: &Client, reuse: ConnectionUse<'_>) -> (Exchange, Result<(), TransportError>) {
    let request = Request::post(origin, "/", [("Host", "test")], Bytes::from_static(b"{}"));
    let mut exchange = Exchange::default();
    let result = client.send(&request, reuse, &mut exchange, &NoObserver).await;
    (exchange, result)
}

#[test]
fn stages_are_stamped_in_order_and_the_connection_is_reused() {
    let origin = serve(vec![vec![OK, OK]]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Client::new(ClientSettings::default());
        let before = Mono::now();
        let (first, result) = one(&origin, &client, ConnectionUse::Pooled).await;
        result.unwrap();
        let trace = &first.trace;
        let connect = trace.connect.unwrap();
        let stamps = [
            before,
            connect.start,
            connect.end,
            trace.send_start.unwrap(),
            trace.send_end.unwrap(),
            trace.headers_received.unwrap(),
            first.first_body_byte().unwrap(),
        ];
        assert!(stamps.is_sorted(), "{stamps:?}");
        assert!(!trace.reused);
        assert_eq!((trace.body_bytes_sent, trace.writes), (2, 1));
        let (second, result) = one(&origin, &client, ConnectionUse::Pooled).await;
        result.unwrap();
        assert!(second.trace.reused && second.trace.connect.is_none());
    });
}

#[test]
fn a_session_keeps_its_own_connection_until_its_last_request() {
    let origin = serve(vec![vec![OK, OK], vec![OK]]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Client::new(ClientSettings::default());
        let turn = |is_last| ConnectionUse::Sticky { key: "a", is_last };
        assert!(!one(&origin, &client, turn(false)).await.0.trace.reused);
        assert!(one(&origin, &client, turn(true)).await.0.trace.reused);
        assert!(!one(&origin, &client, ConnectionUse::Never).await.0.trace.reused);
        assert!(client.sticky.borrow().is_empty() && client.idle.borrow().is_empty());
    });
}

#[test]
fn a_connection_that_the_server_closed_is_replaced() {
    let origin = serve(vec![vec![OK], vec![OK]]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Client::new(ClientSettings::default());
        one(&origin, &client, ConnectionUse::Pooled).await.1.unwrap();
        // The server side closes after its answers; wait until that has reached this side.
        while client.idle.borrow()[&origin][0].connection.is_alive() {
            tokio::task::yield_now().await;
        }
        let (second, result) = one(&origin, &client, ConnectionUse::Pooled).await;
        result.unwrap();
        assert!(!second.trace.reused);
    });
}

/// Answers the first request of each connection, takes in the second and closes without a word. Counts connections.
fn serve_one_answer_each() -> (Origin, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let accepted = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&accepted);
    thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            counted.fetch_add(1, Ordering::SeqCst);
            read_request(&mut socket, 1);
            socket.write_all(OK).unwrap();
            read_request(&mut socket, 1);
        }
    });
    (Origin { scheme: Scheme::Http, host: "127.0.0.1".into(), port }, accepted)
}

#[test]
fn a_request_that_meets_the_close_of_a_kept_connection_is_sent_again_over_a_new_one() {
    let (origin, accepted) = serve_one_answer_each();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Client::new(patient());
        for resent in [0, 1, 1] {
            let (exchange, result) = one(&origin, &client, ConnectionUse::Pooled).await;
            result.unwrap();
            assert_eq!(exchange.body, b"ok");
            assert!(!exchange.trace.reused && exchange.trace.connect.is_some());
            assert_eq!((exchange.trace.writes, exchange.trace.body_bytes_sent), (1, 2));
            assert_eq!(exchange.resent, resent);
            assert_eq!(exchange.trace.lost.is_some(), resent > 0, "the time of the first attempt is told");
        }
        assert_eq!(accepted.load(Ordering::SeqCst), 3);
    });
}

#[test]
fn a_new_connection_that_is_closed_without_an_answer_is_a_failure() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || read_request(&mut listener.accept().unwrap().0, 1));
    let origin = Origin { scheme: Scheme::Http, host: "127.0.0.1".into(), port };
    let (_, result) = exchange(&origin, &Client::new(ClientSettings::default()));
    assert!(matches!(result, Err(TransportError::Disconnected)), "{result:?}");
    server.join().unwrap();
}

#[test]
fn a_refused_connection_says_where_it_wanted_to_go() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let origin = Origin { scheme: Scheme::Http, host: "127.0.0.1".into(), port };
    let (_, result) = exchange(&origin, &Client::new(ClientSettings::default()));
    let text = result.unwrap_err().to_string();
    assert!(text.starts_with(&format!("cannot connect to http://127.0.0.1:{port}")), "{text}");
}

#[test]
fn an_answer_that_breaks_off_keeps_what_came() {
    let origin = serve(vec![vec![b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"]]);
    let (exchange, result) = exchange(&origin, &Client::new(ClientSettings::default()));
    assert!(matches!(result, Err(TransportError::Truncated(_))), "{result:?}");
    assert_eq!(exchange.body, b"half");
}

/// Larger than what sockets take in on the way.
const LARGE: usize = 64 << 20;
const REFUSAL: &[u8] = b"HTTP/1.1 413 Payload Too Large\r\nContent-Length: 7\r\n\r\ntoo big";

/// Reads the beginning of a request and answers; then `after` has the socket.
fn serve_early(after: impl Fn(TcpStream) + Send + 'static) -> Origin {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let _ = socket.read(&mut [0_u8; 512]);
            socket.write_all(REFUSAL).unwrap();
            after(socket);
        }
    });
    Origin { scheme: Scheme::Http, host: "127.0.0.1".into(), port }
}

async fn send_large(origin: &Origin, client: &Client) -> (Exchange, Result<(), TransportError>) {
    let request = Request::post(origin, "/", [("Host", "test")], Bytes::from(vec![b'x'; LARGE]));
    let mut exchange = Exchange::default();
    let result = client.send(&request, ConnectionUse::Pooled, &mut exchange, &NoObserver).await;
    (exchange, result)
}

#[test]
fn a_server_that_refuses_a_large_body_half_way_is_heard() {
    let kept = std::sync::Mutex::new(Vec::new());
    let origins = [
        // Reads no further and leaves the connection open.
        serve_early(move |socket| kept.lock().unwrap().push(socket)),
        // Closes with the rest unread, which breaks the connection.
        serve_early(drop),
    ];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for origin in origins {
        runtime.block_on(async {
            let client = Client::new(ClientSettings::default());
            let (exchange, result) = send_large(&origin, &client).await;
            result.unwrap();
            assert_eq!((exchange.status, &exchange.body[..]), (Some(413), &b"too big"[..]));
            assert!(exchange.trace.send_end.is_none() && exchange.trace.body_bytes_sent < LARGE as u64);
            assert!(client.idle.borrow().is_empty(), "half a request was sent over it");
        });
    }
}

#[test]
fn a_kept_connection_that_the_server_breaks_is_replaced() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = Origin { scheme: Scheme::Http, host: "127.0.0.1".into(), port: listener.local_addr().unwrap().port() };
    thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            read_request(&mut socket, 1);
            socket.write_all(OK).unwrap();
            // Closing with the rest of the next request unread resets the connection.
            let _ = socket.read(&mut [0_u8; 1]);
        }
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Client::new(patient());
        for resent in [0, 1, 1] {
            let (exchange, result) = one(&origin, &client, ConnectionUse::Pooled).await;
            result.unwrap();
            assert_eq!((&exchange.body[..], exchange.resent), (&b"ok"[..], resent));
        }
    });
}

#[test]
fn a_server_that_drops_what_it_worked_on_has_failed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = Origin { scheme: Scheme::Http, host: "127.0.0.1".into(), port: listener.local_addr().unwrap().port() };
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        read_request(&mut socket, 1);
        socket.write_all(OK).unwrap();
        read_request(&mut socket, 1);
        // Twenty times the limit: the client may be slow to note when it had sent.
        thread::sleep(std::time::Duration::from_secs(1));
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Client::new(ClientSettings::default());
        one(&origin, &client, ConnectionUse::Pooled).await.1.unwrap();
        let (exchange, result) = one(&origin, &client, ConnectionUse::Pooled).await;
        assert!(matches!(result, Err(TransportError::Disconnected)), "{result:?}");
        assert_eq!(exchange.resent, 0);
    });
}

#[test]
fn nothing_is_sent_again_when_that_is_not_wanted() {
    let (origin, _) = serve_one_answer_each();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Client::new(ClientSettings { resend: Resend::Never, ..ClientSettings::default() });
        one(&origin, &client, ConnectionUse::Pooled).await.1.unwrap();
        let (exchange, result) = one(&origin, &client, ConnectionUse::Pooled).await;
        assert!(matches!(result, Err(TransportError::Disconnected | TransportError::Severed(_))), "{result:?}");
        assert_eq!((exchange.resent, exchange.trace.lost), (0, None));
        assert!(exchange.trace.reused);
    });
}

#[test]
fn the_stages_of_a_resent_request_add_up_to_its_time() {
    let (origin, _) = serve_one_answer_each();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Client::new(patient());
        one(&origin, &client, ConnectionUse::Pooled).await.1.unwrap();
        let start = Mono::now();
        let (exchange, result) = one(&origin, &client, ConnectionUse::Pooled).await;
        result.unwrap();
        let trace = &exchange.trace;
        let begun = trace.connect.unwrap().start;
        assert!(start + trace.lost.unwrap() <= begun, "the lost time ends before the second attempt begins");
        let all = exchange.last_body_byte().unwrap().since(start);
        let since_second = exchange.last_body_byte().unwrap().since(begun);
        assert!(trace.lost.unwrap() + since_second <= all);
    });
}
