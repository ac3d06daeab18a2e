//! Streamed responses that are received together: their bytes, marks, ends and failures are those of a response that is
//! received alone, and a request that is given up keeps what had arrived.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod secure;

use std::cell::Cell;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::rc::{Rc, Weak};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use aiperf_address::{ConnectionUse, HttpVersion, Origin, Scheme, TlsOptions, Verification};
use aiperf_clock::ReadStamp;
use aiperf_test_server::read_request;
use aiperf_transport::{
    Client, ClientSettings, Exchange, ExchangeObserver, NoObserver, Request, TlsSettings, TransportError,
};
use bytes::Bytes;
use tokio::runtime::LocalOptions;

const HEAD: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// What a server does next.
enum Step {
    Write(&'static str),
    Close,
}

/// Counts reads, and asks for the next step of the server after each: every read brings what one step wrote.
struct Reads {
    itself: Weak<Self>,
    count: Cell<usize>,
    next: Sender<()>,
}

impl Reads {
    fn new(next: Sender<()>) -> Rc<Self> {
        Rc::new_cyclic(|itself| Self { itself: Weak::clone(itself), count: Cell::new(0), next })
    }
}

impl ExchangeObserver for Reads {
    fn shared(&self) -> Option<Rc<dyn ExchangeObserver>> {
        self.itself.upgrade().map(|reads| reads as Rc<dyn ExchangeObserver>)
    }

    fn read(&self, _stamp: ReadStamp, _exchange: &mut Exchange) {
        self.count.set(self.count.get() + 1);
        let _ = self.next.send(());
    }
}

fn play(mut peer: impl Read + Write, rounds: Vec<Vec<Step>>, go_on: &Receiver<()>) {
    for steps in rounds {
        if read_request(&mut peer, 1).is_none() {
            return;
        }
        for (number, step) in steps.into_iter().enumerate() {
            if number > 0 && go_on.recv().is_err() {
                return;
            }
            match step {
                Step::Write(text) => {
                    let _ = peer.write_all(text.as_bytes());
                    let _ = peer.flush();
                }
                Step::Close => return,
            }
        }
        // Of the read that ended the response.
        let _ = go_on.recv();
    }
}

fn settings() -> ClientSettings {
    let options = TlsOptions { verification: Verification::Off, ..TlsOptions::default() };
    ClientSettings { tls: Some(TlsSettings::new(options, HttpVersion::Http1).unwrap()), ..ClientSettings::default() }
}

/// A server that plays the steps of one request after the other on one connection, and what tells it to go on.
fn serve(scheme: Scheme, rounds: Vec<Vec<Step>>) -> (Origin, Sender<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (next, go_on) = channel();
    thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        socket.set_nodelay(true).unwrap();
        if scheme == Scheme::Https {
            let session = rustls::ServerConnection::new(secure::server(&[b"http/1.1"])).unwrap();
            play(rustls::StreamOwned::new(session, socket), rounds, &go_on);
        } else {
            play(socket, rounds, &go_on);
        }
    });
    (Origin { scheme, host: "127.0.0.1".into(), port }, next)
}

/// Runs `body` while the client receives.
fn with_receiver<F: Future>(client: &Rc<Client>, body: F) -> F::Output {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_io().build_local(LocalOptions::default()).unwrap();
    let receives = Rc::clone(client);
    runtime.block_on(async {
        tokio::task::spawn_local(async move { receives.receive().await });
        body.await
    })
}

async fn send(
    client: &Client,
    origin: &Origin,
    observer: &dyn ExchangeObserver,
) -> (Exchange, Result<(), TransportError>) {
    let request = Request::post(origin, "/", [("Host", "test")], Bytes::from_static(b"{}"));
    let mut exchange = Exchange::default();
    let result = client.send(&request, ConnectionUse::Pooled, &mut exchange, observer).await;
    (exchange, result)
}

fn three_chunks() -> Vec<Step> {
    vec![Step::Write(HEAD), Step::Write("1\r\na\r\n"), Step::Write("2\r\nbc\r\n"), Step::Write("1\r\nd\r\n0\r\n\r\n")]
}

#[test]
fn a_stream_is_received_chunk_by_chunk_and_its_connection_is_used_again() {
    for scheme in [Scheme::Http, Scheme::Https] {
        let (origin, next) = serve(scheme, vec![three_chunks(), three_chunks()]);
        let client = Rc::new(Client::new(settings()));
        with_receiver(&client, async {
            for is_reused in [false, true] {
                let reads = Reads::new(next.clone());
                let (exchange, result) = send(&client, &origin, &*reads).await;
                result.unwrap();
                assert_eq!(exchange.body, b"abcd");
                let ends: Vec<usize> = exchange.marks.iter().map(|mark| mark.end).collect();
                assert_eq!((ends, reads.count.get()), (vec![1, 3, 4], 4), "{scheme:?}");
                assert!(exchange.marks.is_sorted_by_key(|mark| mark.at));
                assert_eq!((exchange.status, exchange.trace.reused), (Some(200), is_reused));
            }
        });
    }
}

#[test]
fn many_streams_do_not_mix() {
    let streams: Vec<_> = (0..200).map(|_| serve(Scheme::Http, vec![three_chunks()])).collect();
    let client = Rc::new(Client::new(settings()));
    with_receiver(&client, async {
        let tasks: Vec<_> = streams
            .into_iter()
            .map(|(origin, next)| {
                let client = Rc::clone(&client);
                tokio::task::spawn_local(async move { send(&client, &origin, &*Reads::new(next)).await })
            })
            .collect();
        for task in tasks {
            let (exchange, result) = task.await.unwrap();
            result.unwrap();
            assert_eq!((exchange.body.as_slice(), exchange.marks.len()), (&b"abcd"[..], 3));
        }
    });
}

#[test]
fn a_response_that_breaks_off_fails_with_what_had_arrived() {
    let steps = vec![Step::Write(HEAD), Step::Write("1\r\na\r\n"), Step::Close];
    let (origin, next) = serve(Scheme::Http, vec![steps]);
    let client = Rc::new(Client::new(settings()));
    with_receiver(&client, async {
        let (exchange, result) = send(&client, &origin, &*Reads::new(next)).await;
        assert!(matches!(result, Err(TransportError::Truncated(_))), "{result:?}");
        assert_eq!(exchange.body, b"a");
    });
}

#[test]
fn a_request_that_is_given_up_keeps_what_had_arrived_and_leaves_its_place_to_others() {
    let (origin, next) = serve(Scheme::Http, vec![vec![Step::Write(HEAD), Step::Write("1\r\na\r\n"), Step::Write("")]]);
    let client = Rc::new(Client::new(settings()));
    with_receiver(&client, async {
        let reads = Reads::new(next);
        let request = Request::post(&origin, "/", [("Host", "test")], Bytes::from_static(b"{}"));
        let mut exchange = Exchange::default();
        tokio::select! {
            biased;
            _ = client.send(&request, ConnectionUse::Pooled, &mut exchange, &*reads) => panic!("it has no end"),
            () = async { while reads.count.get() < 2 { tokio::task::yield_now().await } } => {}
        }
        assert_eq!((exchange.body.as_slice(), exchange.status), (&b"a"[..], Some(200)));
        let (other, next) = serve(Scheme::Http, vec![three_chunks()]);
        let (exchange, result) = send(&client, &other, &*Reads::new(next)).await;
        result.unwrap();
        assert_eq!(exchange.body, b"abcd");
    });
}

#[test]
fn a_response_that_comes_in_one_read_needs_no_receiver() {
    let (origin, _next) =
        serve(Scheme::Http, vec![vec![Step::Write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]]);
    let client = Client::new(settings());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    runtime.block_on(async {
        let (next, _) = channel();
        let (exchange, result) = send(&client, &origin, &*Reads::new(next)).await;
        result.unwrap();
        assert_eq!(exchange.body, b"ok");
    });
}

#[test]
fn without_a_shared_observer_a_stream_is_received_by_its_own_task() {
    let whole = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n";
    let (origin, _next) = serve(Scheme::Http, vec![vec![Step::Write(whole)]]);
    let client = Client::new(settings());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    runtime.block_on(async {
        let (exchange, result) = send(&client, &origin, &NoObserver).await;
        result.unwrap();
        assert_eq!(exchange.body, b"abcd");
    });
}
